"""Deaths and delays of workers, as the database sees them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db.models.functions import Now

from leaderboard.jobs import leases


def rows_of(row: Any) -> Any:
    return type(row)._default_manager.filter(pk=row.pk)


def fresh(row: Any) -> Any:
    """The row, read again from the database."""
    return rows_of(row).get()


def die(row: Any) -> None:
    """Let the row's worker be gone, and its lease run out."""
    assert rows_of(row).exclude(lease_until=None).update(lease_until=Now() - timedelta(seconds=1))


def taken_by_another(row: Any) -> leases.Lease:
    """Let the lease run out, and another worker take the row."""
    die(row)
    lease = leases.claim(rows_of(row), status=row.WORKS)
    assert lease is not None
    return lease


def wait_is_over(row: Any) -> None:
    """Let the time pass that the row has to wait."""
    rows_of(row).update(next_attempt_at=Now() - timedelta(seconds=1))


def seconds_to_wait(row: Any) -> int:
    """How long a row still waits, by the database's clock."""
    result = rows_of(row).annotate(now=Now()).get()
    return round((result.next_attempt_at - result.now).total_seconds()) if result.next_attempt_at else 0
