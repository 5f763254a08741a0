"""Every write of a submission: taking a file in (`intake`), `grading`, and what a board shows of it (`publishing`)."""

from __future__ import annotations

from leaderboard.submissions.services.entries import EntriesUsedUpError
from leaderboard.submissions.services.grading import grade, regrade
from leaderboard.submissions.services.intake import (
    Accepted,
    PrivateEntryError,
    RejectedError,
    UnansweredError,
    accept,
    create,
    dry_run,
    validate,
)
from leaderboard.submissions.services.publishing import (
    TrialError,
    set_visibility,
    withdraw,
)
from leaderboard.submissions.services.repeats import MOST_REPEATS, RepeatsError

__all__ = [
    "MOST_REPEATS",
    "Accepted",
    "EntriesUsedUpError",
    "PrivateEntryError",
    "RejectedError",
    "RepeatsError",
    "TrialError",
    "UnansweredError",
    "accept",
    "create",
    "dry_run",
    "grade",
    "regrade",
    "set_visibility",
    "validate",
    "withdraw",
]
