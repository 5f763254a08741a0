"""Ground truth of a query, read once from a timeline in release format."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evaluation.core.errors import RowError
from evaluation.core.records import JsonObject
from evaluation.statebench.data.dumps import line_heads
from evaluation.statebench.data.typed_gold import frozen_answer
from evaluation.statebench.records import (
    FrozenAnswer,
    GroundTruth,
    QueryRecord,
    RequiredMention,
    Timeline,
    TimelineRecord,
)

SUPERSEDED, RESTRICTED, FABRICATED, OTHER = "superseded", "restricted", "fabricated", "other"

# Track -> kind of its forbidden phrases if the phrase names none (statebench 2.0.0).
KIND_OF_TRACK: dict[str, str] = {
    "authority_hierarchy": SUPERSEDED,
    "authority_maintain": SUPERSEDED,
    "brutal_realistic": SUPERSEDED,
    "causality": SUPERSEDED,
    "commitment_durability": SUPERSEDED,
    "enterprise_privacy": RESTRICTED,
    "environmental_freshness": SUPERSEDED,
    "hallucination_resistance": FABRICATED,
    "interruption_resumption": OTHER,
    "repair_propagation": SUPERSEDED,
    "scope_leak": RESTRICTED,
    "scope_permission": RESTRICTED,
    "supersession": SUPERSEDED,
    "supersession_detection": SUPERSEDED,
    "supersession_maintain": SUPERSEDED,
}
_DETECTED = re.compile(r"must detect supersession of: \[(.*?)\]", re.IGNORECASE)
_QUOTED = re.compile(r"'([^']+)'|\"([^\"]+)\"")


@dataclass(frozen=True, slots=True)
class Mention:
    """A phrase that a response must, or must not, contain. Each of the `alternatives` counts like `phrase`."""

    phrase: str
    alternatives: tuple[str, ...] = ()
    is_regex: bool = False
    kind: str | None = None


@dataclass(frozen=True, slots=True)
class Truth:
    """Ground truth of a query. `in_state`: the timeline's text contains `decision`. `detects`: fact ids to detect."""

    timeline_id: str
    index: int
    track: str
    domain: str
    difficulty: str
    decision: str
    must: tuple[Mention, ...]
    must_not: tuple[Mention, ...]
    severity: str
    in_state: bool
    detects: tuple[str, ...]
    template: str = ""  # empty: the track
    answer: FrozenAnswer | None = None  # typed gold
    length: str = ""  # scenes only: tokens of unrelated talk
    span: str = ""  # scenes only: span of time
    lines: str = ""  # only with typed gold, see `data.dumps.line_heads`

    @property
    def key(self) -> tuple[str, int]:
        return self.timeline_id, self.index

    @property
    def parts(self) -> tuple[str, ...]:
        """The values by which boards can filter the query: its track and, if known, length, domain and time span."""
        return (self.track, self.length, self.domain, self.span) if self.span else (self.track,)

    @property
    def unit(self) -> str:
        """Unit for resampling: track and template, because timelines of one template are copies."""
        return f"{self.track}/{self.template}" if self.template else self.track

    def kind(self, mention: Mention) -> str:
        """Kind of failure if a response has the forbidden mention: superseded, restricted, fabricated or other."""
        if mention.kind and mention.kind != OTHER:
            return mention.kind
        return KIND_OF_TRACK.get(self.track, OTHER)


def record(timeline: Timeline) -> TimelineRecord:
    """Compact grading record of a timeline. Raises RowError for unusable ground truth."""
    state = _state_text(timeline)
    queries = [
        _query(event["ground_truth"], state, timeline, place)
        for place, event in enumerate(timeline["events"])
        if event["type"] == "query"
    ]
    made: TimelineRecord = {
        "timeline_id": timeline["id"],
        "track": timeline["track"],
        "domain": timeline["domain"],
        "difficulty": timeline["difficulty"],
        "queries": queries,
    }
    if (template := template_of(timeline)) != timeline["track"]:  # older records have no such field
        made["template"] = template
    about = timeline.get("metadata") or {}
    if about.get("span"):  # of scenes
        made["length"], made["span"] = about["length"], about["span"]
    if any("answer" in query for query in queries):
        made["lines"] = line_heads(timeline)
    return made


def template_of(timeline: Timeline) -> str:
    """Template of a timeline: `metadata.template_id`, as the generator writes it, else its track.

    The published release names no templates, and each track has one or a few stories with changed names. The track is
    therefore the cautious choice: no interval becomes too narrow.
    """
    named = (timeline.get("metadata") or {}).get("template_id")
    return named if isinstance(named, str) and named else timeline["track"]


def read_record(data: TimelineRecord) -> list[Truth]:
    """Ground truths of a record, one per query in order. If the record has `asked`, only the queries listed there."""
    asked = data.get("asked")
    return [
        Truth(
            timeline_id=data["timeline_id"],
            index=index,
            track=data["track"],
            domain=data["domain"],
            difficulty=data["difficulty"],
            decision=query["decision"],
            must=tuple(_mention(item) for item in query["must"]),
            must_not=tuple(_mention(item) for item in query["must_not"]),
            severity=query["severity"],
            in_state=query["in_state"],
            detects=tuple(query["detects"]),
            template=data.get("template", ""),
            answer=query.get("answer"),
            length=data.get("length", ""),
            span=data.get("span", ""),
            lines=data.get("lines", ""),
        )
        for index, query in enumerate(data["queries"])
        if asked is None or index in asked
    ]


def truths(timelines: Iterable[Timeline]) -> list[Truth]:
    return [truth for timeline in timelines for truth in read_record(record(timeline))]


def _query(truth: GroundTruth | None, state: str, timeline: Timeline, place: int) -> QueryRecord:
    if not isinstance(truth, Mapping):
        raise RowError(f"timeline {timeline['id']!r}: a query has no ground_truth, so it cannot be graded")
    decision = truth["decision"]
    detection = timeline["track"] == "supersession_detection"
    made: QueryRecord = {
        "decision": decision,
        "must": truth["must_mention"],
        "must_not": truth["must_not_mention"],
        "severity": truth.get("failure_severity") or "medium",
        "in_state": bool(decision) and decision.lower() in state,
        "detects": _must_detect(truth) if detection else [],
    }
    if answer := frozen_answer(timeline, place):  # older records have no such field
        made["answer"] = answer
    return made


def _mention(item: str | RequiredMention) -> Mention:
    if isinstance(item, str):
        return Mention(item)
    alternatives = tuple(item.get("alternatives") or ())
    return Mention(item["phrase"], alternatives, bool(item.get("is_regex")), item.get("kind"))


def _must_detect(truth: GroundTruth) -> list[str]:
    """Ids of facts to detect: from `supersession_detection`, else from `reasoning`, as in release 1.0."""
    if field := truth.get("supersession_detection"):
        return list(field.get("must_detect") or [])
    match = _DETECTED.search(truth.get("reasoning") or "")
    return [single or double for single, double in _QUOTED.findall(match[1])] if match else []


def _state_text(timeline: Timeline) -> str:
    initial = timeline["initial_state"]
    values = [str(fact["value"]) for fact in initial["persistent_facts"]]
    values += [str(value) for value in initial["environment"].values()]
    events: Iterable[JsonObject] = timeline["events"]
    for event in events:
        values += [event["text"]] if event["type"] == "conversation_turn" else []
        values += [str(write["value"]) for write in event.get("writes", ())]
    return "\n".join(values).lower()
