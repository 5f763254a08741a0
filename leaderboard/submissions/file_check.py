"""Checks that the stored files of submissions exist and match their hashes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from leaderboard.benchmarks import storage
from leaderboard.submissions.models import Submission
from leaderboard.submissions.verdicts.copies import PARQUET


@dataclass(frozen=True, slots=True)
class Examined:
    """A submission with its damaged files: a mapping from the kind of file to its fault."""

    submission: Submission
    damage: dict[str, str]

    @property
    def may_be_graded_again(self) -> bool:
        """True if grading again repairs the damage. The predictions must be stored, and only verdicts be damaged."""
        made_by_grading = self.submission.source != Submission.Source.MEAN
        return self.damage.keys() == {"verdicts"} and made_by_grading and not self.submission.file_removed_at


def examine() -> Iterator[Examined]:
    """Verify the files of all submissions, oldest first. Errors of the storage itself are raised."""
    submissions = Submission.objects.select_related("score", "version__benchmark", "system").order_by(
        "created_at"
    )
    for submission in submissions.iterator(500):
        yield Examined(submission, dict(_damage(submission)))


def _damage(submission: Submission) -> Iterator[tuple[str, str]]:
    score = submission.score
    files = {
        "predictions": "" if submission.file_removed_at else submission.file_sha256,
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
    # Earlier releases stored verdicts as JSON lines.
    if storage.exists(sha256, PARQUET):
        storage.verify_bytes(sha256, name=storage.name_of(sha256, PARQUET))
    else:
        storage.verify(sha256)
