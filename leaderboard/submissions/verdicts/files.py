"""The verdicts of a score as a file: kept as Parquet, read a few row groups at a time.

What does not lie on a disk of this machine as Parquet is copied first: an object of a bucket, and the JSON lines of an
earlier release, which are converted.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import IO

from django.core.files.storage import FileSystemStorage, storages

from evaluation.core.report import Report
from evaluation.frames.grouped_file import DamagedFrameError
from evaluation.frames.verdict_file import VerdictFile, write_rows, write_verdicts
from leaderboard.benchmarks import storage
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.storage import DamagedFileError
from leaderboard.submissions.verdicts import copies
from leaderboard.submissions.verdicts.copies import PARQUET, Verified


def keep(report: Report, version: Version) -> str:
    """Store the verdicts of a report.

    Args:
        report: What the engine found, with its rows as they are to be kept.
        version: What the verdicts are about, which the file says.

    Returns:
        The file's SHA-256; the same verdicts have the same.
    """
    about = {
        "benchmark": version.benchmark.slug,
        "version": version.slug,
        "version_sha256": version.sha256,
        "grader": version.present_grader,
    }
    with tempfile.TemporaryFile() as raw:
        write_verdicts(report, raw, about=about)
        return storage.keep_bytes(raw, PARQUET)


def opened(sha256: str) -> VerdictFile:
    """The verdicts of a score, whatever release kept them.

    Args:
        sha256: The name of their file (`Score.verdicts_sha256`).

    Raises:
        DamagedFileError: The file is missing or changed.
    """
    path, footer = (
        _stored(sha256) or copies.copy_of(sha256) or copies.make(sha256, lambda raw: _fill(raw, sha256))
    )
    try:
        return VerdictFile(path, footer=footer)
    except DamagedFrameError as error:
        raise DamagedFileError(f"the stored file {sha256[:12]}… holds no verdicts") from error


def _stored(sha256: str) -> Verified | None:
    """The file where it lies as Parquet on a disk of this machine."""
    files = storages["artifacts"]
    if not isinstance(files, FileSystemStorage):
        return None
    path = Path(files.path(storage.name_of(sha256, PARQUET)))
    return copies.verified(path, sha256) if path.exists() else None


def _fill(raw: IO[bytes], sha256: str) -> None:
    """Fetch or convert a file. Raises DamagedFileError where it is missing or changed."""
    if not storage.exists(sha256, PARQUET):
        write_rows(storage.rows(sha256), raw)
        return
    with storage.open_packed(sha256, PARQUET) as stored:
        shutil.copyfileobj(stored, raw, 1 << 20)
    if storage.hash_of(raw) != sha256:
        raise DamagedFileError(f"the stored file {sha256[:12]}… does not match its SHA-256")
