"""Number of entries that an account may declare on a sealed version, where each shows all figures."""

from __future__ import annotations

from typing import Any

from evaluation.core.terminal.wording import number_of
from leaderboard.accounts import permissions
from leaderboard.benchmarks.models import Version
from leaderboard.submissions import quotas
from leaderboard.submissions.models import Submission, System
from leaderboard.submissions.services import repeats as repeated

#: Per account and version, for good. Repeats of one mean count once.
PER_SEALED_VERSION = 2


class EntriesUsedUpError(Exception):
    """The account has declared all its entries on a sealed version."""


def check(
    user: Any, version: Version, system: System | None, *, account: Any = None, repeats: int = 1
) -> None:
    """Raise EntriesUsedUpError if none is left. Call before reading a file, and with the account locked.

    Entries are counted for a team's `account`, too, as by `quotas.sent_by`.
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
            f"{version} keeps its answers, and an entry shows all figures: of an account it takes "
            f"{number_of(PER_SEALED_VERSION, 'entry', 'entries')}, and yours are declared. Submit the file without "
            "declaring it: its headline is shown. It was not submitted, and your quota is unchanged."
        )


def _has_place(version: Version, system: System, repeats: int) -> bool:
    """True if a mean with this number of repeats was declared before and has a free place."""
    mean = repeated.open_mean(version, system) if system.pk else None
    return mean is not None and mean.repeats == repeats
