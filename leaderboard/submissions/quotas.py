"""Quotas of submissions: a number per day, and a total number for a sealed version.

Quotas are counted from the stored submissions, under a lock. Rejected files and failed submissions cost no quota. A
team has the quota of one account. Uploads for a team also count against the quota of the member who sends them, so
that a person in several teams has no more uploads.
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
from leaderboard.accounts import confirmation, permissions, teams
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing.learning import upload_limit
from leaderboard.submissions.models import Submission, System
from leaderboard.web import networks
from leaderboard.web.formatting import minute


class QuotaError(Exception):
    """Raised if the quota is used up for now. `retry_after` is the waiting time in seconds."""

    def __init__(self, text: str, *, retry_after: int) -> None:
        self.retry_after = retry_after
        super().__init__(text)


@dataclass(frozen=True, slots=True)
class Quota:
    """Numbers of used and allowed submissions. `frees_at` is the time from which one more is allowed."""

    used: int
    limit: int
    frees_at: datetime | None = None

    @property
    def left(self) -> int:
        return max(0, self.limit - self.used)


class UsedUpError(QuotaError):
    """Raised if the total quota of a sealed version is used up. Waiting does not help."""

    def __init__(self, text: str) -> None:
        super().__init__(text, retry_after=0)


def sent_by(user: Any, account: Any = None) -> Q:
    """Return a filter for submissions that the user sent or owns, or that the team `account` owns."""
    whose = {user.pk, account.pk if account is not None else user.pk}
    return Q(submitter__in=whose) | Q(sent_by=user)


def total_for(
    user: Any, version: Version, system: System | None = None, *, account: Any = None
) -> Quota | None:
    """Return the total quota of uploads to a sealed version, or None for other versions.

    Uploads of the user, of the team `account`, and of the system (None: a new system) count. Failed submissions, runs
    of this site and shipped results do not count.
    """
    if not version.shown_step:
        return None
    sent = sent_by(user, account)
    if system is not None and system.pk:
        sent |= Q(system=system)
    return Quota(used=_charged().filter(sent, version=version).count(), limit=upload_limit(version))


def _charged() -> QuerySet[Submission]:
    counted = Submission.objects.exclude(status=Submission.Status.FAILED)
    return counted.exclude(source__in=[*Submission.OURS, Submission.Source.MEAN])


def quota_for(user: Any, version: Version | None = None, *, account: Any = None) -> Quota:
    """Return the quota of submissions within 24 hours, to the version or (if it is None) to all versions together.

    Users who may exceed the quota have one too; only `check` exempts them.
    """
    counted = _charged().filter(sent_by(user, account), created_at__gt=timezone.now() - timedelta(days=1))
    limit = settings.SUBMISSIONS_PER_DAY
    if version is not None:
        counted, limit = counted.filter(version=version), settings.SUBMISSIONS_PER_VERSION_PER_DAY
    times = list(counted.order_by("created_at").values_list("created_at", flat=True))
    return Quota(used=len(times), limit=limit, frees_at=_frees_at(times, limit))


def _frees_at(times: list[datetime], limit: int) -> datetime | None:
    """Return when one more submission is allowed, or None if it is allowed now. `times` are sorted, oldest first."""
    if len(times) < limit:
        return None
    last_in_the_way = times[len(times) - limit] if limit else timezone.now()
    return last_in_the_way + timedelta(days=1)


def origin_of(request: HttpRequest, version: Version) -> str:
    """Return a keyed hash of the sender's network and the day. Empty if the version is not sealed."""
    return networks.daily_key(request) if version.shown_step else ""


def charge(user: Any, version: Version, system: System, *, account: Any = None, sent_from: str = "") -> None:
    """Lock the accounts and the system, then `check`. Call this in the transaction that creates the submission."""
    people = get_user_model()._default_manager.select_for_update(no_key=True)
    people.get(pk=user.pk)
    if account is not None and account.pk != user.pk:
        people.get(pk=account.pk)  # always after the person, who never is a team: no deadlock
    if version.shown_step:
        System.objects.select_for_update(no_key=True).get(pk=system.pk)
    check(user, version, system, account=account, sent_from=sent_from)


def check(
    user: Any, version: Version, system: System | None = None, *, account: Any = None, sent_from: str = ""
) -> None:
    """Check that the quotas allow one more submission, before the file is read and stored.

    Args:
        system: None: not known yet.
        account: See `sent_by`.
        sent_from: See `origin_of`.

    Raises:
        UnconfirmedError: The version is sealed, and the account has no confirmed address.
        UsedUpError: The total quota is used up.
        QuotaError: A daily quota (for all versions, for this version, or of the network) is used up.
    """
    if version.shown_step:
        confirmation.check(user, version)
    if permissions.may(user, permissions.EXCEED_QUOTA):
        return
    _check_network(version, sent_from)
    total = total_for(user, version, system, account=account)
    if total is not None and not total.left:
        raise UsedUpError(_used_up(total, version))
    by_day = quota_for(user, account=account), quota_for(user, version, account=account)
    who = "You have" if account is None or account.pk == user.pk else f"You and the team {account} have"
    for quota, scope in zip(by_day, ("in all", f"for {version}"), strict=True):
        if quota.frees_at is not None and not quota.left:
            wait = max(1, int((quota.frees_at - timezone.now()).total_seconds()))
            raise QuotaError(
                f"{who} made {quota.used} of {number_of(quota.limit, 'submission')} {scope} within 24 hours. "
                f"The next submission is possible at {minute(quota.frees_at)}.",
                retry_after=wait,
            )


def _check_network(version: Version, sent_from: str) -> None:
    limit = settings.SEALED_UPLOADS_PER_ADDRESS_PER_DAY
    if not sent_from or _charged().filter(version=version, sent_from=sent_from).count() < limit:
        return
    now = timezone.now()
    tomorrow = datetime.combine(now.date() + timedelta(days=1), time(), tzinfo=now.tzinfo)
    raise QuotaError(
        f"{version} is sealed, and your network has reached its limit of {number_of(limit, 'upload')} a day, for all "
        f"accounts together. The next upload is possible at {minute(tomorrow)}.",
        retry_after=max(1, int((tomorrow - now).total_seconds())),
    )


def _used_up(total: Quota, version: Version) -> str:
    twin = version.public_twin
    where = f" Experiment on the public twin {twin.benchmark.slug}/{twin.slug}." if twin else ""
    return (
        f"{version} is sealed: it accepts {number_of(total.limit, 'upload')} in total, by the account and for the "
        f"system together, and these are used up.{where} A maintainer can raise the number."
    )


def new_system(user: Any, *, owner: Any = None, **fields: Any) -> System:
    """Create a system of the user or the team `owner`.

    Raises QuotaError if the user and their teams have created SYSTEMS_PER_DAY systems within a day.
    """
    limit = settings.SYSTEMS_PER_DAY
    if not permissions.may(user, permissions.EXCEED_QUOTA):
        since = timezone.now() - timedelta(days=1)
        mine = System.objects.filter(owner__in=teams.accounts_of(user), created_at__gt=since).order_by(
            "created_at"
        )
        frees_at = _frees_at(list(mine.values_list("created_at", flat=True)), limit)
        if frees_at is not None:
            raise QuotaError(
                f"You have created {number_of(limit, 'system')} within 24 hours, which is the limit. You can create "
                f"the next system at {minute(frees_at)}. Until then, submit for an existing system.",
                retry_after=max(1, int((frees_at - timezone.now()).total_seconds())),
            )
    return System.objects.create(owner=owner or user, **fields)
