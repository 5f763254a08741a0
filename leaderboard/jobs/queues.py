"""The queues as the database has them: the broker only wakes workers and knows less."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Min
from django.db.models.functions import Coalesce
from django.utils import timezone

from leaderboard.jobs import models
from leaderboard.jobs.querysets import JobQuerySet

#: A waiting submission is taken within seconds; after this nobody seems to be there.
PATIENCE = timedelta(minutes=2)


@dataclass(frozen=True, slots=True)
class Queue:
    """How many rows wait for the workers of a queue, since when, and how many are being worked on.

    `oldest` is of those that some worker could take: a run whose model file no worker has says so itself.
    """

    name: str
    waiting: int
    oldest: datetime | None
    working: int

    @property
    def is_stuck(self) -> bool:
        """Whether something has waited long with nobody at work: then no worker seems to be up."""
        late = self.oldest is not None and timezone.now() - self.oldest > PATIENCE
        return late and not self.working


def lengths() -> list[Queue]:
    """The queues, with what waits in each. What waits for a fault to pass waits for no worker until it is due."""
    return [_length(name, rows) for name, rows in sorted(_rows_by_queue().items())]


def _rows_by_queue() -> dict[str, list[JobQuerySet[Any]]]:
    """Of every kind of job what goes through a queue, by its name."""
    rows_of: dict[str, list[JobQuerySet[Any]]] = {}
    for kind in models.kinds():
        for queue in kind.queues():
            rows_of.setdefault(queue.name, []).append(JobQuerySet(kind).filter(queue.rows))
    return rows_of


def named(name: str) -> Queue:
    """One of them.

    Args:
        name: As tasks are routed.
    """
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
    """Since when the one waits that waits longest."""
    since = rows.annotate(since=Coalesce("next_attempt_at", rows.model.queued_since()))
    found: datetime | None = since.aggregate(oldest=Min("since"))["oldest"]
    return found
