"""Lengths of the queues, counted in the database, because messages at the broker only wake workers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Min
from django.db.models.functions import Coalesce
from django.utils import timezone

from leaderboard.jobs import models
from leaderboard.jobs.querysets import JobQuerySet

#: A waiting submission is taken within seconds; after this time no worker seems to be up.
PATIENCE = timedelta(minutes=2)
#: Bound on the waiting rows that are examined for the age of the oldest.
LOOKED_AT = 500


@dataclass(frozen=True, slots=True)
class Queue:
    """Numbers of a queue's waiting and running rows. `oldest` is the start of the longest wait for a worker."""

    name: str
    waiting: int
    oldest: datetime | None
    working: int

    @property
    def is_stuck(self) -> bool:
        """True if rows have waited for PATIENCE and no row is being processed: probably no worker is running."""
        late = self.oldest is not None and timezone.now() - self.oldest > PATIENCE
        return late and not self.working


def lengths() -> list[Queue]:
    """Lengths of all queues. Rows that wait after a fault count as waiting once they are due."""
    return [_length(name, rows) for name, rows in sorted(_rows_by_queue().items())]


def _rows_by_queue() -> dict[str, list[JobQuerySet[Any]]]:
    rows_of: dict[str, list[JobQuerySet[Any]]] = {}
    for kind in models.kinds():
        for queue in kind.queues():
            rows_of.setdefault(queue.name, []).append(_rows(kind, queue))
    return rows_of


def _rows(kind: type[models.Job], queue: models.WorkQueue) -> JobQuerySet[Any]:
    return JobQuerySet(kind).pending_by_index().filter(queue.rows)


def by_kind() -> list[tuple[str, Queue]]:
    """Lengths of the queues by kind of job, as (name of the kind, queue). A queue counts only rows of that kind."""
    return [
        (kind.__name__.lower(), _length(queue.name, [_rows(kind, queue)]))
        for kind in models.kinds()
        for queue in kind.queues()
    ]


def named(name: str) -> Queue:
    return _length(name, _rows_by_queue()[name])


def _length(name: str, kinds: list[JobQuerySet[Any]]) -> Queue:
    waiting = [rows.waiting() for rows in kinds]
    oldest = (_oldest(rows.filter(rows.model.can_be_taken())) for rows in waiting)
    return Queue(
        name,
        waiting=sum(rows.count() for rows in waiting),
        oldest=min((moment for moment in oldest if moment), default=None),
        working=sum(rows.at_work().count() for rows in kinds),
    )


def _oldest(rows: JobQuerySet[Any]) -> datetime | None:
    """Start of the longest wait among the LOOKED_AT rows that were created first."""
    first = list(rows.order_by("created_at").values_list("pk", flat=True)[:LOOKED_AT])
    looked_at: JobQuerySet[Any] = JobQuerySet(rows.model).filter(pk__in=first)
    since = looked_at.annotate(since=Coalesce("next_attempt_at", rows.model.queued_since()))
    found: datetime | None = since.aggregate(oldest=Min("since"))["oldest"]
    return found
