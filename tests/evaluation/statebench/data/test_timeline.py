"""Reading timelines: missing fields are named with their place."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from evaluation.core import jsonl
from evaluation.core.errors import RowError
from evaluation.statebench.data.timeline import check_timeline, read_timelines
from tests.evaluation.statebench import reference_state
from tests.evaluation.statebench.writing import say, timeline, write


def test_the_release_is_read_as_it_is():
    assert len(list(read_timelines(reference_state.path("data/dev.jsonl")))) == 209
    assert len(list(read_timelines(reference_state.path("v2_tracks/timelines.jsonl")))) == 115


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda row: row.pop("id"), "a timeline lacks id"),
        (
            lambda row: row["initial_state"].pop("environment"),
            "initial_state of timeline 'CONFORMANCE' lacks environment",
        ),
        (lambda row: row["events"][0].pop("text"), "event 0 of timeline 'CONFORMANCE' lacks text"),
        (lambda row: row["events"][1]["writes"][0].pop("key"), "a write of event 1 .* lacks key"),
        (lambda row: row["events"][0].update(type="song"), "unknown type 'song'"),
        (lambda row: row["events"].pop(), "has no query"),
        (lambda row: row.update(events=3), "events of timeline 'CONFORMANCE' must be a list, not int"),
        (lambda row: row["events"][0].update(text=3), "text of event 0 .* must be a text, not int"),
        (lambda row: row["events"][0].update(type=[]), "type of event 0 .* must be a text, not list"),
        (lambda row: row["events"][1].update(writes={}), "writes of event 1 .* must be a list, not dict"),
        (
            lambda row: row["initial_state"].update(environment=[]),
            "environment in the initial_state of .* must be a JSON object, not list",
        ),
    ],
)
def test_what_is_missing_is_named(change, message):
    row = timeline(say("hello"), write("k", "v"), query="?")
    change(row)
    with pytest.raises(RowError, match=message):
        check_timeline(row, graded=False)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({}, None),
        ({"scope_id": "T-7"}, None),
        ({"action": "pass"}, "action of event 0 .* must be enter or leave, not 'pass'"),
        ({"scope": "Global"}, "event 0 .* must name a scope"),
        ({"scope": ""}, "event 0 .* must name a scope"),
        ({"scope": 7}, "scope of event 0 .* must be a text, not int"),
    ],
)
def test_a_change_of_scope_says_what_is_entered_or_left(change, message):
    row = timeline({"type": "scope", "action": "enter", "scope": "task"} | change, query="?")
    with pytest.raises(RowError, match=message) if message else nullcontext():
        check_timeline(row, graded=False)


def test_a_graded_timeline_needs_ground_truth(tmp_path):
    jsonl.write(tmp_path / "t.jsonl", [timeline(query="?")])
    with pytest.raises(RowError, match=r"t.jsonl:1: event 0 of timeline .* lacks ground_truth"):
        list(read_timelines(tmp_path / "t.jsonl"))
