"""Rings again for every piece of work whose bell was lost or whose worker died."""

from __future__ import annotations

from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from leaderboard import leases
from leaderboard.models import Run, Submission, Version
from leaderboard.tasks import enqueue, execute_run, freeze_version, grade_submission

#: A fresh row was rung for a moment ago; only what has waited longer than this is rung for again.
PATIENCE = timedelta(seconds=10)
BATCH = 500


def ring_overdue() -> int:
    """Ring for overdue work. Returns how many bells rang; ringing twice for one row is harmless."""
    waiting = leases.free() & Q(created_at__lt=timezone.now() - PATIENCE)
    due = Submission.objects.filter(waiting, status__in=Submission.PENDING).order_by("created_at")
    submissions = list(due.values_list("pk", flat=True)[:BATCH])
    unfinished = [Version.Status.DRAFT, Version.Status.FREEZING]
    versions = list(Version.objects.filter(waiting, status__in=unfinished).values_list("pk", flat=True)[:BATCH])
    runs = list(Run.objects.filter(waiting, status__in=Run.ACTIVE).values_list("pk", flat=True)[:BATCH])
    for run in runs:
        enqueue(execute_run, str(run))
    for version in versions:
        enqueue(freeze_version, version)
    for submission in submissions:
        enqueue(grade_submission, str(submission))
    return len(submissions) + len(versions) + len(runs)
