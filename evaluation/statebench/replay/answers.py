"""Timelines with their ground truth again: a public one and what its grading record says of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from evaluation.core.records import JsonObject
from evaluation.statebench.records import Timeline, TimelineRecord

LABELS = ("track", "domain", "difficulty")


def answers(record: TimelineRecord) -> Iterator[tuple[str, JsonObject]]:
    """What `with_answer` needs of the queries of a timeline.

    Args:
        record: The grading record of the timeline.

    Returns:
        (row id, labels and ground truth of the timeline), for each query.
    """
    truths = [
        {"decision": query["decision"], "must_mention": query["must"], "must_not_mention": query["must_not"]}
        for query in record["queries"]
    ]
    answer = {
        "track": record["track"],
        "domain": record["domain"],
        "difficulty": record["difficulty"],
        "truths": truths,
    }
    for index in range(len(truths)):
        yield f"{record['timeline_id']}#{index}", answer


def with_answer(timeline: Timeline, answer: JsonObject) -> Timeline:
    """A public timeline with its ground truth.

    Args:
        timeline: The timeline; what it has of labels and ground truth stays as it is.
        answer: Of one of its queries, from `answers`.
    """
    truths = iter(answer["truths"])
    events = [
        {"ground_truth": next(truths), **event} if event["type"] == "query" else event
        for event in timeline["events"]
    ]
    labels = {name: answer[name] for name in LABELS}
    return cast(Timeline, {**labels, **timeline, "events": events})
