"""Questions over jobs of any kind."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Self, TypeVar

from django.conf import settings
from django.db import models
from django.db.models import Case, Q, When
from django.db.models.functions import Now

if TYPE_CHECKING:
    from leaderboard.jobs.models import Job

#: A worker renews each lease every 5 s (`leases.RENEW_EVERY_S`); one that misses three renewals is silent.
SILENT_S = 15
Row = TypeVar("Row", bound="Job")


def free() -> Q:
    """Rows that nobody works on: never leased, or the lease ran out."""
    return Q(lease_until=None) | Q(lease_until__lt=Now())


def due() -> Q:
    """Rows that a worker may take now."""
    return free() & (Q(next_attempt_at=None) | Q(next_attempt_at__lte=Now()))


def silent() -> Q:
    """Rows at work whose worker has renewed no lease for `SILENT_S`: it may be gone."""
    spent = min(SILENT_S, settings.LEASE_SECONDS)
    return Q(lease_until__lt=Now() + timedelta(seconds=settings.LEASE_SECONDS - spent))


class JobQuerySet(models.QuerySet[Row]):
    """What waits, what may be taken, and what is being worked on."""

    def pending(self) -> Self:
        """What is not done: it waits, or a worker has it."""
        return self.filter(status__in=(self.model.WAITS, self.model.WORKS))

    def claimable(self) -> Self:
        """Pending and due: waiting for a worker, or left behind by one whose lease ran out."""
        return self.pending().filter(due())

    def waiting(self) -> Self:
        """Waiting for a worker, and due."""
        return self.filter(due(), status=self.model.WAITS)

    def with_silence(self) -> Self:
        """Each with `is_silent`: whether the worker that has it has not been heard of for a while."""
        works = silent() & Q(status=self.model.WORKS)
        return self.annotate(is_silent=Case(When(works, then=True), default=False))

    def at_work(self) -> Self:
        """In the hands of a worker whose lease runs."""
        return self.filter(status=self.model.WORKS, lease_until__gte=Now())
