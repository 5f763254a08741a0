"""Making a failing timeline shorter while it still fails: without an event, a fact, a note, a pointer, a place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from evaluation.statebench.conformance.checks.check import Check

Row = dict[str, Any]
Fails = Callable[[Row, int], Check | None]  # a timeline and a query of it -> the check that fails
_PLAIN: dict[str, Any] = {"supersedes": None, "depends_on": [], "expires_at": None}
_QUESTION = "What is known?"


def shortened(row: Row, query: int, fails: Fails, questions: int) -> tuple[Row, int, Check | None]:
    """The shortest timeline that was found to fail.

    Args:
        row: A timeline that fails.
        query: At which of its queries.
        fails: Asks about a timeline.
        questions: How often it may be asked.

    Returns:
        The timeline, its query, and the check that fails; None for the check where nothing could be left out.
    """
    found: Check | None = None
    place = 0  # of the next attempt: what could not be left out is tried again only after all others
    since = 0  # attempts without success
    for _ in range(questions):
        attempts = list(_attempts(row, query))
        if since >= len(attempts):
            break
        shorter, at = attempts[place % len(attempts)]
        check = fails(shorter, at)
        if check is None:
            place, since = place % len(attempts) + 1, since + 1
        else:
            row, query, found, since = shorter, at, check, 0
    return row, query, found


def _attempts(row: Row, query: int) -> Iterator[tuple[Row, int]]:
    """Every timeline that says a little less, the boldest first."""
    places = [n for n, event in enumerate(row["events"]) if event["type"] == "query"]
    asked = places[query]
    if len(places) > 1:
        yield _with_events(row, [e for n, e in enumerate(row["events"]) if n not in places or n == asked]), 0
    for n in range(len(row["events"]) - 1, -1, -1):
        if n not in places:
            yield _with_events(row, [event for m, event in enumerate(row["events"]) if m != n]), query
    for layer in ("persistent_facts", "working_set"):
        items = row["initial_state"][layer]
        for n in range(len(items)):
            initial = row["initial_state"] | {layer: items[:n] + items[n + 1 :]}
            yield row | {"initial_state": initial}, query
    for n, event in enumerate(row["events"]):
        for simpler in _simpler(event):
            yield _with_events(row, [*row["events"][:n], simpler, *row["events"][n + 1 :]]), query


def _simpler(event: Row) -> Iterator[Row]:
    """The event without one of its fields."""
    if "writes" in event:
        (written,) = event["writes"]
        for name, plain in _PLAIN.items():
            if written.get(name):
                kind = "state_write" if name == "supersedes" else event["type"]
                yield event | {"type": kind, "writes": [written | {name: plain}]}
    elif event["type"] != "scope" and event.get("scope"):
        yield {name: value for name, value in event.items() if name not in ("scope", "scope_id")}
    if event["type"] == "query" and event["prompt"] != _QUESTION:
        yield event | {"prompt": _QUESTION}


def _with_events(row: Row, events: list[Row]) -> Row:
    return row | {"events": events}


def told(row: Row) -> str:
    """A timeline in one line, for a report.

    Args:
        row: A generated timeline.
    """
    given = [f"given {_write(one)}" for one in row["initial_state"]["persistent_facts"]]
    noted = [f"noted {item['content']!r}" for item in row["initial_state"]["working_set"]]
    reader = row["initial_state"]["identity_role"]["authority"]
    return "; ".join([f"reader {reader}", *given, *noted, *map(_event, row["events"])])


def _event(event: Row) -> str:
    if event["type"] == "scope":
        return f"{event['action']} {_place(event)}"
    if event["type"] == "query":
        return f"ask {event['prompt']!r}" + (f" in {_place(event)}" if event.get("scope") else "")
    if event["type"] == "conversation_turn":
        return f"say {event['text']!r}" + (f" in {_place(event)}" if event.get("scope") else "")
    return ", ".join(_write(one) for one in event["writes"])


def _write(one: Row) -> str:
    layer = {"working_set": "note", "environment": "signal"}.get(one.get("layer", ""), "write")
    parts = [layer, f"{one['key']}={one['value']!r}"]
    parts += [f"in {_place(one)}"] if one.get("scope", "global") != "global" else []
    parts += [f"as {one['source']['authority']}"] if one.get("source") else []
    parts += [f"id {one['id']}"] if one.get("id") else []
    parts += [f"superseding {one['supersedes']}"] if one.get("supersedes") else []
    parts += [f"depending on {', '.join(one['depends_on'])}"] if one.get("depends_on") else []
    return " ".join(parts)


def _place(data: Row) -> str:
    return " ".join(filter(None, (data["scope"], data.get("scope_id"))))
