"""Waiting times between attempts of a job, and the message that its owner sees while it waits."""

from __future__ import annotations

from datetime import timedelta

#: From seconds, for short faults, to half a day, for long ones.
BACKOFF = [timedelta(seconds=s) for s in (15, 60, 300, 900, 3600, 3 * 3600, 6 * 3600, 12 * 3600)]
#: Upper bound after platform faults, so that work resumes soon after a storage is back.
RAREST_AFTER_FAULTS = timedelta(hours=1)
#: Deaths of workers after which a job fails. There is no wait after the first; each later one waits longer.
MAX_ATTEMPTS = len(BACKOFF) + 2


def after_fault(faults: int) -> timedelta:
    """Waiting time after the given number of consecutive platform faults."""
    return min(after_error(faults), RAREST_AFTER_FAULTS)


def after_error(attempts: int) -> timedelta:
    """Waiting time after the given number of attempts that ended with an error."""
    return BACKOFF[min(attempts, len(BACKOFF)) - 1]


def after_death(attempts: int) -> timedelta:
    """Waiting time after this many worker deaths. Zero after the first, as the job waited until its lease ended."""
    tries_left = 1 < attempts < MAX_ATTEMPTS
    return BACKOFF[attempts - 2] if tries_left else timedelta(0)


def waiting(reason: str) -> str:
    return f"Waiting: {reason}. The next attempt starts automatically."


def nth(number: int) -> str:
    return {1: "first", 2: "second", 3: "third"}.get(number, f"{number}th")
