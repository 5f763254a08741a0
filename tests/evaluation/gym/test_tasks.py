"""Tasks: the same for the same arguments, without their gold, and of the requested difficulty."""

from __future__ import annotations

import json
from itertools import islice

import pytest

from evaluation import gym
from evaluation.core.errors import BenchmarkError, SettingsError, UnknownNameError
from evaluation.gym.tasks import remade


def test_the_surface_is_this():
    assert gym.__all__ == sorted(gym.__all__, key=lambda name: (not name.isupper(), name.islower(), name))
    assert set(gym.__all__) == {
        *("DIALS", "FAMILIES", "HELD_OUT", "TRAINING"),
        *("Family", "Frozen", "FrozenError", "Level", "Message", "Score", "Task"),
        *("score", "secret_seed", "task", "tasks"),
    }
    assert gym.Score._fields == (
        *("total", "readable", "evidence_shown", "line_chosen", "authority_kept", "value_right"),
        *("citation_right", "abstained_rightly", "same_in_another_order", "tokens"),
    )
    assert (
        *("length", "k", "rivals", "notes", "spoofed", "drops", "aliases", "prose", "hops", "scopes"),
    ) == gym.DIALS


def test_each_suite_has_families_for_training_and_others_that_are_held_out():
    for names in (gym.TRAINING, gym.HELD_OUT):
        assert {gym.FAMILIES[name].suite for name in names} == {"goldevidence", "statebench"}
    assert not set(gym.TRAINING) & set(gym.HELD_OUT)


@pytest.mark.parametrize("family", gym.FAMILIES)
def test_a_task_is_the_same_for_the_same_arguments_and_hides_its_gold(family):
    task, again, other = (gym.task(seed, 0.1, family) for seed in (7, 7, 8))
    assert (task.id, task.sha256, task.row) == (again.id, again.sha256, again.row)
    assert task.sha256 != other.sha256
    assert "gold" not in task.row
    assert "ground_truth" not in json.dumps(task.row)
    assert [message["role"] for message in task.messages] == ["system", "user"]
    assert remade(json.loads(json.dumps(task.coordinates))).sha256 == task.sha256


def test_a_stream_goes_through_the_families_with_a_seed_for_each_task():
    first = list(islice(gym.tasks(77, 0.0), 6))
    assert [task.family for task in first] == list(gym.TRAINING[:6])
    assert len({task.seed for task in first}) == 6
    assert [task.id for task in islice(gym.tasks(77, 0.0), 6)] == [task.id for task in first]
    assert {task.family for task in islice(gym.tasks(77, families=["select_kv"]), 3)} == {"select_kv"}


def test_more_is_shown_and_said_at_a_higher_level():
    lines = [len(gym.task(9, {"k": dial}, "select_kv").row["candidates"]) for dial in (0, 0.5, 1)]
    assert lines == [2, 9, 16]
    short, long = (len(gym.task(9, {"length": dial}, "book_kv").text) for dial in (0, 0.5))
    assert long > 2 * short


def test_notes_disguises_and_gaps_come_with_their_dials():
    plain = [gym.task(seed, {"k": 0.5}, "select_kv_commentary") for seed in range(30, 40)]
    hard = [
        gym.task(seed, {"k": 0.5, "notes": 1, "spoofed": 1, "drops": 1}, "select_kv_commentary")
        for seed in range(30, 40)
    ]
    assert not any(
        line["op"] == "NOTE" or "remark" in line for task in plain for line in task.row["candidates"]
    )
    assert any("remark" in line for task in hard for line in task.row["candidates"])
    assert any(line["op"] == "NOTE" for task in hard for line in task.row["candidates"])
    assert all(task.oracle.is_shown for task in plain)
    assert not all(task.oracle.is_shown for task in hard)


def test_what_names_no_task_is_refused():
    with pytest.raises(UnknownNameError, match="select_kv"):
        gym.task(9, 0, "select_kw")
    with pytest.raises(UnknownNameError, match="dial"):
        gym.task(9, {"lenght": 1}, "select_kv")
    with pytest.raises(SettingsError, match="from 0 to 1"):
        gym.task(9, 1.5, "select_kv")
    with pytest.raises(SettingsError, match="seed"):
        gym.task(-1, 0, "select_kv")
    with pytest.raises(SettingsError, match="order"):
        gym.task(9, 0, "select_kv", order="backwards")
    with pytest.raises(BenchmarkError, match="order"):
        gym.task(9, 0, "book_kv", order="gold_last")
    with pytest.raises(BenchmarkError, match="at least one family"):
        next(gym.tasks(9, families=[]))
    with pytest.raises(BenchmarkError, match="a task must have seed, level, family and order"):
        remade({"seed": 9})
