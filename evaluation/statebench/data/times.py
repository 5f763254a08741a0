"""Times as moments: an offset counts; a time without one is in the timeline's `timezone`, UTC where it names none."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo

from evaluation.core.errors import RowError

BEFORE_ALL = float("-inf")


@lru_cache(maxsize=65536)
def moment(ts: str, zone: str = "") -> float:
    """Seconds since 1970 of an ISO time; `BEFORE_ALL` for an empty text.

    Args:
        ts: The time, with an offset or without.
        zone: The name of the time zone where it has no offset, "Europe/Berlin"; UTC where empty.

    Raises:
        RowError: The time is no ISO time, or the zone is unknown.
    """
    if not ts:
        return BEFORE_ALL
    try:
        time = datetime.fromisoformat(ts)
    except ValueError as error:
        raise RowError(f"not an ISO time: {ts!r}") from error
    return (time if time.tzinfo else time.replace(tzinfo=time_zone(zone))).timestamp()


@lru_cache(maxsize=1024)
def time_zone(name: str) -> tzinfo:
    """The time zone of an IANA name, UTC for an empty one. Raises RowError for an unknown one."""
    if not name:
        return UTC
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:  # no zone is called that, or the name is no path of one
        raise RowError(f"unknown time zone: {name!r}") from error
