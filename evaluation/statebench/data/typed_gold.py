"""Typed gold of a query: validation, and the texts of its evidence for comparison with quotes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

from evaluation.core.checks import in_message, nearest
from evaluation.core.errors import RowError
from evaluation.statebench.data.printing import as_text
from evaluation.statebench.records import (
    Event,
    FrozenAnswer,
    FrozenEvidence,
    Timeline,
    TypedGold,
    Write,
    writes_of,
)

YES, NO, UNCLEAR, VALUE = DECISIONS = ("yes", "no", "unclear", "value")
_FIELDS = ("decision", "value", "because", "dead")
_EVENT = re.compile(r"E(\d{1,9})")


def frozen_answer(timeline: Timeline, place: int) -> FrozenAnswer | None:
    """Typed gold of the query at event `place` in stored form, or None if it has none. Raises RowError if malformed."""
    truth = cast(Mapping[str, Any], timeline["events"][place]).get("ground_truth") or {}
    if truth.get("answer") is None:
        return None
    where = f"the answer of event {place} of timeline {timeline['id']!r}"
    gold = _checked(truth["answer"], where)
    known = _Sources(timeline, place)
    return {
        "decision": gold["decision"],
        "value": gold.get("value"),
        "live": [known.evidence(name, where) for name in gold.get("because", ())],
        "dead": [known.evidence(name, where) for name in gold.get("dead", ())],
    }


def _checked(gold: Any, where: str) -> TypedGold:
    if not isinstance(gold, Mapping):
        raise RowError(f"{where} must be a JSON object, not {type(gold).__name__}")
    if unknown := [name for name in gold if name not in _FIELDS]:
        raise RowError(f"{where} has an unknown field {unknown[0]!r}.{nearest(unknown[0], _FIELDS)}")
    decision, value = gold.get("decision"), gold.get("value")
    if decision not in DECISIONS:
        raise RowError(
            f"decision of {where} must be one of {', '.join(DECISIONS)}, not {in_message(decision)}"
        )
    if value is not None and not (isinstance(value, str) and value.strip()):
        raise RowError(f"value of {where} must be a text that is not blank, or null, not {in_message(value)}")
    if decision == VALUE and value is None:
        raise RowError(f"{where} needs a value for its decision {VALUE!r}")
    for name in ("because", "dead"):
        ids = gold.get(name, [])
        if not isinstance(ids, list) or not all(isinstance(each, str) for each in ids):
            raise RowError(f"{name} of {where} must be a list of ids")
    if both := set(gold.get("because", ())) & set(gold.get("dead", ())):
        raise RowError(f"{where} names {min(both)!r} as live and as dead")
    return cast(TypedGold, gold)


class _Sources:
    """Possible evidence of a query: facts, writes and turns before the query."""

    def __init__(self, timeline: Timeline, place: int) -> None:
        self._events = timeline["events"][:place]
        self._writes: dict[str, list[Write]] = {}
        written = [write for event in self._events for write in writes_of(event)]
        for write in (*timeline["initial_state"]["persistent_facts"], *written):
            self._writes.setdefault(str(write.get("id")), []).append(write)

    def evidence(self, name: str, where: str) -> FrozenEvidence:
        """The evidence with an id. Raises RowError if the id is unknown or ambiguous."""
        found = self._writes.get(name, [])
        if len(found) > 1:
            raise RowError(f"{where} names {name!r}, which is the id of {len(found)} facts")
        if found:
            value = as_text(found[0]["value"])
            return {"id": name, "text": f"{found[0]['key']}: {value}", "value": value}
        if (turn := self._turn(name)) is None:
            turns = [f"E{n}" for n, event in enumerate(self._events) if event["type"] == "conversation_turn"]
            hint = nearest(name, [*self._writes, *turns])
            raise RowError(
                f"{where} names {name!r}, which is not a fact, write or turn before the query.{hint}"
            )
        return {"id": name, "text": turn}

    def _turn(self, name: str) -> str | None:
        match = _EVENT.fullmatch(name)
        event: Event | None = (
            self._events[int(match[1])] if match and int(match[1]) < len(self._events) else None
        )
        return event["text"] if event and event["type"] == "conversation_turn" else None
