"""StateBench rows: a timeline asks one question per query, answered in text or as a typed object.

A question is `{"id": "<timeline>#<query>", "timeline": …, "query_idx": n, "question": prompt}`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, cast

from evaluation.adapters import STATE_ADAPTERS
from evaluation.adapters.base import Adapter, Answer
from evaluation.core.errors import AdapterError
from evaluation.core.records import JsonObject
from evaluation.core.row_states import RowState, given_state
from evaluation.statebench import public
from evaluation.statebench.data.timeline import check_timeline
from evaluation.statebench.grading.grade import row_state
from evaluation.statebench.grading.typed.answers import ANSWER, answer_problem
from evaluation.statebench.records import Response, Timeline, TimelineQuestion, row_id
from evaluation.statebench.suite import MAX_RESPONSE


class TimelineRows:
    """The `RowKind` of StateBench. An answer is `{"response": text}`, or typed `{"answer": object}`."""

    name = "statebench"
    adapters: Mapping[str, str] = STATE_ADAPTERS

    def recognises(self, row: JsonObject) -> bool:
        return {"initial_state", "events"} <= row.keys()

    def questions(self, rows: Iterable[Timeline]) -> Iterator[TimelineQuestion]:
        """One question per query, with ground truth and labels removed from the timeline."""
        for row in rows:
            check_timeline(row, graded=False)
            timeline = public.public_row(row, labels=False)
            queries = [event["prompt"] for event in timeline["events"] if event["type"] == "query"]
            for index, prompt in enumerate(queries):
                yield {
                    "id": row_id(timeline["id"], index),
                    "timeline": timeline,
                    "query_idx": index,
                    "question": prompt,
                }

    def groups(self, questions: Sequence[TimelineQuestion]) -> Iterator[list[TimelineQuestion]]:
        for _, group in groupby(questions, key=lambda question: question["timeline"]["id"]):
            yield list(group)

    def preparation(self, adapter: Adapter, protocol: str) -> Callable[[TimelineQuestion], TimelineQuestion]:
        return lambda question: question

    def size(self, question: TimelineQuestion, protocol: str) -> int:
        """Number of characters of the conversation and the facts, whatever the strategy shows."""
        timeline = question["timeline"]
        talk = sum(len(event["text"]) for event in timeline["events"] if event["type"] == "conversation_turn")
        facts = timeline["initial_state"]["persistent_facts"]
        return talk + sum(len(str(fact["value"])) for fact in facts)

    def prediction(self, question: TimelineQuestion, answer: Answer) -> Response:
        """Response line with tokens and milliseconds. Without an answer, `response` is empty and `state` says why."""
        output = answer.output if isinstance(answer.output, Mapping) else {}
        state = given_state(output)
        usage = answer.usage
        said = _said({"response": ""} if state else output, question["id"])
        response: Mapping[str, Any] = {
            "timeline_id": question["timeline"]["id"],
            "query_idx": question["query_idx"],
            **said,
            "tokens_used": usage.prompt_tokens + usage.generated_tokens + usage.forced_tokens,
            "latency_ms": round(1000 * usage.wall_s, 1),
        }
        return cast(Response, {**response, "state": state.value} if state else response)

    def answered(self, prediction: JsonObject) -> str:
        return row_id(prediction["timeline_id"], prediction["query_idx"])

    def state(self, prediction: JsonObject) -> RowState:
        return row_state(prediction)


def _said(output: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    if ANSWER in output and answer_problem(output[ANSWER]) is None:
        return {ANSWER: output[ANSWER]}
    text = output.get("response")
    if not isinstance(text, str):
        raise AdapterError(f"row {name}: the output must be an object with a text `response` or an `answer`")
    return {"response": text[:MAX_RESPONSE]}


KIND = TimelineRows()
