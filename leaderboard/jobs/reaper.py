"""Queues again every job whose message was lost, whose worker died, or that has waited long enough."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.core.cache import caches
from django.db import Error as DatabaseTrouble
from django.db import connection
from django.db.models import QuerySet
from django.db.models.functions import Now

from leaderboard.jobs import dispatch, forks, leases, models
from leaderboard.jobs.querysets import JobQuerySet, due

log = logging.getLogger(__name__)
#: A fresh row was queued a moment ago; only what has waited longer than this is queued again.
PATIENCE = timedelta(seconds=10)
BATCH = 500  # rows of one kind that a round looks at, the oldest of them
#: Work may wait for hours behind other work. It is queued this often, so that its messages do not pile up.
MESSAGE_LASTS_S = 120


def forgive_ours() -> None:
    """This worker was told to stop: what it is killed in the middle of, has not killed it."""
    try:
        leases.forgive(*models.kinds())
    except DatabaseTrouble as error:
        log.warning("attempts were not given back: %s", error)
    finally:
        connection.close()  # of the thread that this runs in


def recover_broken_off(task: str, key: Any) -> None:
    """A process of this worker died over a row: another may take it at once, instead of when the lease has run out.

    Args:
        task: The name of the task's function.
        key: Of the row.
    """
    try:
        with forks.between_forks():
            kinds = [kind for kind, queue in _queues() if queue.task == task]
            was_ours = any(leases.broke_off(JobQuerySet(kind).filter(pk=key)) for kind in kinds)
    except DatabaseTrouble as error:
        log.warning("%s %s is left until its lease runs out: %s", task, key, error)
        return
    if was_ours:
        dispatch.enqueue(task, key)


def enqueue_overdue() -> int:
    """Queue overdue work. Returns how many messages were sent; two for one row are harmless."""
    return sum(
        _enqueue_due(queue.task, JobQuerySet(kind).pending().filter(queue.rows)) for kind, queue in _queues()
    )


def _queues() -> Iterator[tuple[type[models.Job], models.WorkQueue]]:
    return ((kind, queue) for kind in models.kinds() for queue in kind.queues())


def _enqueue_due(task: str, rows: QuerySet[Any]) -> int:
    """Queue the oldest of these rows that are due and whose last message is long ago. How many there were."""
    leases.recover(rows)
    waiting = rows.filter(due(), created_at__lt=Now() - PATIENCE).order_by("created_at")
    oldest = list(waiting.values_list("pk", "lease_token")[:BATCH])  # the token: of who tried it before
    sent = 0
    for pk, last in oldest:
        message = f"queued:{task}:{pk}:{last}"
        if not _is_first(message):
            continue
        if dispatch.enqueue(task, pk if isinstance(pk, int) else str(pk)):
            caches["results"].delete(message)
            break  # the broker is away: the next round sends it
        sent += 1
    return sent


def _is_first(message: str) -> bool:
    """Whether this message was not sent a moment ago. Where the cache's disk is full it is: better twice than never."""
    try:
        return bool(caches["results"].add(message, 1, MESSAGE_LASTS_S))
    except OSError as error:
        log.warning("the cache cannot be written to (%s): everything is queued again", error)
        return True
