"""Counterfactual twins."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from evaluation.goldevidence import generate
from evaluation.goldevidence.data.ledger import parse_log
from evaluation.goldevidence.generator.modes import MODES
from tests.evaluation.goldevidence.generator.test_episodes import configs


def pairs(config, seed):
    """(base row, twin row) by question."""
    rows = {
        (row["meta"]["twin_group"], row["meta"]["q_index"], row["meta"]["twin_variant"]): row
        for row in generate(config, seed)
    }
    return [(row, rows[group, q, "twin"]) for (group, q, variant), row in rows.items() if variant == "base"]


@settings(max_examples=50, deadline=None)
@given(config=configs())
def test_a_twin_asks_the_same_questions_and_the_first_has_another_answer(config):
    if not config.twins:
        return
    for base, twin in pairs(config, 1):
        assert base["question"] == twin["question"]
        assert base["meta"] | {"twin_variant": "twin"} == twin["meta"]
        assert twin["id"] == base["id"].replace("-Q", "T-Q")
        if base["meta"]["q_index"] == 1:
            assert base["meta"]["key"] == base["meta"]["twin_flip_key"]
            assert base["gold"]["value"] != twin["gold"]["value"]


@settings(max_examples=50, deadline=None)
@given(config=configs())
def test_one_update_differs_and_is_never_cleared_later(config):
    if not config.twins:
        return
    for base, twin in pairs(config, 2):
        before, after = parse_log(base["document"]), parse_log(twin["document"])
        changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
        ((old, new),) = changed
        assert (old.op, old.uid, old.key) == (
            "SET",
            base["meta"]["twin_flip_uid"],
            base["meta"]["twin_flip_key"],
        )
        assert new == old._replace(value=new.value)
        later = [
            entry
            for entry in before
            if entry.key == old.key and entry.authoritative and entry.step > old.step
        ]
        assert later == []


@pytest.mark.parametrize("mode", MODES)
def test_nothing_in_the_texts_tells_a_twin(mode):
    """One line of the log, one sentence and one ledger line of the book differ, and in the value only."""
    base, twin = pairs({"state_mode": mode, "episodes": 1, "queries": 1}, 3)[0]
    for text, expected in (("document", 1), ("book", 2)):
        lines = zip(base[text].splitlines(), twin[text].splitlines(), strict=True)
        changed = [(old, new) for old, new in lines if old != new]
        assert len(changed) == expected
        for old, new in changed:
            old_value, new_value = (line.rpartition(" = ")[2] for line in (old, new))
            assert old.replace(old_value, "") == new.replace(new_value, "")


def test_without_twins_there_is_no_twin_in_rows_or_meta():
    rows = list(generate({"episodes": 2, "twins": False}))
    assert len(rows) == 24
    assert not any(name.startswith("twin") for row in rows for name in row["meta"])
