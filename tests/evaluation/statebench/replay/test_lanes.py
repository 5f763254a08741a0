"""Timelines as lanes, with the outcome of responses to them."""

from __future__ import annotations

from typing import Any

import pytest

from evaluation.core.plugin.replay import Replay
from evaluation.core.suite import get_suite
from evaluation.statebench.context.replay import replay as state_of
from evaluation.statebench.generator.tracks import TRACKS
from evaluation.statebench.replay import account, answers, contexts, replay, row_labels, with_answer

SUITE = get_suite("statebench")


def timelines(*tracks: str) -> list[Any]:
    settings = SUITE.settings.checked(
        {**SUITE.presets()["quick"].settings, **({"tracks": list(tracks)} if tracks else {}), "count": 2}
    )
    return [(item.rows[0], item.gold) for item in SUITE.version(settings).generate()]


def queries(timeline: Any) -> int:
    return sum(event["type"] == "query" for event in timeline["events"])


@pytest.mark.parametrize("track", sorted(TRACKS))
def test_what_holds_at_the_query_is_what_the_state_holds(track: str) -> None:
    for timeline, _ in timelines(track):
        for index in range(queries(timeline)):
            seen, state = replay(timeline, index), state_of(timeline, index)
            valid = sorted(str(fact.value) for fact in state.store if fact.is_valid)
            outside = sorted(map(str, state.environment.values.values()))
            places = len(state.places.now)
            held = sorted(value for lane in seen.lanes if (value := lane.value_at(seen.last)))
            assert held == sorted([*valid, *outside, *["at hand"] * places])


def test_a_superseded_fact_ends_where_the_next_one_begins_and_an_arrow_says_so() -> None:
    (timeline, _), *_ = timelines("supersession")
    seen = replay(timeline)
    lane = next(lane for lane in seen.lanes if len(lane.spans) == 2)
    assert lane.spans[0].end == lane.spans[1].start
    assert [(arrow.lane, arrow.start, arrow.end) for arrow in seen.arrows] == [
        (lane.name, lane.spans[0].start, lane.spans[1].start)
    ]
    stale = {seen.lines[line - 1].split("]")[0].strip(" [") for line in seen.stale}
    assert stale == {lane.marks[0].uid}


def test_a_refused_write_is_marked_and_changes_nothing() -> None:
    (timeline, _), *_ = timelines("authority_hierarchy")
    seen = replay(timeline)
    lane = next(lane for lane in seen.lanes if any(mark.kind == "refused" for mark in lane.marks))
    assert len(lane.spans) == 1


@pytest.mark.parametrize("track", sorted(TRACKS))
def test_without_state_each_write_stands_under_its_own_key(track: str) -> None:
    for timeline, _ in timelines(track):
        seen: Replay = replay(timeline, state=False)
        assert not any(lane.spans for lane in seen.lanes)
        assert not seen.arrows
        assert not seen.stale
        assert not seen.has_state
        for lane in seen.lanes:
            for mark in lane.marks:
                assert not mark.uid or f"] {lane.name.partition(' (')[0]} = " in seen.lines[mark.line - 1]
        assert all(mark.kind not in ("clear", "refused") for lane in seen.lanes for mark in lane.marks)


@pytest.mark.parametrize("track", sorted(TRACKS))
def test_a_public_timeline_and_its_record_make_it_whole_again(track: str) -> None:
    for timeline, record in timelines(track):
        for name, answer in answers(record):
            index = int(name.rpartition("#")[2])
            again = with_answer(SUITE.public_row(timeline), answer)  # type: ignore[arg-type]
            assert row_labels(again) == row_labels(timeline)
            assert contexts(again, index) == contexts(timeline, index)


def test_each_context_says_its_size_and_what_of_the_truth_it_holds() -> None:
    (timeline, _), *_ = timelines("supersession")
    shown = {context.title: context.note for context in contexts(timeline, 0)}
    (note,) = (note for title, note in shown.items() if title.startswith("Transcript;"))
    assert "contains 0 of 1 required phrase; contains forbidden phrases: $" in note
    public = contexts(SUITE.public_row(timeline), 0)  # type: ignore[arg-type]
    assert all("phrase" not in context.note for context in public)


def test_a_response_that_brings_a_fact_back_has_the_fact_named() -> None:
    (timeline, record), *_ = timelines("supersession")
    response = {"timeline_id": timeline["id"], "query_idx": 0, "response": "Yes, it is approved."}
    settings = SUITE.settings.checked(SUITE.presets()["quick"].settings)
    (verdict,) = SUITE.version(settings).grade([record], [response]).rows  # type: ignore[list-item]
    told = account(timeline, replay(timeline), verdict)  # type: ignore[arg-type]
    assert told.sentence.startswith("brought back W-001 of event 2, superseded at event 4: ")
    assert [replay(timeline).lines[line - 1].strip()[:7] for line in told.lines] == ["[W-001]"]
