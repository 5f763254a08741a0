"""Grade again what an older grader or an older release graded.

Each submission gets a new score revision, and the old one stays; of the same grader the revision is written again.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q, QuerySet

from leaderboard.benchmarks.models import Version
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission


def graded(version: Version) -> QuerySet[Submission]:
    """Submissions with a score, withdrawn ones too, oldest first."""
    settled = [Submission.Status.GRADED, Submission.Status.WITHDRAWN]
    with_score = Submission.objects.filter(version=version, status__in=settled, score__isnull=False)
    with_score = with_score.exclude(source=Submission.Source.MEAN)
    return with_score.order_by("created_at")


def outdated(version: Version) -> QuerySet[Submission]:
    """Those whose present score is another grader's than the suite's, or keeps no sums for paired tests.

    And trials that were graded before their figures were over their own rows alone.
    """
    by_another = ~Q(score__grader=version.present_grader)
    over_all_rows = Q(run__row_limit__isnull=False, score__asked=None)
    return graded(version).filter(by_another | Q(score__metric_sums=b"") | over_all_rows)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the queued submissions are. One that failed is done too: its old score stays."""

    total: int
    done: int
    failed: int

    @property
    def finished(self) -> bool:
        return self.done == self.total


def queue(version: Version, *, again: bool = False) -> list[str]:
    """Queue every outdated submission of a version to be graded again.

    Args:
        version: Whose submissions.
        again: Whether to queue those of the present grader, too.

    Returns:
        The ids of the queued submissions, the oldest first.
    """
    queued = list(graded(version) if again else outdated(version))
    for submission in queued:
        submissions.regrade(submission)
    return [str(submission.pk) for submission in queued]


def progress(ids: list[str]) -> Progress:
    """How far these submissions are. Asks the database, not the broker."""
    pending, failed = 0, 0
    for start in range(0, len(ids), 500):
        chunk = Submission.objects.filter(pk__in=ids[start : start + 500])
        pending += chunk.filter(status__in=Submission.PENDING).count()
        failed += chunk.exclude(status__in=Submission.PENDING).exclude(error="").count()
    return Progress(total=len(ids), done=len(ids) - pending, failed=failed)
