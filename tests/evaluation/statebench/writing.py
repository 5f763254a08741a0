"""Shorthand for timelines in release format; times are filled in by order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evaluation.statebench.conformance.model.timelines import Event, at, fact, say, timeline

__all__ = ["Event", "at", "enter", "fact", "leave", "say", "supersede", "timeline", "write"]


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
    """An event that enters a place.

    Args:
        scope: Its kind.
        scope_id: Its id.

    Returns:
        An event without its time.
    """
    return _moved("enter", scope, scope_id)


def leave(scope: str, scope_id: str | None = None) -> Event:
    """An event that leaves a place.

    Args:
        scope: Its kind.
        scope_id: Its id.

    Returns:
        An event without its time.
    """
    return _moved("leave", scope, scope_id)


def _moved(action: str, scope: str, scope_id: str | None) -> Event:
    return {"type": "scope", "action": action, "scope": scope, "scope_id": scope_id}


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
