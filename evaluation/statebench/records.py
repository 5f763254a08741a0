"""Records of StateBench as in JSON: timelines in release format, responses, verdicts, grading records.

Typed dictionaries describe what `orjson` reads. Timelines of third parties are validated when read (`data.timeline`);
before validation, their values may have any type.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired, Required, TypedDict, cast

from evaluation.core.records import GradingRecord, JsonObject, Prediction, Row, RowGold, Verdict


class Source(TypedDict):
    type: str
    identity: str | None
    authority: str


class Write(TypedDict):
    """A write of one key. Initial facts (`Fact`) also have a time, and writes in events have a `layer`."""

    id: str
    key: str
    value: str
    source: NotRequired[Source]
    scope: NotRequired[str]
    scope_id: NotRequired[str | None]
    supersedes: NotRequired[str | None]  # id of a fact
    depends_on: NotRequired[list[str]]
    is_constraint: NotRequired[bool]
    constraint_type: NotRequired[str | None]
    layer: NotRequired[str]


class Fact(Write):
    """A fact of the initial state."""

    ts: str
    is_valid: NotRequired[bool]


class WorkingItem(TypedDict):
    content: str
    ts: str
    item_type: NotRequired[str]
    priority: NotRequired[int]


class InitialState(TypedDict):
    identity_role: dict[str, str | None]
    persistent_facts: list[Fact]
    working_set: list[WorkingItem]
    environment: dict[str, str]


class RequiredMention(TypedDict):
    phrase: str
    alternatives: NotRequired[list[str] | None]
    is_regex: NotRequired[bool]
    kind: NotRequired[str | None]


class MustDetect(TypedDict):
    """The detections that a query of the detection track requires."""

    must_detect: list[str]  # ids of facts
    detection_evidence: NotRequired[str]


DecisionName = Literal["yes", "no", "unclear", "value"]


class TypedGold(TypedDict):
    """The typed answer to a query. Evidence: the id of a fact or write, or `E<n>` for the turn at event n, from 0."""

    decision: DecisionName
    value: NotRequired[str | None]  # as spoken; required for the decision "value"
    because: NotRequired[list[str]]  # evidence for the answer
    dead: NotRequired[list[str]]  # evidence about the question that is invalid now or always was


class GroundTruth(TypedDict):
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
    ts: str
    type: Literal["conversation_turn"]
    speaker: str
    text: str
    scope: NotRequired[str]  # place of the turn, which it enters
    scope_id: NotRequired[str | None]
    implicit_supersession: NotRequired[dict[str, str | None] | None]  # not in a public row


class StateWrite(TypedDict):
    """A structured write, of the type `supersession` if it replaces a fact."""

    ts: str
    type: Literal["state_write", "supersession"]
    writes: list[Write]


class ScopeChange(TypedDict):
    """An event that enters or leaves a place. The release has no such event."""

    ts: str
    type: Literal["scope"]
    action: Literal["enter", "leave"]
    scope: str
    scope_id: NotRequired[str | None]


class Query(TypedDict):
    """A query event. `scope` and `scope_id` name the place where the query is asked."""

    ts: str
    type: Literal["query"]
    prompt: str
    scope: NotRequired[str]
    scope_id: NotRequired[str | None]
    ground_truth: NotRequired[GroundTruth]  # not in a public row


Happening = ConversationTurn | StateWrite | ScopeChange
Event = Happening | Query


class Timeline(Row):
    """A row of StateBench: events and queries, with one row id per query."""

    initial_state: InitialState
    events: list[Event]
    version: NotRequired[str]
    timezone: NotRequired[str]  # of times without an offset; UTC by default
    actors: NotRequired[dict[str, Any]]
    # Not in a public row:
    track: NotRequired[str]
    domain: NotRequired[str]
    difficulty: NotRequired[str]
    detection_mode: NotRequired[str]
    metadata: NotRequired[dict[str, Any]]


class TimelineQuestion(Row):
    """One query of a timeline as sent to a system. `id`: see `row_id`."""

    timeline: Timeline
    query_idx: int
    question: str


class Response(Prediction, total=False):
    """A line of a file of responses."""

    timeline_id: Required[str]
    query_idx: Required[int]
    response: str  # under a typed rubric `answer` may replace it
    answer: JsonObject
    tokens_used: float | None
    latency_ms: float | None


class TypedVerdict(TypedDict):
    answered: bool  # the line has a typed answer
    value: bool | None  # the value is right; None if the gold has none
    evidence: str  # live, dead, other or none
    free_text: bool | None  # the free text is right; None without any
    note: str  # the free text was cut or is a dump; else empty


class _QueryFields(TypedDict):
    timeline_id: str
    query_idx: int
    track: str
    decision_correct: bool
    actual_decision: str | None
    mm: str  # 0 or 1 for each required phrase, in the order of the ground truth
    mnm: str  # the same for each forbidden phrase
    resurrected: bool
    kinds: dict[str, list[str]]  # kind of failure -> forbidden phrases that show it
    skipped: list[str]  # phrases that the rubric does not score
    negated: list[str]  # phrases that occur only under a negation
    tokens: int
    typed: NotRequired[TypedVerdict]  # under a typed rubric


class GradedQuery(_QueryFields):
    failure: str | None
    reason: str | None


class QueryVerdict(Verdict, _QueryFields):
    """Verdict on a query as a site stores it. A metric that does not count the query is None."""

    sfrr: int | None
    leakage: int | None
    fabrication: int | None
    false_supersession: NotRequired[int | None]  # on tracks outside the headline
    response: str | None  # the first characters
    difficulty: str
    domain: str
    length: NotRequired[str]  # scenes only
    span: NotRequired[str]


class FrozenEvidence(TypedDict):
    """A piece of evidence with its text: `key: value` of a fact or a write, or a turn verbatim."""

    id: str
    text: str
    value: NotRequired[str]  # of a fact or a write


class FrozenAnswer(TypedDict):
    decision: DecisionName
    value: str | None
    live: list[FrozenEvidence]
    dead: list[FrozenEvidence]


class QueryRecord(TypedDict):
    decision: str
    must: list[str | RequiredMention]
    must_not: list[str | RequiredMention]
    severity: str
    in_state: bool
    detects: list[str]
    answer: NotRequired[FrozenAnswer]  # absent without typed gold, and in older records


class TimelineRecord(GradingRecord):
    timeline_id: str
    track: str
    domain: str
    difficulty: str
    queries: list[QueryRecord]
    length: NotRequired[str]  # scenes only: tokens of unrelated talk, "8k"
    span: NotRequired[str]  # scenes only: "minutes" to "months"
    template: NotRequired[str]  # absent if it is the track
    lines: NotRequired[str]  # with typed gold only, see `data.dumps.line_heads`
    asked: NotRequired[list[int]]  # in a part of a version: indices of its queries


class TimelineGold(RowGold):
    track: str
    domain: str
    difficulty: str
    truths: list[GroundTruth]


def writes_of(event: Mapping[str, object] | Event) -> Sequence[Write]:
    """Writes of an event. Empty for a turn or a query."""
    writes: Sequence[Write] = cast(JsonObject, event).get("writes", ())
    return writes


def row_id(timeline_id: str, query_idx: int) -> str:
    """Id of a query: `<timeline id>#<index of the query in its timeline>`."""
    return f"{timeline_id}#{query_idx}"
