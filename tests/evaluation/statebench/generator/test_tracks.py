"""Our own timelines: reproducible, well-formed, filled where the release is empty."""

from __future__ import annotations

import pytest

from evaluation.core.jsonl import canonical
from evaluation.statebench.context.replay import replay
from evaluation.statebench.data.timeline import check_timeline
from evaluation.statebench.data.truth import read_record, record
from evaluation.statebench.generator.tracks import TRACKS, generate

ROWS = list(generate(list(TRACKS), 4, 5))


def timeline_of(track: str):
    return [row for row in ROWS if row["track"] == track]


def test_the_same_settings_give_the_same_bytes():
    assert [canonical(row) for row in generate(list(TRACKS), 4, 5)] == [canonical(row) for row in ROWS]


def test_a_timeline_does_not_depend_on_the_others():
    assert next(generate(["causality"], 1, 5)) == timeline_of("causality")[0]


def test_another_seed_gives_other_timelines():
    assert list(generate(list(TRACKS), 4, 6)) != ROWS


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_every_timeline_is_well_formed_and_consistent(row):
    check_timeline(row)
    times = [event["ts"] for event in row["events"]]
    assert times == sorted(times)
    for truth in read_record(record(row)):
        expected = [mention.phrase.lower() for mention in truth.must]
        forbidden = [mention.phrase.lower() for mention in truth.must_not]
        assert not any(dead in phrase for dead in forbidden for phrase in expected)


def test_dependencies_scopes_authorities_and_labels_are_filled():
    writes = [write for row in ROWS for event in row["events"] for write in event.get("writes", ())]
    turns = [event for row in ROWS for event in row["events"] if event["type"] == "conversation_turn"]
    assert any(write["depends_on"] for write in writes)
    assert any(write["scope"] == "hypothetical" for write in writes)
    assert len({write["source"]["authority"] for write in writes}) > 3
    labels = [turn["implicit_supersession"] for turn in turns if turn["implicit_supersession"]]
    assert len({label["detection_cue"] for label in labels}) > 3


def test_what_rests_on_a_corrected_value_needs_review():
    for row in timeline_of("dependency_chain"):
        assert sum(fact.needs_review for fact in replay(row).store) == 2


def test_the_unmarked_change_is_found():
    for row in timeline_of("supersession_detection"):
        must = row["events"][-1]["ground_truth"]["supersession_detection"]["must_detect"]
        assert [detection.fact_id for detection in replay(row).detections] == must
