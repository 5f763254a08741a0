"""Reads and checks timelines in release format. Errors name the missing field and the record that lacks it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from evaluation.core import jsonl
from evaluation.core.errors import RowError
from evaluation.statebench.data.times import time_zone
from evaluation.statebench.data.typed_gold import frozen_answer
from evaluation.statebench.facts.scopes import GLOBAL, scope_from
from evaluation.statebench.records import Timeline

_REQUIRED = ("id", "initial_state", "events")
_LABELS = ("track", "domain", "difficulty")
_STATE = ("identity_role", "persistent_facts", "working_set", "environment")
_EVENTS = {
    "conversation_turn": ("ts", "speaker", "text"),
    "state_write": ("ts", "writes"),
    "supersession": ("ts", "writes"),
    "scope": ("ts", "action", "scope"),
    "query": ("ts", "prompt"),
}
_ACTIONS = ("enter", "leave")
_WRITE = ("layer", "key", "value")
_FACT = ("id", "key", "value", "ts")
_ITEM = ("content", "ts")
_TEXTS = frozenset(("type", "ts", "speaker", "text", "prompt", "layer", "key", "content", "action", "scope"))


def read_timelines(path: str | Path, *, graded: bool = True) -> Iterator[Timeline]:
    """Yield the timelines of a file, checked by `check_timeline`. Raises RowError with the line of a fault."""
    for number, row in jsonl.read_numbered(path):
        try:
            check_timeline(row, graded=graded)
        except RowError as error:
            raise RowError(error.reason, path=str(path), line=number) from error
        yield cast(Timeline, row)


def check_timeline(row: Any, *, graded: bool = True) -> None:
    """Raise RowError if a row is not a timeline or, with `graded`, if labels or ground truth are missing or invalid."""
    _has(row, (*_REQUIRED, *_LABELS) if graded else _REQUIRED, "a timeline")
    name = f"timeline {row['id']!r}"
    if not isinstance(zone := row.get("timezone") or "", str):
        raise RowError(f"timezone of {name} must be a text, not {type(zone).__name__}")
    time_zone(zone)
    state, where = row["initial_state"], f"the initial_state of {name}"
    _has(state, _STATE, where)
    _has(state["identity_role"], (), f"identity_role in {where}")
    _has(state["environment"], (), f"environment in {where}")
    for fact in _list(state["persistent_facts"], f"persistent_facts in {where}"):
        _has(fact, _FACT, f"a fact of {name}")
    for item in _list(state["working_set"], f"working_set in {where}"):
        _has(item, _ITEM, f"an item of the working set of {name}")
    for index, event in enumerate(_list(row["events"], f"events of {name}")):
        _check_event(event, f"event {index} of {name}", graded=graded)
    if not any(event["type"] == "query" for event in row["events"]):
        raise RowError(f"{name} has no query")
    for place, event in enumerate(row["events"] if graded else ()):
        if event["type"] == "query":
            frozen_answer(row, place)


def _check_event(event: Any, where: str, *, graded: bool) -> None:
    _has(event, ("type",), where)
    if event["type"] not in _EVENTS:
        raise RowError(f"{where} has an unknown type {event['type']!r}; known: {', '.join(_EVENTS)}")
    _has(event, _EVENTS[event["type"]], where)
    for write in _list(event.get("writes", []), f"writes of {where}"):
        _has(write, _WRITE, f"a write of {where}")
    if event["type"] == "scope":
        _check_scope(event, where)
    if graded and event["type"] == "query":
        _has(event, ("ground_truth",), where)
        _has(
            event["ground_truth"],
            ("decision", "must_mention", "must_not_mention"),
            f"the ground truth of {where}",
        )


def _check_scope(event: Any, where: str) -> None:
    if event["action"] not in _ACTIONS:
        raise RowError(f"action of {where} must be {' or '.join(_ACTIONS)}, not {event['action']!r}")
    if scope_from(event["scope"]) == GLOBAL:
        raise RowError(f"{where} must name a scope other than global, which cannot be entered or left")


def _has(data: Any, names: tuple[str, ...], where: str) -> None:
    if not isinstance(data, Mapping):
        raise RowError(f"{where} must be a JSON object, not {type(data).__name__}")
    if missing := [name for name in names if name not in data]:
        raise RowError(f"{where} lacks {', '.join(missing)}")
    for name in names:
        if name in _TEXTS and not isinstance(data[name], str):
            raise RowError(f"{name} of {where} must be a text, not {type(data[name]).__name__}")


def _list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise RowError(f"{where} must be a list, not {type(value).__name__}")
    return value
