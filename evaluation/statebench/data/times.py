"""Timestamps as seconds. A time without an offset is in the timeline's `timezone`, by default UTC."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo

from evaluation.core.errors import RowError

BEFORE_ALL = float("-inf")


@lru_cache(maxsize=65536)
def moment(ts: str, zone: str = "") -> float:
    """Seconds since 1970 of an ISO time, or `BEFORE_ALL` if empty. `zone`: IANA name, UTC if empty. Raises RowError."""
    if not ts:
        return BEFORE_ALL
    try:
        time = datetime.fromisoformat(ts)
    except ValueError as error:
        raise RowError(f"not an ISO time: {ts!r}") from error
    return (time if time.tzinfo else time.replace(tzinfo=time_zone(zone))).timestamp()


@lru_cache(maxsize=1024)
def time_zone(name: str) -> tzinfo:
    """Time zone with an IANA name, or UTC if the name is empty. Raises RowError for an unknown name."""
    if not name:
        return UTC
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:  # unknown zone, or a name that is not a valid path
        raise RowError(f"unknown time zone: {name!r}") from error
