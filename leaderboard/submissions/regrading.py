"""Grade again what an older grader graded. Each submission gets a new score revision; the old one stays."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import QuerySet

from leaderboard.benchmarks.models import Version
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission


def graded(version: Version) -> QuerySet[Submission]:
    """Submissions with a score, withdrawn ones too, oldest first."""
    settled = [Submission.Status.GRADED, Submission.Status.WITHDRAWN]
    found = Submission.objects.filter(version=version, status__in=settled, score__isnull=False)
    return found.order_by("created_at")


def outdated(version: Version) -> QuerySet[Submission]:
    """Those whose present score is another grader's than the suite's."""
    return graded(version).exclude(score__grader=version.suite.grader)


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
    """Queue every outdated submission of a version, `again` those of the present grader too; their ids."""
    found = list(graded(version) if again else outdated(version))
    for submission in found:
        submissions.regrade(submission)
    return [str(submission.pk) for submission in found]


def progress(ids: list[str]) -> Progress:
    """How far these submissions are. Asks the database, not the broker."""
    pending, failed = 0, 0
    for start in range(0, len(ids), 500):
        chunk = Submission.objects.filter(pk__in=ids[start : start + 500])
        pending += chunk.filter(status__in=Submission.PENDING).count()
        failed += chunk.exclude(status__in=Submission.PENDING).exclude(error="").count()
    return Progress(total=len(ids), done=len(ids) - pending, failed=failed)
