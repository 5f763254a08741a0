"""What can be said of a trial, which asked a part of the rows: how many of these are right, and what went wrong.

Its figures are over all rows of the version, so that each row that was not asked counts as wrong in them: none of them
is the system's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.submissions.models import Score, Submission

NOT_ASKED = "missing"  # the failure of a row without a prediction

Failure = tuple[str, str, int, str]


@dataclass(frozen=True, slots=True)
class Trial:
    """`asked` of the `rows` of a version. `right` is None where a version does not tell what went wrong.

    `failures` are those of the rows that were asked.
    """

    asked: int
    rows: int
    right: int | None
    failures: Sequence[Failure]


def trial_of(submission: Submission, score: Score | None, failures: Sequence[Failure]) -> Trial | None:
    """What a trial shows.

    Args:
        submission: Any submission.
        score: The revision that is shown.
        failures: What went wrong with all rows: (code, label, rows, link).

    Returns:
        None where it is no trial, or is not graded.
    """
    if score is None or not submission.is_trial:
        return None
    asked, rows = submission.row_count, submission.version.row_count
    told = not submission.version.shown_step
    not_asked = sum(count for code, _, count, _ in failures if code == NOT_ASKED)
    right = rows - sum(count for _, _, count, _ in failures)
    return Trial(
        asked,
        rows,
        right if told and not_asked == rows - asked else None,
        [each for each in failures if each[0] != NOT_ASKED] if told else [],
    )
