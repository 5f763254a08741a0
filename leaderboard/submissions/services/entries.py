"""Limits how many entries an account may declare on a sealed version, because entries show all metrics."""

from __future__ import annotations

from typing import Any

from evaluation.core.terminal.wording import number_of
from leaderboard.accounts import permissions
from leaderboard.benchmarks.models import Version
from leaderboard.submissions import quotas
from leaderboard.submissions.models import Submission, System
from leaderboard.submissions.services import repeats as repeated

#: Most entries per account and version, ever. Repeats of one mean count once.
PER_SEALED_VERSION = 2


class EntriesUsedUpError(Exception):
    """Raised if the account has used up its entries on a sealed version."""


def check(
    user: Any, version: Version, system: System | None, *, account: Any = None, repeats: int = 1
) -> None:
    """Raise EntriesUsedUpError if the account may declare no further entry on the version.

    Counts the entries of `quotas.sent_by`, so also those of the team `account`. Callers call it again with the account
    locked, because two uploads may arrive at once.
    """
    if not version.shown_step or permissions.may(user, permissions.EXCEED_QUOTA):
        return
    if repeats > 1 and (system is None or _has_place(version, system, repeats)):
        return
    sent = quotas.sent_by(user, account)
    declared = Submission.objects.filter(sent, version=version, declared=True, mean=None)
    declared = declared.exclude(status=Submission.Status.FAILED).exclude(source__in=Submission.OURS)
    if declared.count() >= PER_SEALED_VERSION:
        raise EntriesUsedUpError(
            f"{version} is sealed, and an entry shows all metrics, so an account can declare "
            f"{number_of(PER_SEALED_VERSION, 'entry', 'entries')}, which you have used up. The file was not submitted, "
            "and your quota is unchanged. Submit it without declaring it: its page then shows the headline metric only."
        )


def _has_place(version: Version, system: System, repeats: int) -> bool:
    mean = repeated.open_mean(version, system) if system.pk else None
    return mean is not None and mean.repeats == repeats
