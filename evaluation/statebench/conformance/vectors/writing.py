"""A short hand for timelines in release format; times are filled in by order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

Event = dict[str, Any]

_START = datetime(2026, 1, 5, 9, 0)
_STEP = timedelta(minutes=3)


def at(number: int) -> str:
    """The ISO time of the event of that number, counted from 0."""
    return (_START + _STEP * (number + 1)).isoformat()


def say(text: str, speaker: str = "user") -> Event:
    """A conversation turn.

    Args:
        text: What is said.
        speaker: Who says it, `user` or `assistant`.

    Returns:
        An event without its time.
    """
    return {"type": "conversation_turn", "speaker": speaker, "text": text, "implicit_supersession": None}


def write(key: str, value: Any, *, layer: str = "persistent_facts", **fields: Any) -> Event:
    """A state write.

    Args:
        key: The key written.
        value: Its value, any JSON value.
        layer: The layer it is written to.
        fields: id, authority, type, scope, scope_id, depends_on, expires_at.

    Returns:
        An event without its time.
    """
    return {"type": "state_write", "writes": [_write(key, value, layer, None, fields)]}


def supersede(key: str, value: str, *, of: str, **fields: Any) -> Event:
    """A write that names what it supersedes.

    Args:
        key: The key written.
        value: Its value.
        of: The id or key of what it supersedes.
        fields: As of `write`.

    Returns:
        An event without its time.
    """
    return {"type": "supersession", "writes": [_write(key, value, "persistent_facts", of, fields)]}


def enter(scope: str, scope_id: str | None = None) -> Event:
    """A place is entered.

    Args:
        scope: Its kind.
        scope_id: Which of its kind.

    Returns:
        An event without its time.
    """
    return _moved("enter", scope, scope_id)


def leave(scope: str, scope_id: str | None = None) -> Event:
    """A place is left.

    Args:
        scope: Its kind.
        scope_id: Which of its kind.

    Returns:
        An event without its time.
    """
    return _moved("leave", scope, scope_id)


def _moved(action: str, scope: str, scope_id: str | None) -> Event:
    return {"type": "scope", "action": action, "scope": scope, "scope_id": scope_id}


def fact(
    key: str, value: str, *, type: str = "user", authority: str = "peer", **fields: Any
) -> dict[str, Any]:
    """A fact of the initial state.

    Args:
        key: Its key.
        value: Its value.
        type: The type of its source.
        authority: The authority of its source.
        fields: id, scope, depends_on.

    Returns:
        The fact in release format.
    """
    return {
        "id": fields.get("id", f"F-{key.upper()}"),
        "key": key,
        "value": value,
        "source": {"type": type, "identity": None, "authority": authority},
        "ts": _START.isoformat(),
        "supersedes": None,
        "superseded_by": None,
        "is_valid": True,
        "scope": fields.get("scope", "global"),
        "depends_on": list(fields.get("depends_on", ())),
        "derived_facts": [],
        "is_constraint": False,
        "constraint_type": None,
    }


def timeline(
    *events: Event,
    query: str,
    facts: Sequence[dict[str, Any]] = (),
    notes: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    reader: str = "Manager",
    permissions: Sequence[str] = (),
    asked_in: tuple[str, str] | None = None,
) -> dict[str, Any]:
    """A timeline that ends in a query without ground truth.

    Args:
        events: What happens before the query, in order.
        query: What is asked.
        facts: The facts of the initial state.
        notes: The working set at the start.
        environment: Values of the environment beside the time.
        reader: The authority of who asks.
        permissions: What they may see beside that.
        asked_in: The scope and scope_id that the query names in its fields.

    Returns:
        The timeline in release format, every event with its time.
    """
    named = dict(zip(("scope", "scope_id"), asked_in, strict=True)) if asked_in else {}
    asked: list[Event] = [*events, {"type": "query", "prompt": query, **named}]
    timed = [{"ts": at(n), **event} for n, event in enumerate(asked)]
    identity: dict[str, Any] = {
        "user_name": "Robin",
        "authority": reader,
        "department": "Operations",
        "organization": "TestCorp",
    }
    if permissions:
        identity["permissions"] = list(permissions)
    scratch = [
        {"item_type": "context", "content": note, "ts": _START.isoformat(), "priority": 0} for note in notes
    ]
    return {
        "id": "CONFORMANCE",
        "version": "1.0",
        "domain": "project",
        "track": "supersession",
        "difficulty": "easy",
        "detection_mode": "explicit",
        "actors": {"user": {"id": "u1", "role": reader, "org": "testcorp"}, "assistant_role": "AI_Agent"},
        "initial_state": {
            "identity_role": identity,
            "persistent_facts": list(facts),
            "working_set": scratch,
            "environment": {"now": _START.isoformat(), **(environment or {})},
        },
        "events": timed,
        "metadata": None,
    }


def _write(key: str, value: Any, layer: str, of: str | None, fields: Mapping[str, Any]) -> dict[str, Any]:
    written = {
        "id": fields.get("id", "W-AUTO"),
        "layer": layer,
        "key": key,
        "value": value,
        "source": {
            "type": fields.get("type", "user"),
            "identity": None,
            "authority": fields.get("authority", "peer"),
        },
        "scope": fields.get("scope", "global"),
        "supersedes": of,
        "depends_on": list(fields.get("depends_on", ())),
        "is_constraint": False,
        "constraint_type": None,
    }
    return written | {name: fields[name] for name in ("expires_at", "scope_id") if name in fields}
