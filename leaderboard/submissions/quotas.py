"""How many submissions an account may make a day. Counted under a lock, from the submissions themselves.

A rejected file never becomes a submission, and one that failed by the platform's fault is not counted: so neither
can cost quota.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.utils import timezone

from evaluation.core.terminal.wording import number_of
from leaderboard.accounts import permissions
from leaderboard.benchmarks.models import Version
from leaderboard.submissions.models import Submission


class QuotaError(Exception):
    """The account's submissions for now are used up. `retry_after` is in seconds."""

    def __init__(self, text: str, *, retry_after: int) -> None:
        self.retry_after = retry_after
        super().__init__(text)


@dataclass(frozen=True, slots=True)
class Quota:
    """What is left within the last 24 hours: `used` of `limit`."""

    used: int
    limit: int
    frees_at: datetime | None = None

    @property
    def left(self) -> int:
        return max(0, self.limit - self.used)


def quota_for(user: Any, version: Version | None = None) -> Quota:
    """The account's quota, for one version or over all. Who may exceed it has none to run out of."""
    counted = Submission.objects.filter(submitter=user, created_at__gt=timezone.now() - timedelta(days=1))
    counted = counted.exclude(status=Submission.Status.FAILED).exclude(source=Submission.Source.RUN)
    limit = settings.SUBMISSIONS_PER_DAY
    if version is not None:
        counted, limit = counted.filter(version=version), settings.SUBMISSIONS_PER_VERSION_PER_DAY
    times = list(counted.order_by("created_at").values_list("created_at", flat=True))
    return Quota(used=len(times), limit=limit, frees_at=_frees_at(times, limit))


def _frees_at(times: list[datetime], limit: int) -> datetime | None:
    """When one more fits, given the times of the last day's submissions, oldest first; None: now."""
    if len(times) < limit:
        return None
    last_in_the_way = times[len(times) - limit] if limit else timezone.now()
    return last_in_the_way + timedelta(days=1)


def charge(user: Any, version: Version) -> None:
    """Make sure one more submission fits. Call inside the transaction that creates it. Raises QuotaError."""
    get_user_model().objects.select_for_update(no_key=True).get(pk=user.pk)
    check(user, version)


def check(user: Any, version: Version) -> None:
    """Whether one more fits now, without a lock: before a file is read and stored. Raises QuotaError."""
    if permissions.may(user, permissions.EXCEED_QUOTA):
        return
    for quota, scope in ((quota_for(user), "in all"), (quota_for(user, version), f"for {version}")):
        if quota.frees_at is not None and not quota.left:
            wait = max(1, int((quota.frees_at - timezone.now()).total_seconds()))
            raise QuotaError(
                f"You have made {quota.used} of {number_of(quota.limit, 'submission')} {scope} within 24 hours. "
                f"The next one is possible at {quota.frees_at:%Y-%m-%d %H:%M} UTC.",
                retry_after=wait,
            )
