"""Grades submissions again after an update of the grader. A new grader adds a score; the same one replaces its own."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q, QuerySet

from leaderboard.benchmarks.models import Version
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission


def graded(version: Version) -> QuerySet[Submission]:
    """Return the submissions to a version that have a score and a file, withdrawn ones included, oldest first."""
    settled = [Submission.Status.GRADED, Submission.Status.WITHDRAWN]
    with_score = Submission.objects.filter(version=version, status__in=settled, score__isnull=False)
    with_score = with_score.exclude(source=Submission.Source.MEAN).filter(file_removed_at=None)
    return with_score.order_by("created_at")


def outdated(version: Version) -> QuerySet[Submission]:
    """Return the submissions whose score was computed by another grader or by an old release of this site."""
    by_another = ~Q(score__grader=version.present_grader)
    over_all_rows = Q(run__row_limit__isnull=False, score__asked=None)
    return graded(version).filter(by_another | Q(score__metric_sums=b"") | over_all_rows)


@dataclass(frozen=True, slots=True)
class Progress:
    """Numbers of submissions in a regrading. Failed submissions count as done, and keep their old score."""

    total: int
    done: int
    failed: int

    @property
    def finished(self) -> bool:
        return self.done == self.total


def queue(version: Version, *, again: bool = False) -> list[str]:
    """Queue outdated submissions to be graded again, or all graded ones if `again`. Returns their ids, oldest first."""
    queued = list(graded(version) if again else outdated(version))
    for submission in queued:
        submissions.regrade(submission)
    return [str(submission.pk) for submission in queued]


def progress(ids: list[str]) -> Progress:
    pending, failed = 0, 0
    for start in range(0, len(ids), 500):
        chunk = Submission.objects.filter(pk__in=ids[start : start + 500])
        pending += chunk.filter(status__in=Submission.PENDING).count()
        failed += chunk.exclude(status__in=Submission.PENDING).exclude(error="").count()
    return Progress(total=len(ids), done=len(ids) - pending, failed=failed)
