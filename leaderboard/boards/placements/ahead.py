"""Ranks are computed by a worker when something lands, before a reader asks for them.

What lands leaves a mark on its version, and one task waits for it. The task claims the mark and computes: what lands
from then on leaves another one. While submissions of the version wait for their grades the task waits too, for a while:
a thousand regrades are a handful of computations.
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
#: Long enough for the gradings of a batch to share a computation, short enough that nobody waits for it.
DELAY_S = 5
#: While gradings of a version go on, its board is computed this often: what is computed in between is stale with the
#: next of them. A thousand gradings take some ten minutes.
PATIENCE = timedelta(minutes=3)
#: A computation that did not come about is asked for again after this.
LOST_AFTER_S = 90


#: A board of 1,000 systems takes seconds; a worker that told nothing for so long is away.
AT_WORK_S = 120


def connect() -> None:
    """Listen to what submissions tell."""
    signals.landed.connect(plan, dispatch_uid="placements are computed ahead")


def plan(*, version_id: int, **_: Any) -> None:
    """Have the placements of a version computed soon, once however often it is asked for meanwhile.

    Args:
        version_id: Its primary key.
        **_: What else the signal sends, which is of no use here.
    """
    dispatch.on_commit(lambda: mark(version_id))


def ask(version_id: int) -> None:
    """Have placements computed that a reader did not find. However many there are, one of them sends a message.

    A worker leaves the mark: a page that is only read writes nothing into the database.

    Args:
        version_id: The primary key of the version.
    """
    if cache.add(f"placements-asked:{version_id}", 1, LOST_AFTER_S):
        dispatch.enqueue("mark_placements", version_id)


def mark(version_id: int) -> None:
    """Leave the mark of a version, and have its task queued where it had none.

    Args:
        version_id: Its primary key.
    """
    _, is_first = DuePlacements.objects.get_or_create(version_id=version_id)
    if is_first:
        _enqueue(version_id)


def claim(version_id: int) -> bool:
    """Take the mark of a version, which one task does. While gradings go on it stays, for another task.

    Args:
        version_id: Its primary key.

    Returns:
        Whether the placements are to be computed now, by the caller.
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
    """Tell readers, as long as this lasts, that a worker computes the placements of a version.

    Args:
        version_id: Its primary key.
    """
    tell_at_work(version_id)
    try:
        yield
    finally:
        cache.delete(f"placements-at-work:{version_id}")


def tell_at_work(version_id: int) -> None:
    """Tell readers that a worker is still at it. One that tells nothing for a while counts as gone.

    Args:
        version_id: The primary key of the version.
    """
    cache.set(f"placements-at-work:{version_id}", 1, AT_WORK_S)


def is_at_work(version_id: int) -> bool:
    """Whether a worker computes the placements of a version.

    Args:
        version_id: Its primary key.
    """
    return cache.get(f"placements-at-work:{version_id}") is not None


def enqueue_overdue() -> int:
    """Have tasks queued for marks that none waits for: of an earlier release, say. Returns how many."""
    long_ago = timezone.now() - timedelta(seconds=LOST_AFTER_S)
    overdue = list(DuePlacements.objects.filter(since__lt=long_ago).values_list("pk", flat=True))
    return sum(_enqueue(pk) for pk in overdue)


def _enqueue(version_id: int) -> bool:
    return dispatch.enqueue_later(TASK, version_id, seconds=DELAY_S)
