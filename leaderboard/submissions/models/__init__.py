"""Models of systems, submissions, scores, receipts, and likenesses between files."""

from leaderboard.submissions.models.counts import SubmissionCount, SystemCounts
from leaderboard.submissions.models.likeness import AnswerPrint, Likeness
from leaderboard.submissions.models.receipt import Receipt, SigningKey
from leaderboard.submissions.models.score import Score
from leaderboard.submissions.models.submission import Event, Submission
from leaderboard.submissions.models.system import System

__all__ = [
    "AnswerPrint",
    "Event",
    "Likeness",
    "Receipt",
    "Score",
    "SigningKey",
    "Submission",
    "SubmissionCount",
    "System",
    "SystemCounts",
]
