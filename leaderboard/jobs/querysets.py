"""Filters over jobs of any kind."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Self, TypeVar

from django.conf import settings
from django.db import models
from django.db.models import Case, Q, When
from django.db.models.functions import Now

if TYPE_CHECKING:
    from leaderboard.jobs.models import Job

#: A worker renews each lease every 5 s (`leases.RENEW_EVERY_S`); a worker that misses three renewals counts as silent.
SILENT_S = 15
Row = TypeVar("Row", bound="Job")


def free() -> Q:
    """Filter for rows without a valid lease."""
    return Q(lease_until=None) | Q(lease_until__lt=Now())


def due() -> Q:
    return free() & (Q(next_attempt_at=None) | Q(next_attempt_at__lte=Now()))


def silent() -> Q:
    """Filter for rows whose lease was not renewed for `SILENT_S`: the worker may be dead."""
    spent = min(SILENT_S, settings.LEASE_SECONDS)
    return Q(lease_until__lt=Now() + timedelta(seconds=settings.LEASE_SECONDS - spent))


class JobQuerySet(models.QuerySet[Row]):
    def pending(self) -> Self:
        """Rows that wait for a worker, or that a worker processes."""
        return self.filter(status__in=(self.model.WAITS, self.model.WORKS))

    def pending_by_index(self) -> Self:
        """Like `pending`, with literals in the SQL: SQLite ignores a partial index if the values are parameters."""
        table, model = self.model._meta.db_table, self.model
        literals = f"{table}.status IN ('{model.WAITS}', '{model.WORKS}')"
        return self.extra(where=[literals])  # type: ignore[return-value] # the stubs forget the class

    def claimable(self) -> Self:
        """Due rows that wait for a worker, or whose worker's lease has expired."""
        return self.pending().filter(due())

    def waiting(self) -> Self:
        """Due rows that wait for a worker."""
        return self.filter(due(), status=self.model.WAITS)

    def with_silence(self) -> Self:
        """Annotate `is_silent`: the worker has not renewed the lease lately."""
        works = silent() & Q(status=self.model.WORKS)
        return self.annotate(is_silent=Case(When(works, then=True), default=False))

    def at_work(self) -> Self:
        """Rows that a worker holds under a valid lease."""
        return self.filter(status=self.model.WORKS, lease_until__gte=Now())
