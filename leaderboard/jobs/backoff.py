"""How long work waits before it is tried again, and what its owner reads meanwhile."""

from __future__ import annotations

from datetime import timedelta

#: The waits, each longer than the one before: seconds for what passes at once, half a day for what does not.
BACKOFF = [timedelta(seconds=s) for s in (15, 60, 300, 900, 3600, 3 * 3600, 6 * 3600, 12 * 3600)]
#: A storage that is away is asked for at least this often, so that work goes on soon after it is back.
RAREST_AFTER_FAULTS = timedelta(hours=1)
#: What so many workers died of is given up: the first death and the last cost no time, the others all of BACKOFF.
MAX_ATTEMPTS = len(BACKOFF) + 2


def after_fault(faults: int) -> timedelta:
    """How long to wait after so many faults of the platform in a row."""
    return min(after_error(faults), RAREST_AFTER_FAULTS)


def after_error(attempts: int) -> timedelta:
    """How long to wait after so many attempts that ended with an error."""
    return BACKOFF[min(attempts, len(BACKOFF)) - 1]


def after_death(attempts: int) -> timedelta:
    """How long to wait after so many deaths. The lease had to run out before, so the first costs no more time."""
    tries_left = 1 < attempts < MAX_ATTEMPTS
    return BACKOFF[attempts - 2] if tries_left else timedelta(0)


def waiting(reason: str) -> str:
    """The message for the owner of waiting work."""
    return f"Waiting: {reason}. It is tried again automatically."


def nth(number: int) -> str:
    """`3` -> `third`; from four on `4th`."""
    return {1: "first", 2: "second", 3: "third"}.get(number, f"{number}th")
