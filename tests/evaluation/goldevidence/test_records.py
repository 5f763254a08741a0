"""The data that the suite reads and writes is of the types in its code."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.core import jsonl
from evaluation.core.records import ShownVerdict
from evaluation.goldevidence.generator.distractors import PROFILES
from evaluation.goldevidence.generator.modes import MODES
from evaluation.goldevidence.grading.row_figures import FIELDS
from evaluation.goldevidence.records import (
    CanonicalPrediction,
    EpisodePrediction,
    EpisodeRecord,
    EpisodeRow,
    EpisodeVerdict,
)
from evaluation.goldevidence.suite import SUITE
from evaluation.goldevidence.systems.registry import get_system
from tests.records import faults, keys_of

SIZE = {"episodes": 1, "steps": 40, "queries": 6, "keys": 5, "chapters": 2}
CONDITIONS = [{"k": 3, "order": "shuffle", "drop_prob": 0.4, "spoof_rate": 0.4}]


def version(mode: str, profile: str, seed: int) -> tuple[dict, list]:
    """The settings of a small version, and its items."""
    chosen = {"generator": SIZE, "state_modes": [mode], "distractor_profiles": [profile], "seeds": [seed]}
    complete = SUITE.settings.checked(chosen | {"conditions": CONDITIONS})
    return complete, list(SUITE.version(complete).generate())


def read_back(data):
    """The data after it was written as JSON and read."""
    return json.loads(jsonl.dumps(data))


@settings(max_examples=15, deadline=None)
@given(st.sampled_from(sorted(MODES)), st.sampled_from(sorted(PROFILES)), st.integers(0, 2**31))
def test_rows_and_grading_records_are_of_their_types(mode, profile, seed) -> None:
    _, items = version(mode, profile, seed)
    for item in items:
        assert faults(read_back(item.gold), EpisodeRecord) == []
        for row in item.rows:
            assert faults(read_back(row), EpisodeRow) == []
            assert faults(read_back(SUITE.public_row(row)), EpisodeRow) == []


@pytest.mark.parametrize("system", ["ledger", "naive", "latest_step", "note_citing"])
def test_verdicts_are_of_their_type_and_so_is_what_is_shown_of_them(system) -> None:
    complete, items = version("kv_commentary", "instruction", 7)
    built = get_system(system).build()
    answers = [built.predict(row) for item in items for row in item.rows]
    assert all(faults(answer, CanonicalPrediction) == [] for answer in answers)
    assert all(faults(answer, EpisodePrediction) == [] for answer in answers)
    answers[0] = {"id": answers[0]["id"], "state": "cut_off"}
    report = SUITE.version(complete).grade([item.gold for item in items], answers[:-1])
    for verdict in read_back(list(report.rows)):
        assert faults(verdict, EpisodeVerdict) == []
        shown = SUITE.redact(verdict, own=False)
        assert shown.keys() <= keys_of(ShownVerdict).keys() | {"value", "cited"}


def test_a_sender_is_not_told_row_by_row_whether_what_it_says_was_picked_is_the_gold_line() -> None:
    complete, items = version("kv_commentary", "standard", 7)
    built = get_system("latest_step").build()
    answers = [built.predict(row) for item in items for row in item.rows]
    report = SUITE.version(complete).grade([item.gold for item in items], answers)
    verdict = read_back(report.rows[0]) | {"figures": {"gold_picked_rate": 1.0, "value_acc": 1.0}}
    assert SUITE.redact(verdict, own=True)["figures"] == {"value_acc": 1.0}


def test_the_figures_of_a_row_are_fields_of_its_verdict() -> None:
    assert FIELDS.keys() <= keys_of(EpisodeVerdict).keys()


@pytest.mark.parametrize("field", ["value", "gold", "unit", "failure"])
def test_a_verdict_that_lacks_a_field_is_of_another_type(field) -> None:
    complete, items = version("kv", "standard", 1)
    report = SUITE.version(complete).grade([item.gold for item in items], [])
    assert faults(
        {name: value for name, value in report.rows[0].items() if name != field}, EpisodeVerdict
    ) == [f".{field}: is missing"]
