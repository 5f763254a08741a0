"""Queues overdue jobs again, whose message was lost, whose worker died, or whose waiting time is over."""

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
#: Younger rows were queued a moment ago and are skipped.
PATIENCE = timedelta(seconds=10)
BATCH = 500  # rows of one kind per round, oldest first
#: Interval of messages for one row: work may wait for hours, and its messages must not pile up.
MESSAGE_LASTS_S = 120


def forgive_ours() -> None:
    """Do not count the running attempts at this worker's rows. Call this when the worker is told to stop."""
    try:
        leases.forgive(*models.kinds())
    except DatabaseTrouble as error:
        log.warning("the attempts of this stopping worker still count: %s", error)
    finally:
        connection.close()  # belongs to this thread only


def recover_broken_off(task: str, key: Any) -> None:
    """Release the row of a dead child process at once, instead of when its lease expires."""
    try:
        with forks.between_forks():
            kinds = [kind for kind, queue in _queues() if queue.task == task]
            was_ours = any(leases.broke_off(JobQuerySet(kind).filter(pk=key)) for kind in kinds)
    except DatabaseTrouble as error:
        log.warning("%s %s is not released until its lease expires: %s", task, key, error)
        return
    if was_ours:
        dispatch.enqueue(task, key)


def enqueue_overdue() -> int:
    """Queue overdue jobs; returns the number of messages. Two messages for one row are harmless."""
    return sum(
        _enqueue_due(queue.task, JobQuerySet(kind).pending_by_index().filter(queue.rows))
        for kind, queue in _queues()
    )


def _queues() -> Iterator[tuple[type[models.Job], models.WorkQueue]]:
    return ((kind, queue) for kind in models.kinds() for queue in kind.queues())


def _enqueue_due(task: str, rows: QuerySet[Any]) -> int:
    leases.recover(rows)
    waiting = rows.filter(due(), created_at__lt=Now() - PATIENCE).order_by("created_at")
    oldest = list(
        waiting.values_list("pk", "lease_token")[:BATCH]
    )  # a new claim makes a new message possible
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
    """True if the message was not sent lately, or the cache is unavailable: sending twice is better than never."""
    try:
        return bool(caches["results"].add(message, 1, MESSAGE_LASTS_S))
    except OSError as error:
        log.warning("the cache cannot be written to (%s): all overdue jobs are queued again", error)
        return True
