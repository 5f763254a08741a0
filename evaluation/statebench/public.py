"""Public timelines: events and queries without ground truth, and a check that they contain nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import cast

from evaluation.statebench.records import Timeline, writes_of

#: Fields of a timeline in release format that are removed.
HIDDEN = ("detection_mode", "metadata")
LABELS = ("track", "difficulty", "domain")
HIDDEN_OF_EVENTS = ("ground_truth", "implicit_supersession")
#: Fields that a system reads.
TEXTS = ("initial_state", "events")
FIELDS = frozenset({"id", "version", "actors", *TEXTS})
_FACT = {
    "id",
    "key",
    "value",
    "source",
    "scope",
    "scope_id",
    "supersedes",
    "depends_on",
    "is_constraint",
    "constraint_type",
}
_FIELDS_OF = {
    "conversation_turn": {"type", "ts", "speaker", "text", "scope", "scope_id"},
    "state_write": {"type", "ts", "writes"},
    "supersession": {"type", "ts", "writes"},
    "scope": {"type", "ts", "action", "scope", "scope_id"},
    "query": {"type", "ts", "prompt", "scope", "scope_id"},
}
_FACT_ID = re.compile(r"[FW]-[0-9]{3,}")
TIMELINE = "timeline"


def public_row(row: Timeline, *, labels: bool) -> Timeline:
    """Copy a timeline without ground truth, labels of supersessions and metadata. If `labels` is True, keep LABELS."""
    hidden = HIDDEN if labels else (*HIDDEN, *LABELS)
    kept = {name: value for name, value in row.items() if name not in hidden}
    events = [
        {name: value for name, value in event.items() if name not in HIDDEN_OF_EVENTS}
        for event in row["events"]
    ]
    return cast(Timeline, kept | {"events": events})


def overtold(row: Timeline) -> Iterator[str]:
    """Name each item that a public timeline contains but must not contain."""
    yield from (f"the field {name!r}" for name in row.keys() - FIELDS)
    if row.get("version") != "1.0":
        yield "the version"
    facts = row["initial_state"]["persistent_facts"]
    for event in row["events"]:
        allowed = _FIELDS_OF.get(event["type"], set())
        yield from (f"{name!r} of an event" for name in event.keys() - allowed)
        yield from _overtold_in(writes_of(event), _FACT | {"layer"})
    yield from _overtold_in(facts, _FACT | {"ts", "is_valid"})


def _overtold_in(facts: Iterable[Mapping[str, object]], allowed: set[str]) -> Iterator[str]:
    for fact in facts:
        yield from (f"{name!r} of a fact" for name in fact.keys() - allowed)
        if not _FACT_ID.fullmatch(str(fact.get("id"))):
            yield "the id of a fact"
