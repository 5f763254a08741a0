"""Rings again for every piece of work whose bell was lost or whose worker died."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from leaderboard import bell, leases
from leaderboard.kept import cache  # a counted limit must not go for a bell
from leaderboard.models import Run, Submission, Version

#: A fresh row was rung for a moment ago; only what has waited longer than this is rung for again.
PATIENCE = timedelta(seconds=10)
BATCH = 500
#: Work may wait for hours behind other work. It is rung for this often, so that its bells do not pile up.
BELL_LASTS_S = 120


def ring_overdue() -> int:
    """Ring for overdue work. Returns how many bells rang; ringing twice for one row is harmless."""
    runs = Run.objects.filter(status__in=Run.ACTIVE)
    versions = Version.objects.filter(status__in=[Version.Status.DRAFT, Version.Status.FREEZING])
    submissions = Submission.objects.filter(status__in=Submission.PENDING)
    return (
        _ring("execute_run", runs)
        + _ring("freeze_version", versions)
        + _ring("grade_submission", submissions)
    )


def _ring(task: str, rows: QuerySet[Any]) -> int:
    """Ring for the oldest of these rows that nobody works on and whose last bell is long ago. How many rang."""
    waiting = rows.filter(leases.free(), created_at__lt=timezone.now() - PATIENCE).order_by("created_at")
    found = list(waiting.values_list("pk", "attempts")[:BATCH])
    due = [pk for pk, tried in found if cache.add(f"rung:{task}:{pk}:{tried}", 1, BELL_LASTS_S)]
    for pk in due:
        bell.ring(task, pk if isinstance(pk, int) else str(pk))
    return len(due)
