"""Implementation of `door.Doorway` for StateBench: a question is one query of a timeline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import cast

from evaluation.core.records import JsonObject
from evaluation.core.report import Report
from evaluation.gym import statebench as prompts
from evaluation.gym.parts import Message, Reply
from evaluation.statebench.cli.grade import rubric_for
from evaluation.statebench.data.timeline import check_timeline
from evaluation.statebench.data.truth import read_record, record
from evaluation.statebench.grading.grade import read_responses, responses_by_query
from evaluation.statebench.grading.rubrics import TYPED
from evaluation.statebench.records import Timeline, TimelineQuestion, TimelineRecord, row_id
from evaluation.statebench.suite import SUITE


def takes(row: JsonObject) -> bool:
    return "timeline" in row or {"initial_state", "events"} <= row.keys()


def questions(rows: Iterable[Timeline | TimelineQuestion]) -> Iterator[TimelineQuestion]:
    for row in rows:
        if "timeline" in row:
            yield cast(TimelineQuestion, row)
            continue
        timeline = row
        check_timeline(timeline, graded=False)
        for index, query in enumerate(_queries(timeline)):
            yield {
                "id": row_id(timeline["id"], index),
                "timeline": timeline,
                "query_idx": index,
                "question": query["prompt"],
            }


def messages(question: TimelineQuestion, prompt: str) -> list[Message]:
    timeline = cast(Timeline, SUITE.public_row(question["timeline"]))
    is_typed = "answer" in (_gold(question) or ())
    chosen = prompt or (prompts.TYPED_PROMPT if is_typed else "")
    return prompts.messages(timeline, question["query_idx"], chosen)


def has_gold(question: TimelineQuestion) -> bool:
    return bool(_gold(question))


def unit(question: TimelineQuestion) -> str:
    return read_record(record(question["timeline"]))[question["query_idx"]].unit


def line(question: TimelineQuestion, reply: Reply) -> JsonObject:
    said = {"response": reply} if isinstance(reply, str) else reply
    return {"timeline_id": question["timeline"]["id"], "query_idx": question["query_idx"], **said}


def grade(
    questions: Sequence[TimelineQuestion], predictions: Path | Iterable[JsonObject]
) -> tuple[Report, str]:
    timelines = {question["timeline"]["id"]: question["timeline"] for question in questions}
    asked = {question["id"] for question in questions}
    records = [
        cast(TimelineRecord, SUITE.record_of_rows(record(timeline), asked)) for timeline in timelines.values()
    ]
    known = [truth for each in records for truth in read_record(each)]
    rubric = rubric_for(known)
    typed = rubric in TYPED
    responses = (
        read_responses(predictions, known, typed=typed)
        if isinstance(predictions, Path)
        else responses_by_query(predictions, known, typed=typed)
    )
    version = SUITE.version({"rubric": rubric})
    return version.grade(records, responses.values()), version.headline().name


def _gold(question: TimelineQuestion) -> JsonObject | None:
    return _queries(question["timeline"])[question["query_idx"]].get("ground_truth")


def _queries(timeline: Timeline) -> list[JsonObject]:
    return [cast(JsonObject, event) for event in timeline["events"] if event["type"] == "query"]
