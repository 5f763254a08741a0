"""No frozen data leaks into training."""

from __future__ import annotations

from itertools import islice

import pytest

from evaluation import gym
from evaluation.core import jsonl
from evaluation.core.suite import get_suite
from evaluation.gym.frozen import known_seeds, refuse_held_out
from evaluation.gym.statebench import contexts


def rows_of(suite, preset):
    version = get_suite(suite).version(get_suite(suite).presets()[preset].settings)
    return [row for item in version.generate() for row in item.rows]


@pytest.mark.parametrize("suite", ["goldevidence", "statebench"])
def test_the_seeds_of_all_presets_are_refused(suite):
    seeds = {
        seed
        for preset in get_suite(suite).presets().values()
        for seed in get_suite(suite).settings.from_json(preset.settings).all_seeds
    }
    assert seeds <= known_seeds()
    for seed in seeds:
        with pytest.raises(gym.FrozenError, match="preset"):
            gym.task(seed, 0.1, "select_kv")
        with pytest.raises(gym.FrozenError, match="preset"):
            next(gym.tasks(seed))


def test_families_that_are_held_out_are_refused_for_training():
    for family in gym.HELD_OUT:
        with pytest.raises(gym.FrozenError, match="held out"):
            refuse_held_out(family)
    for family in gym.TRAINING:
        refuse_held_out(family)


@pytest.mark.parametrize(("suite", "preset"), [("goldevidence", "smoke"), ("statebench", "smoke")])
def test_a_planted_row_is_found_in_any_form(suite, preset, tmp_path):
    rows = rows_of(suite, preset)
    jsonl.write(tmp_path / "rows.jsonl", rows)
    frozen = gym.Frozen.from_files([tmp_path / "rows.jsonl"])
    families = [name for name in gym.TRAINING if gym.FAMILIES[name].suite == suite]
    own = list(islice(gym.tasks(77, 0.1, families), 20))
    alike = [task for task in own if frozen.holds({"id": task.id, "messages": task.messages})]
    assert len(alike) <= (0 if suite == "goldevidence" else 6)  # copies of one template are often the same
    for task in alike:
        assert frozen.holds(task.row)
    kind = get_suite(suite)
    for row in rows[:12]:
        planted = {"id": "gym-mine", "messages": [{"role": "user", "content": shown_text(kind, row)}]}
        with pytest.raises(gym.FrozenError, match="frozen version"):
            frozen.refuse(planted)
        with pytest.raises(gym.FrozenError, match="frozen version"):
            frozen.refuse({**kind.public_row(row), "id": "gym-mine"})


def shown_text(suite, row):
    """A row as in a prompt, with other words around it."""
    if suite.name == "statebench":
        return next(contexts(row))
    lines = [
        f"A. [{line['uid']}] step={line['step']} {line['op']} {line['key']} = {line['value']}"
        for line in reversed(row.get("candidates", ()))
        if line["value"] is not None
    ]
    return "\n".join(["Lines of the record, in another order:", *lines, row.get("book", ""), row["question"]])


@pytest.mark.parametrize("line", [{"id": "r0123456789ab"}, {"id": "mine", "canary": "x"}])
def test_what_a_site_handed_out_is_refused(line):
    with pytest.raises(gym.FrozenError, match="downloaded from a site"):
        gym.Frozen().refuse(line)


def test_rows_of_one_version_are_not_taken_for_those_of_another():
    frozen = gym.Frozen.from_rows(rows_of("goldevidence", "smoke"))
    assert len(frozen) > 40
    assert not any(frozen.holds(task.text) for task in islice(gym.tasks(78, 0.1), 30))
    assert (frozen | gym.Frozen()).holds(rows_of("goldevidence", "smoke")[0]["book"])
