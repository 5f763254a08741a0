"""Rings again for every piece of work whose bell was lost, whose worker died, or that has waited long enough."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any

from django.db import Error as DatabaseTrouble
from django.db import connection
from django.db.models import QuerySet
from django.db.models.functions import Now

from leaderboard import bell, leases
from leaderboard.kept import cache  # a counted limit must not go for a bell
from leaderboard.models import Run, Submission, Version

log = logging.getLogger(__name__)
#: A fresh row was rung for a moment ago; only what has waited longer than this is rung for again.
PATIENCE = timedelta(seconds=10)
BATCH = 500
#: Work may wait for hours behind other work. It is rung for this often, so that its bells do not pile up.
BELL_LASTS_S = 120


def forgive_ours() -> None:
    """This worker was told to stop: what it is killed in the middle of, has not killed it."""
    try:
        leases.forgive(Submission, Version, Run)
    except DatabaseTrouble as error:
        log.warning("attempts were not given back: %s", error)
    finally:
        connection.close()  # of the thread that this runs in


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
    """Ring for the oldest of these rows that are due and whose last bell is long ago. How many rang."""
    leases.recover(rows)
    waiting = rows.filter(leases.due(), created_at__lt=Now() - PATIENCE).order_by("created_at")
    found = list(waiting.values_list("pk", "lease_token")[:BATCH])  # the token: of who tried it before
    due = [pk for pk, last in found if _is_first(f"rung:{task}:{pk}:{last}")]
    for pk in due:
        bell.ring(task, pk if isinstance(pk, int) else str(pk))
    return len(due)


def _is_first(bell_of: str) -> bool:
    """Whether this bell has not rung a moment ago. Where the cache is away it rings: better twice than never."""
    try:
        return bool(cache.add(bell_of, 1, BELL_LASTS_S))
    except Exception as error:
        log.warning("the cache is away (%s): every bell rings", error)
        return True
