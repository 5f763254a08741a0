"""The data that the suite reads and writes is of the types in its code."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.core import jsonl
from evaluation.core.records import ShownVerdict
from evaluation.statebench.data.truth import truths
from evaluation.statebench.generator.tracks import TRACKS, generate
from evaluation.statebench.grading.grade import grade
from evaluation.statebench.grading.rubrics import RUBRICS, TYPED
from evaluation.statebench.records import (
    GradedQuery,
    QueryVerdict,
    Response,
    Timeline,
    TimelineRecord,
    writes_of,
)
from evaluation.statebench.suite import SUITE
from evaluation.statebench.systems.registry import SYSTEMS
from tests.evaluation.statebench.data.test_typed_gold import with_gold
from tests.records import faults, keys_of


def read_back(data):
    """The data after it was written as JSON and read."""
    return json.loads(jsonl.dumps(data))


@settings(max_examples=15, deadline=None)
@given(st.sampled_from(sorted(TRACKS)), st.integers(0, 2**31))
def test_timelines_and_grading_records_are_of_their_types(track, seed) -> None:
    for item in SUITE.version(
        SUITE.settings.checked({"tracks": [track], "count": 2, "seed": seed})
    ).generate():
        assert faults(read_back(item.gold), TimelineRecord) == []
        for row in item.rows:
            assert faults(read_back(row), Timeline) == []
            assert faults(read_back(SUITE.public_row(row)), Timeline) == []


@pytest.mark.parametrize("strategy", ["no_memory", "transcript_replay", "state_based"])
def test_verdicts_are_of_their_type_and_so_is_what_is_shown_of_them(strategy) -> None:
    complete = SUITE.settings.checked({"count": 1})
    items = list(SUITE.version(complete).generate())
    system = SYSTEMS[strategy].build()
    responses = [response for item in items for response in system.predict(item.rows[0])]
    assert all(faults(response, Response) == [] for response in responses)
    responses[0] |= {"response": "", "state": "refused"}
    report = SUITE.version(complete).grade([item.gold for item in items], responses[:-1])
    for verdict in read_back(list(report.rows)):
        assert faults(verdict, QueryVerdict) == []
        shown = SUITE.redact(verdict, own=False)
        assert shown.keys() <= keys_of(ShownVerdict).keys() | keys_of(QueryVerdict).keys()


@pytest.mark.parametrize("rubric", sorted(RUBRICS))
def test_the_lines_of_a_graded_file_are_of_their_type(rubric) -> None:
    rows = [with_gold()] if rubric in TYPED else generate(["supersession", "scope_leak"], 2, 3)
    report = grade(truths(rows), {}, rubric=rubric)
    assert report.queries
    assert all(faults(read_back(line), GradedQuery) == [] for line in report.queries)


def test_only_state_writes_have_writes() -> None:
    (timeline,) = generate(["supersession"], 1, 0)
    by_type = {event["type"]: len(writes_of(event)) for event in timeline["events"]}
    assert by_type["query"] == by_type["conversation_turn"] == 0
    assert any(by_type.values())
