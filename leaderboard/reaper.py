"""Rings again for every piece of work whose bell was lost or whose worker died."""

from __future__ import annotations

from datetime import timedelta

from django.core.cache import cache
from django.db.models import Q
from django.utils import timezone

from leaderboard import bell, leases
from leaderboard.models import Run, Submission, Version

#: A fresh row was rung for a moment ago; only what has waited longer than this is rung for again.
PATIENCE = timedelta(seconds=10)
BATCH = 500
#: A run may wait for hours behind another one. It is rung for this often, so that its bells do not pile up.
RUN_PATIENCE_S = 120


def ring_overdue() -> int:
    """Ring for overdue work. Returns how many bells rang; ringing twice for one row is harmless."""
    waiting = leases.free() & Q(created_at__lt=timezone.now() - PATIENCE)
    due = Submission.objects.filter(waiting, status__in=Submission.PENDING).order_by("created_at")
    submissions = list(due.values_list("pk", flat=True)[:BATCH])
    unfinished = [Version.Status.DRAFT, Version.Status.FREEZING]
    versions = list(
        Version.objects.filter(waiting, status__in=unfinished).values_list("pk", flat=True)[:BATCH]
    )
    idle_runs = Run.objects.filter(waiting, status__in=Run.ACTIVE).values_list("pk", "attempts")[:BATCH]
    runs = [pk for pk, attempts in idle_runs if cache.add(f"rung:{pk}:{attempts}", 1, RUN_PATIENCE_S)]
    for run in runs:
        bell.ring("execute_run", str(run))
    for version in versions:
        bell.ring("freeze_version", version)
    for submission in submissions:
        bell.ring("grade_submission", str(submission))
    return len(submissions) + len(versions) + len(runs)
