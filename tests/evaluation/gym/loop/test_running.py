"""The loop: rounds raise the level, continue where they were stopped, and end when nothing is left to learn."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

from evaluation.core.errors import BenchmarkError, SettingsError
from evaluation.gym import Frozen, FrozenError
from evaluation.gym.loop.report import report_text
from evaluation.gym.loop.running import JUDGING, MINING, Loop, LoopSettings, settings_in

SETTINGS = LoopSettings("selector", 2**40, 2**41, rounds=2, tasks=60, unseen=40)


def test_a_learner_starts_weak_gains_and_meets_harder_tasks(tmp_path):
    outcome = Loop(tmp_path, SETTINGS, Frozen()).run()
    assert [each["level"] for each in outcome["rounds"]] == [0.2, 0.2]
    assert [each["done"] for each in outcome["rounds"]] == ["", "reached"]
    assert outcome["stopped"] == "all rounds are done (2)"
    for kind in ("held_out", "unseen"):
        assert outcome[kind]["before"]["rate"] < 0.5
        assert outcome[kind]["low"] > 0
    assert ", significant" in report_text(outcome)
    assert report_text(outcome).count("\n") == 6


def test_a_loop_that_was_stopped_goes_on_and_ends_as_if_it_had_not(tmp_path):
    whole = Loop(tmp_path / "whole", SETTINGS, Frozen()).run()

    def stop(text):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Loop(tmp_path / "stopped", SETTINGS, Frozen()).run(stop)
    assert len(json.loads((tmp_path / "stopped" / "loop.json").read_text())["rounds"]) == 1
    assert Loop(tmp_path / "stopped", SETTINGS, Frozen()).run() == whole
    assert Loop(tmp_path / "whole", SETTINGS, Frozen()).run() == whole


def test_each_task_is_told_and_a_loop_can_be_stopped_at_any(tmp_path):
    told = []

    class StopError(Exception):
        pass

    def step(part, done, total):
        told.append((part, done, total))
        if part == MINING and done == 3:
            raise StopError

    settings = LoopSettings("gate", 2**40, 2**41, rounds=1, tasks=6, unseen=8)
    with pytest.raises(StopError):
        Loop(tmp_path, settings, Frozen()).run(step=step)
    assert told[:8] == [(JUDGING, done, 8) for done in range(1, 9)]
    assert told[8:] == [(MINING, done, 6) for done in range(1, 4)]
    assert Loop(tmp_path, settings, Frozen()).run()["stopped"] == "all rounds are done (1)"


def test_another_loop_is_not_gone_on_with(tmp_path):
    Loop(tmp_path, LoopSettings("gate", 2**40, 2**41, arm="none", unseen=8), Frozen()).run()
    with pytest.raises(BenchmarkError, match="different learner, arm"):
        Loop(tmp_path, LoopSettings("abstain", 2**40, 2**41, unseen=8), Frozen())
    assert settings_in(tmp_path, learner="gate", arm="none").unseen_seed == 2**41
    (tmp_path / "loop.json").write_text("[]")
    with pytest.raises(BenchmarkError, match="not a loop"):
        settings_in(tmp_path, learner="gate")


def test_what_is_frozen_is_not_trained_on(tmp_path):
    with pytest.raises(FrozenError, match="preset"):
        LoopSettings("gate", 3, 2**41)
    loop = Loop(tmp_path, LoopSettings("gate", 2**40, 2**41, rounds=1, tasks=6, unseen=8), Frozen())
    loop.run()
    examples = tmp_path / "round-01" / "examples.jsonl"
    frozen = Frozen.from_files([examples])
    card = json.loads((tmp_path / "round-01" / "examples.card.json").read_text())
    assert (card["lines"], card["left_out"]) == (6, 0)
    with pytest.raises(BenchmarkError, match="no example"):
        Loop(
            tmp_path / "again", LoopSettings("gate", 2**40, 2**41, rounds=1, tasks=6, unseen=8), frozen
        ).run()


def test_where_nothing_more_is_learnt_the_level_rises_all_the_same(tmp_path):
    settings = LoopSettings("abstain", 2**40, 2**41, rounds=4, tasks=24, unseen=40)
    rounds = Loop(tmp_path, settings, Frozen()).run()["rounds"]
    assert [each["level"] for each in rounds] == sorted(each["level"] for each in rounds)
    for each, following in pairwise(rounds):
        assert (following["level"] > each["level"]) == bool(each["done"])
    assert "stuck" in {each["done"] for each in rounds}


def test_settings_that_are_none_are_refused():
    with pytest.raises(SettingsError, match="arm"):
        LoopSettings("gate", 2**40, 2**41, arm="random")
    with pytest.raises(SettingsError, match="learner"):
        LoopSettings("model", 2**40, 2**41)
