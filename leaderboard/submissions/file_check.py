"""Whether the stored files of submissions are still there and hold what their names say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from leaderboard.benchmarks import storage
from leaderboard.submissions.models import Submission
from leaderboard.submissions.verdicts.copies import PARQUET


@dataclass(frozen=True, slots=True)
class Examined:
    """A submission with what is wrong with its files: which of them -> why. Empty where nothing is."""

    submission: Submission
    damage: dict[str, str]

    @property
    def may_be_graded_again(self) -> bool:
        """Whether that makes its files whole: the verdicts alone are damaged, of a file that is graded by itself."""
        made_by_grading = self.submission.source != Submission.Source.MEAN
        return self.damage.keys() == {"verdicts"} and made_by_grading


def examine() -> Iterator[Examined]:
    """Read the files of every submission through, the oldest first.

    Raises:
        Exception: What the storage raises where it cannot be read: that says nothing of a file.
    """
    submissions = Submission.objects.select_related("score", "version__benchmark", "system").order_by(
        "created_at"
    )
    for submission in submissions.iterator(500):
        yield Examined(submission, dict(_damage(submission)))


def _damage(submission: Submission) -> Iterator[tuple[str, str]]:
    score = submission.score
    files = {
        "predictions": submission.file_sha256,
        "transcripts": submission.transcripts_sha256,
        "verdicts": score.verdicts_sha256 if score else "",
    }
    for which, sha256 in files.items():
        try:
            if sha256:
                _verify(sha256)
        except storage.DamagedFileError as error:
            yield which, str(error)


def _verify(sha256: str) -> None:
    """Verdicts are kept as Parquet, and were kept as lines by earlier releases."""
    if storage.exists(sha256, PARQUET):
        storage.verify_bytes(sha256, name=storage.name_of(sha256, PARQUET))
    else:
        storage.verify(sha256)
