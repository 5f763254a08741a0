"""The records of StateBench as JSON has them: timelines in release format, responses, verdicts, grading records.

Typed dictionaries: at run time they are what `orjson` reads. A timeline of somebody else is checked where it is read
(`data.timeline`); before that its values are objects.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired, Required, TypedDict, cast

from evaluation.core.records import GradingRecord, JsonObject, Prediction, Row, RowGold, Verdict


class Source(TypedDict):
    """Who a fact comes from."""

    type: str
    identity: str | None
    authority: str


class Write(TypedDict):
    """What is written of one key. A fact from the start says when (`Fact`), a write of an event where to (`layer`)."""

    id: str
    key: str
    value: str
    source: NotRequired[Source]
    scope: NotRequired[str]
    scope_id: NotRequired[str | None]
    supersedes: NotRequired[str | None]  # the id of a fact
    depends_on: NotRequired[list[str]]
    is_constraint: NotRequired[bool]
    constraint_type: NotRequired[str | None]
    layer: NotRequired[str]


class Fact(Write):
    """A fact that is there from the start."""

    ts: str
    is_valid: NotRequired[bool]


class WorkingItem(TypedDict):
    """A note of the working set."""

    content: str
    ts: str
    item_type: NotRequired[str]
    priority: NotRequired[int]


class InitialState(TypedDict):
    """The four layers that a timeline starts with."""

    identity_role: dict[str, str | None]
    persistent_facts: list[Fact]
    working_set: list[WorkingItem]
    environment: dict[str, str]


class RequiredMention(TypedDict):
    """A phrase that a response must, or must not, contain, where it is more than its text."""

    phrase: str
    alternatives: NotRequired[list[str] | None]
    is_regex: NotRequired[bool]
    kind: NotRequired[str | None]


class MustDetect(TypedDict):
    """What a query of the track on detection asks for."""

    must_detect: list[str]  # the ids of facts
    detection_evidence: NotRequired[str]


DecisionName = Literal["yes", "no", "unclear", "value"]


class TypedGold(TypedDict):
    """The typed answer to a query, and the evidence for it.

    Evidence is named by the id of a fact or of a write, or as `E<n>`, the turn that is the n-th event, from 0.
    """

    decision: DecisionName
    value: NotRequired[str | None]  # as spoken; of the decision "value" always there
    because: NotRequired[list[str]]  # what shows the answer
    dead: NotRequired[list[str]]  # what is about the question and no longer holds, or never did


class GroundTruth(TypedDict):
    """What the response to a query is graded against."""

    decision: str
    must_mention: list[str | RequiredMention]
    must_not_mention: list[str | RequiredMention]
    decision_type: NotRequired[str]
    allowed_sources: NotRequired[list[str]]
    reasoning: NotRequired[str | None]
    required_facts: NotRequired[list[str]]
    forbidden_facts: NotRequired[list[str]]
    supersession_detection: NotRequired[MustDetect | None]
    failure_severity: NotRequired[str | None]
    failure_category: NotRequired[str | None]
    weights: NotRequired[dict[str, float] | None]
    answer: NotRequired[TypedGold | None]


class ConversationTurn(TypedDict):
    """Something is said."""

    ts: str
    type: Literal["conversation_turn"]
    speaker: str
    text: str
    scope: NotRequired[str]  # the place that it is said in and enters
    scope_id: NotRequired[str | None]
    implicit_supersession: NotRequired[dict[str, str | None] | None]  # not of a public row


class StateWrite(TypedDict):
    """Something is written, and with `supersession` something else no longer holds."""

    ts: str
    type: Literal["state_write", "supersession"]
    writes: list[Write]


class ScopeChange(TypedDict):
    """A place is entered or left. Ours: the release has no such event."""

    ts: str
    type: Literal["scope"]
    action: Literal["enter", "leave"]
    scope: str
    scope_id: NotRequired[str | None]


class Query(TypedDict):
    """Something is asked; `scope` and `scope_id` name the place that it is about."""

    ts: str
    type: Literal["query"]
    prompt: str
    scope: NotRequired[str]
    scope_id: NotRequired[str | None]
    ground_truth: NotRequired[GroundTruth]  # not of a public row


Happening = ConversationTurn | StateWrite | ScopeChange
Event = Happening | Query


class Timeline(Row):
    """What happened, and what is asked about it: a row of StateBench, with one row id a query."""

    initial_state: InitialState
    events: list[Event]
    version: NotRequired[str]
    timezone: NotRequired[str]  # of times without an offset; UTC where there is none
    actors: NotRequired[dict[str, Any]]
    # Not of a public row:
    track: NotRequired[str]
    domain: NotRequired[str]
    difficulty: NotRequired[str]
    detection_mode: NotRequired[str]
    metadata: NotRequired[dict[str, Any]]


class TimelineQuestion(Row):
    """One query of a timeline, as a system is asked it; its `id` is that of the query."""

    timeline: Timeline
    query_idx: int
    question: str


class Response(Prediction, total=False):
    """A line of a file of responses."""

    timeline_id: Required[str]
    query_idx: Required[int]
    response: str  # of a typed rubric a line may hold an answer instead
    answer: JsonObject
    tokens_used: float | None
    latency_ms: float | None


class TypedVerdict(TypedDict):
    """What the verdict on a line says of its typed answer and of the free text beside it."""

    answered: bool  # whether it holds a typed answer
    value: bool | None  # whether the value is right; None: the gold has none
    evidence: str  # live, dead, other or none
    free_text: bool | None  # whether the free text is right; None: there is none
    note: str  # that the free text was cut, or is a dump; else empty


class _QueryFields(TypedDict):
    """What the verdict of one response says besides its failure."""

    timeline_id: str
    query_idx: int
    track: str
    decision_correct: bool
    actual_decision: str | None
    mm: str  # 0 or 1 for each phrase to mention, in the order of the ground truth
    mnm: str  # the same for each that must not be mentioned
    resurrected: bool
    kinds: dict[str, list[str]]  # kind of failure -> the forbidden phrases that show it
    skipped: list[str]  # phrases that the rubric does not score
    negated: list[str]  # those that stand only under a negation
    tokens: int
    typed: NotRequired[TypedVerdict]  # of a typed rubric


class GradedQuery(_QueryFields):
    """A line of `StateReport.queries`."""

    failure: str | None
    reason: str | None


class QueryVerdict(Verdict, _QueryFields):
    """The verdict on a query as a site keeps it. None is a figure that does not count it."""

    sfrr: int | None
    leakage: int | None
    fabrication: int | None
    false_supersession: NotRequired[int | None]  # where the headline leaves the track out
    response: str | None  # its beginning
    difficulty: str
    domain: str
    length: NotRequired[str]  # of scenes
    span: NotRequired[str]


class FrozenEvidence(TypedDict):
    """A piece of evidence with its text: `key: value` of a fact or a write, a turn as it is said."""

    id: str
    text: str
    value: NotRequired[str]  # of a fact or a write


class FrozenAnswer(TypedDict):
    """Typed gold as it is frozen."""

    decision: DecisionName
    value: str | None
    live: list[FrozenEvidence]
    dead: list[FrozenEvidence]


class QueryRecord(TypedDict):
    """The ground truth of one query as it is frozen."""

    decision: str
    must: list[str | RequiredMention]
    must_not: list[str | RequiredMention]
    severity: str
    in_state: bool
    detects: list[str]
    answer: NotRequired[FrozenAnswer]  # absent: frozen before there were any, or without typed gold


class TimelineRecord(GradingRecord):
    """The grading record of a timeline."""

    timeline_id: str
    track: str
    domain: str
    difficulty: str
    queries: list[QueryRecord]
    length: NotRequired[str]  # of scenes: tokens of other people's business, "8k"
    span: NotRequired[str]  # of scenes: "minutes" to "months"
    template: NotRequired[str]  # what the timeline is made from, where that is not its track
    lines: NotRequired[str]  # how its lines begin, as hashes; kept where a query has typed gold
    asked: NotRequired[list[int]]  # of a part of a version: the indices of the queries that it asks


class TimelineGold(RowGold):
    """Labels and ground truths of a timeline."""

    track: str
    domain: str
    difficulty: str
    truths: list[GroundTruth]


def writes_of(event: Mapping[str, object] | Event) -> Sequence[Write]:
    """What an event writes; nothing where it is a turn or a query."""
    writes: Sequence[Write] = cast(JsonObject, event).get("writes", ())
    return writes


def row_id(timeline_id: str, query_idx: int) -> str:
    """The id of a query: `<timeline id>#<index of the query in its timeline>`.

    Args:
        timeline_id: The id of its timeline.
        query_idx: Its index, from 0.
    """
    return f"{timeline_id}#{query_idx}"
