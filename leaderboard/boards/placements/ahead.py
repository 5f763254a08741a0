"""Computes ranks in a worker when a submission is graded, before a reader asks for the ranks.

A grading marks its version and queues one task, which claims the mark and computes the ranks. The task waits, up to
`PATIENCE`, while submissions of the version are still being graded.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from django.utils import timezone

from leaderboard.boards.models import DuePlacements
from leaderboard.jobs import dispatch
from leaderboard.submissions import signals
from leaderboard.submissions.models import Submission
from leaderboard.web.results_cache import cache

TASK = "place_version"
#: Long enough for the gradings of a batch to share a computation, short enough that readers do not notice.
DELAY_S = 5
#: While gradings of a version go on, its board is computed this often: each further grading makes the result stale.
#: A thousand gradings take some ten minutes.
PATIENCE = timedelta(minutes=3)
#: A computation that was requested and never started is requested again after this.
LOST_AFTER_S = 90
#: A board of 1,000 systems takes seconds; a worker silent for longer is taken to be gone.
AT_WORK_S = 120


def connect() -> None:
    signals.landed.connect(plan, dispatch_uid="placements are computed ahead")


def plan(*, version_id: int, **_: Any) -> None:
    """Queue the computation of a version's placements after the commit, once for several signals in one transaction."""
    dispatch.on_commit(lambda: mark(version_id))


def ask(version_id: int) -> None:
    """Request placements that are missing on a page, at most once per `LOST_AFTER_S`."""
    # The worker sets the mark: reading a page writes nothing to the database.
    if cache.add(f"placements-asked:{version_id}", 1, LOST_AFTER_S):
        dispatch.enqueue("mark_placements", version_id)


def mark(version_id: int) -> None:
    """Mark a version whose placements must be computed, and queue a task unless it is already marked."""
    _, is_first = DuePlacements.objects.get_or_create(version_id=version_id)
    if is_first:
        _enqueue(version_id)


def claim(version_id: int) -> bool:
    """Delete the mark of a version, before its ranks are computed. Returns True if there was a mark to delete.

    While submissions of the version are being graded, queues a later task instead and returns False.
    """
    dispatch.begun(TASK, version_id)
    due = DuePlacements.objects.filter(version=version_id)
    since = due.values_list("since", flat=True).first()
    if since is None:
        return False
    going_on = Submission.objects.filter(version=version_id).pending()
    if timezone.now() - since < PATIENCE and going_on.exists():
        _enqueue(version_id)
        return False
    return bool(due.delete()[0])


@contextmanager
def at_work(version_id: int) -> Iterator[None]:
    """Show readers that a worker is computing the placements of a version, for the duration of the block."""
    tell_at_work(version_id)
    try:
        yield
    finally:
        cache.delete(f"placements-at-work:{version_id}")


def tell_at_work(version_id: int) -> None:
    """Renew the notice that `at_work` shows to readers. Without renewal it expires after `AT_WORK_S`."""
    cache.set(f"placements-at-work:{version_id}", 1, AT_WORK_S)


def is_at_work(version_id: int) -> bool:
    return cache.get(f"placements-at-work:{version_id}") is not None


def enqueue_overdue() -> int:
    """Queue a task for each mark older than `LOST_AFTER_S`, whose task may be lost; returns the number of tasks."""
    long_ago = timezone.now() - timedelta(seconds=LOST_AFTER_S)
    overdue = list(DuePlacements.objects.filter(since__lt=long_ago).values_list("pk", flat=True))
    return sum(_enqueue(pk) for pk in overdue)


def _enqueue(version_id: int) -> bool:
    return dispatch.enqueue_later(TASK, version_id, seconds=DELAY_S)
