"""Shows the contexts at a query, explains verdicts, and adds ground truth to public timelines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from evaluation.core.plugin.replay import Account, ContextShown, Lane, Mark, Replay
from evaluation.core.terminal.wording import number_of
from evaluation.statebench.data.truth import Mention, Truth, read_record, record
from evaluation.statebench.grading.phrases import alternatives, strict_form, strict_matcher
from evaluation.statebench.records import (
    GroundTruth,
    Query,
    QueryRecord,
    QueryVerdict,
    Timeline,
    TimelineGold,
    TimelineRecord,
    TypedVerdict,
)
from evaluation.statebench.strategies.registry import STRATEGIES, build_context

#: Label -> field of a timeline; public timelines lack these fields.
OF_TIMELINE = {"Track": "track", "Domain": "domain", "Difficulty": "difficulty"}


def row_labels(timeline: Timeline) -> dict[str, str]:
    found = {name: timeline.get(field) for name, field in OF_TIMELINE.items()}
    return {name: str(label) for name, label in found.items() if label}


def contexts(timeline: Timeline, query_idx: int) -> list[ContextShown]:
    """Build the contexts of all strategies for a query. Strategies with equal contexts share one.

    Each has a note on its length and, if the timeline has ground truth, on the required and forbidden phrases in it.
    """
    truth = _truth(timeline, query_idx)
    shown: dict[str, tuple[list[str], int]] = {}
    for name, strategy in STRATEGIES.items():
        context = build_context(timeline, query_idx, strategy=name)
        shown.setdefault(context.text, ([], context.tokens))[0].append(strategy.title)
    return [
        ContextShown("; ".join(titles), text, _note(text, tokens, truth))
        for text, (titles, tokens) in shown.items()
    ]


def _truth(timeline: Timeline, query_idx: int) -> Truth | None:
    queries: list[Query] = [event for event in timeline["events"] if event["type"] == "query"]
    labelled = all(name in timeline for name in OF_TIMELINE.values())
    if not labelled or not all("ground_truth" in query for query in queries):
        return None
    return read_record(record(timeline))[query_idx]


def _note(text: str, tokens: int, truth: Truth | None) -> str:
    size = number_of(tokens, "token")
    if truth is None:
        return f"{size}."
    held = list(_held(truth.must, text))
    parts = [f"contains {len(held)} of {number_of(len(truth.must), 'required phrase')}"] if truth.must else []
    if wrong := list(_held(truth.must_not, text)):
        parts.append(f"contains forbidden phrases: {', '.join(wrong)}")
    return f"{size}; {'; '.join(parts)}." if parts else f"{size}."


def _held(mentions: Iterable[Mention], text: str) -> Iterator[str]:
    form = strict_form(text)
    return ((alternatives(each) or [each.phrase])[0] for each in mentions if strict_matcher(each)(form))


def account(timeline: Timeline, replay: Replay, verdict: QueryVerdict) -> Account:
    """Explain a verdict in a few words, with the line numbers of superseded facts that the response repeats."""
    if verdict.get("failure") is None:
        typed = verdict.get("typed")
        return Account(_right(typed) if typed else "the right decision, with every required phrase")
    dead = _brought_back([phrase for phrases in verdict["kinds"].values() for phrase in phrases], replay)
    reason = str(verdict.get("reason") or str(verdict["failure"]).replace("_", " ")).rstrip(".")
    clause = reason[:1].lower() + reason[1:]
    if not dead:
        return Account(clause)
    lane, mark = dead[0]
    after = lane.next_write(mark)
    ended = "ended" if after is None or after.value is None else "superseded"
    when = f" at {replay.axis} {after.at}" if after else ""
    words = f"brought back {mark.uid or lane.name} of {replay.axis} {mark.at}, {ended}{when}"
    return Account(f"{words}: {clause}", tuple(mark.line for _, mark in dead))


#: Standing of the evidence of a right answer -> words.
EVIDENCE = {
    "live": "from valid evidence",
    "none": "without evidence",
    "other": "with evidence that does not support it",
}


def _right(typed: TypedVerdict) -> str:
    note = f"; {typed['note']}" if typed["note"] else ""
    return f"the right decision, {EVIDENCE[typed['evidence']]}{note}"


def _brought_back(phrases: Sequence[str], replay: Replay) -> list[tuple[Lane, Mark]]:
    forms = [strict_form(phrase) for phrase in phrases if phrase]
    found = [
        (lane, mark)
        for lane in replay.lanes
        for mark in lane.writes
        if mark.line in replay.stale
        and mark.value
        and (mark.uid in phrases or any(form in strict_form(mark.value) for form in forms))
    ]
    return sorted(found, key=lambda pair: -pair[1].at)


def answers(record: TimelineRecord) -> Iterator[tuple[str, TimelineGold]]:
    """Yield a row id for each query of a record, and the gold of the whole timeline, for use in `with_answer`."""
    truths = [_ground_truth(query) for query in record["queries"]]
    answer: TimelineGold = {
        "track": record["track"],
        "domain": record["domain"],
        "difficulty": record["difficulty"],
        "truths": truths,
    }
    for index in range(len(truths)):
        yield f"{record['timeline_id']}#{index}", answer


def _ground_truth(query: QueryRecord) -> GroundTruth:
    truth: GroundTruth = {
        "decision": query["decision"],
        "must_mention": query["must"],
        "must_not_mention": query["must_not"],
    }
    if frozen := query.get("answer"):
        truth["answer"] = {
            "decision": frozen["decision"],
            "value": frozen["value"],
            "because": [each["id"] for each in frozen["live"]],
            "dead": [each["id"] for each in frozen["dead"]],
        }
    return truth


def with_answer(timeline: Timeline, answer: TimelineGold) -> Timeline:
    """Add the labels and ground truth of `answer` to a timeline, where the timeline lacks them."""
    truths = iter(answer["truths"])
    events = [
        {"ground_truth": next(truths), **event} if event["type"] == "query" else event
        for event in timeline["events"]
    ]
    labels = {"track": answer["track"], "domain": answer["domain"], "difficulty": answer["difficulty"]}
    return cast(Timeline, {**labels, **timeline, "events": events})
