"""The two queues as the database has them: the broker is only a bell and knows less."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Max, Min, Q
from django.db.models.functions import Coalesce, Now
from django.utils import timezone

from leaderboard import leases
from leaderboard.models import Event, Run, Submission, Version

#: A waiting submission is taken within seconds; after this nobody seems to be there.
PATIENCE = timedelta(minutes=2)


@dataclass(frozen=True, slots=True)
class Queue:
    """How many rows wait for the workers of a queue, since when, and how many are being worked on."""

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
    """The two queues. A submission that is graded again has waited since it was queued again.

    What waits for a fault to pass waits for no worker until it is due.
    """
    queued = Submission.objects.filter(leases.due(), status=Submission.Status.QUEUED)
    since = Coalesce("next_attempt_at", Max("events__at", filter=Q(events__kind=Event.Kind.QUEUED)))
    oldest = queued.annotate(since=since).aggregate(oldest=Min("since"))["oldest"]
    drafts = Version.objects.filter(leases.due(), status=Version.Status.DRAFT)
    draft_since = Min(Coalesce("next_attempt_at", "queued_at"))
    waiting_runs = Run.objects.filter(leases.due(), status=Run.Status.QUEUED)
    run_since = Coalesce("next_attempt_at", Max("events__at", filter=Q(events__what__startswith="Queued")))
    return [
        Queue(
            "grading",
            queued.count() + drafts.count(),
            _earliest(oldest, drafts.aggregate(oldest=draft_since)["oldest"]),
            _at_work(Submission, Submission.Status.GRADING) + _at_work(Version, Version.Status.FREEZING),
        ),
        Queue(
            "models",
            waiting_runs.count(),
            waiting_runs.annotate(since=run_since).aggregate(oldest=Min("since"))["oldest"],
            _at_work(Run, Run.Status.RUNNING),
        ),
    ]


def _earliest(*moments: datetime | None) -> datetime | None:
    return min((moment for moment in moments if moment), default=None)


def _at_work(model: Any, status: str) -> int:
    return model.objects.filter(status=status, lease_until__gte=Now()).count()
