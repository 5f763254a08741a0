"""How many entries an account declares on a version that keeps its answers, where each shows all figures."""

from __future__ import annotations

from typing import Any

from evaluation.core.terminal.wording import number_of
from leaderboard.accounts import permissions
from leaderboard.benchmarks.models import Version
from leaderboard.submissions.models import Submission, System
from leaderboard.submissions.services import repeats as repeated

#: Of an account, on one version, for good. Repeats that stand together are one.
PER_SEALED_VERSION = 2


class EntriesUsedUpError(Exception):
    """The entries that an account may declare on a version that keeps its answers are declared."""


def check(user: Any, version: Version, system: System | None, *, repeats: int = 1) -> None:
    """Whether an account may declare one more entry. Call it before a file is read, and with the account locked.

    Args:
        user: The account. Who may exceed the quota is never refused.
        version: What the entry answers. Only one that keeps its answers has a limit.
        system: That answers; None where it is not known yet.
        repeats: How many submissions are to stand together.

    Raises:
        EntriesUsedUpError: The account has declared as many.
    """
    if not version.shown_step or permissions.may(user, permissions.EXCEED_QUOTA):
        return
    if repeats > 1 and (system is None or _has_place(version, system, repeats)):
        return
    declared = Submission.objects.filter(submitter=user, version=version, declared=True, mean=None)
    declared = declared.exclude(status=Submission.Status.FAILED).exclude(source__in=Submission.OURS)
    if declared.count() >= PER_SEALED_VERSION:
        raise EntriesUsedUpError(
            f"{version} keeps its answers, and an entry shows all figures: of an account it takes "
            f"{number_of(PER_SEALED_VERSION, 'entry', 'entries')}, and yours are declared. Submit the file without "
            "declaring it: its headline is shown. It was not submitted, and your quota is unchanged."
        )


def _has_place(version: Version, system: System, repeats: int) -> bool:
    """Whether a mean of so many repeats that was declared before has a place left."""
    mean = repeated.open_mean(version, system) if system.pk else None
    return mean is not None and mean.repeats == repeats
