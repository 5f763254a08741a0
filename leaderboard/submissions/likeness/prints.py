"""The answers of a submission's file: all, the wrong ones, and their hashes."""

from __future__ import annotations

import hashlib

import numpy as np

from evaluation.core.files import artifacts
from evaluation.core.statistics.overlap import Sketch, sketch
from evaluation.core.suite import answer_key_of, mistake_key_of
from evaluation.frames.verdict_file import Where
from leaderboard.benchmarks import storage
from leaderboard.submissions.models import AnswerPrint, Submission
from leaderboard.submissions.verdicts import files as verdict_files


def make(submission: Submission) -> AnswerPrint:
    """Read a graded file and keep the hashes of its answers. Reading 2,640 rows takes 0.1 s.

    Args:
        submission: With a score. The answers of another one were hashed before.

    Raises:
        DamagedFileError: A file is missing or changed.
    """
    wrong = mistakes(submission)
    fields = {
        "answers_sha256": _sha256(answers(submission)),
        "mistakes": len(wrong),
        "mistake_sketch": sketch(_encoded(f"{row}\0{key}") for row, key in wrong.items()).tobytes(),
    }
    return AnswerPrint.objects.update_or_create(submission=submission, defaults=fields)[0]


def answers(submission: Submission) -> dict[str, str]:
    """Row id -> the key of its answer, of the rows that are answered.

    Args:
        submission: With a file.
    """
    suite = submission.version.suite
    lines = artifacts.parted(storage.rows(submission.file_sha256), {})
    keys = ((suite.row_id(line), answer_key_of(suite, line)) for line in lines)
    return {str(row): key for row, key in keys if key}


def mistakes(submission: Submission) -> dict[str, str]:
    """Row id -> the key of its wrong answer; the same question in another order has the same key.

    Args:
        submission: With a score.
    """
    if submission.score is None:
        return {}
    suite, file = submission.version.suite, verdict_files.opened(submission.score.verdicts_sha256)
    failed = file.select(Where(failure="any"))
    return {str(verdict["id"]): key for verdict in failed if (key := mistake_key_of(suite, verdict))}


def sketch_of(kept: bytes | memoryview) -> Sketch:
    """The hashes of wrong answers as numbers.

    Args:
        kept: `AnswerPrint.mistake_sketch`.
    """
    return np.frombuffer(kept, dtype=np.uint64)


def _sha256(keys: dict[str, str]) -> str:
    digest = hashlib.sha256()
    for row, key in sorted(keys.items()):
        digest.update(_encoded(f"{row}\0{key}\0"))
    return digest.hexdigest() if keys else ""


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
