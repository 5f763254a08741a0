"""Writes of submissions: accept files (`intake`), grade (`grading`), choose what boards show (`publishing`)."""

from __future__ import annotations

from leaderboard.submissions.services.entries import EntriesUsedUpError
from leaderboard.submissions.services.grading import FileRemovedError, grade, regrade
from leaderboard.submissions.services.intake import (
    Accepted,
    KindError,
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
    decide,
    set_visibility,
    share_predictions,
    withdraw,
)
from leaderboard.submissions.services.repeats import MOST_REPEATS, RepeatsError

__all__ = [
    "MOST_REPEATS",
    "Accepted",
    "EntriesUsedUpError",
    "FileRemovedError",
    "KindError",
    "PrivateEntryError",
    "RejectedError",
    "RepeatsError",
    "TrialError",
    "UnansweredError",
    "accept",
    "create",
    "decide",
    "dry_run",
    "grade",
    "regrade",
    "set_visibility",
    "share_predictions",
    "validate",
    "withdraw",
]
