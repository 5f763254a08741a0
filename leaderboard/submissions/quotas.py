"""How many submissions an account may make a day, and in all where answers are kept.

Counted under a lock, from the submissions themselves. A rejected file never becomes a submission, and one that failed
by the platform's fault is not counted: so neither can cost quota.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from evaluation.core.terminal.wording import number_of
from leaderboard.accounts import confirmation, permissions
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing.learning import upload_limit
from leaderboard.submissions.models import Submission, System
from leaderboard.web import networks


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


class UsedUpError(QuotaError):
    """The uploads to a version that keeps its answers are used up for good. Waiting does not help."""

    def __init__(self, text: str) -> None:
        super().__init__(text, retry_after=0)


def total_for(user: Any, version: Version, system: System | None = None) -> Quota | None:
    """How many uploads to a version that keeps its answers are graded in all; None for other versions.

    Those of the account are counted, and those of the system, whoever sent them. What failed by a fault of this site
    and what this site ran itself, or came with its source, are not.

    Args:
        user: The account.
        version: What is answered.
        system: That answers; None: one without uploads.
    """
    if not version.shown_step:
        return None
    sent = Q(submitter=user) | Q(system=system) if system is not None and system.pk else Q(submitter=user)
    return Quota(used=_charged().filter(sent, version=version).count(), limit=upload_limit(version))


def _charged() -> QuerySet[Submission]:
    """The submissions that cost quota."""
    counted = Submission.objects.exclude(status=Submission.Status.FAILED)
    return counted.exclude(source__in=[*Submission.OURS, Submission.Source.MEAN])


def quota_for(user: Any, version: Version | None = None) -> Quota:
    """The account's quota, for one version or over all. Runs of this site and failed submissions are not counted.

    Args:
        user: The account. Who may exceed the quota is counted all the same; `check` refuses them nothing.
        version: None for the quota over all versions.

    Returns:
        What is left of it now.
    """
    counted = _charged().filter(submitter=user, created_at__gt=timezone.now() - timedelta(days=1))
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


def origin_of(request: HttpRequest, version: Version) -> str:
    """From where an upload comes, as `Submission.sent_from` keeps it: for versions that keep their answers alone.

    Args:
        request: That brings the upload.
        version: That it is for.
    """
    return networks.daily_key(request) if version.shown_step else ""


def charge(user: Any, version: Version, system: System, *, sent_from: str = "") -> None:
    """Make sure one more submission fits. Call inside the transaction that creates it: its end unlocks the account.

    Args:
        user: The account that submits.
        version: What the submission answers.
        system: That answers. It is locked as well: others may send for it at the same time.
        sent_from: See `origin_of`; empty where that is not counted.

    Raises:
        UnconfirmedError: The account has to confirm its address first.
        QuotaError: One of its quotas is used up, or that of its network.
    """
    get_user_model().objects.select_for_update(no_key=True).get(pk=user.pk)
    if version.shown_step:
        System.objects.select_for_update(no_key=True).get(pk=system.pk)
    check(user, version, system, sent_from=sent_from)


def check(user: Any, version: Version, system: System | None = None, *, sent_from: str = "") -> None:
    """Whether one more submission fits now, without a lock: before a file is read and stored.

    Args:
        user: The account that submits. Who may exceed the quota is never refused.
        version: What the submission answers.
        system: That answers; None where it is not known yet.
        sent_from: See `origin_of`; empty where that is not counted.

    Raises:
        UnconfirmedError: The version keeps its answers, and the account has to confirm its address first.
        UsedUpError: The uploads that are graded in all are used up.
        QuotaError: The quota over all versions, that of this one or that of the network is used up.
    """
    if version.shown_step:
        confirmation.check(user, version)
    if permissions.may(user, permissions.EXCEED_QUOTA):
        return
    _check_network(version, sent_from)
    total = total_for(user, version, system)
    if total is not None and not total.left:
        raise UsedUpError(_used_up(total, version))
    for quota, scope in ((quota_for(user), "in all"), (quota_for(user, version), f"for {version}")):
        if quota.frees_at is not None and not quota.left:
            wait = max(1, int((quota.frees_at - timezone.now()).total_seconds()))
            raise QuotaError(
                f"You have made {quota.used} of {number_of(quota.limit, 'submission')} {scope} within 24 hours. "
                f"The next one is possible at {quota.frees_at:%Y-%m-%d %H:%M} UTC.",
                retry_after=wait,
            )


def _check_network(version: Version, sent_from: str) -> None:
    """Raises QuotaError where a network has sent as much to a version today as one may."""
    limit = settings.SEALED_UPLOADS_PER_ADDRESS_PER_DAY
    if not sent_from or _charged().filter(version=version, sent_from=sent_from).count() < limit:
        return
    now = timezone.now()
    tomorrow = datetime.combine(now.date() + timedelta(days=1), time(), tzinfo=now.tzinfo)
    raise QuotaError(
        f"{version} keeps its answers, and has had {number_of(limit, 'upload')} from your network address today, of "
        f"all accounts together. The next one is possible at {tomorrow:%Y-%m-%d %H:%M} UTC.",
        retry_after=max(1, int((tomorrow - now).total_seconds())),
    )


def _used_up(total: Quota, version: Version) -> str:
    """Why no upload to a version that keeps its answers is graded any more, and where to go on."""
    twin = version.public_twin
    where = f" Try things on its public twin {twin.benchmark.slug}/{twin.slug} instead." if twin else ""
    return (
        f"{version} keeps its answers: of an account and of a system it grades {number_of(total.limit, 'upload')} "
        f"in all, and these are used.{where} A maintainer can raise the number."
    )
