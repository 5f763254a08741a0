"""Stored Parquet files of verdicts. Files in a bucket or in an old format are first copied to the local disk."""

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
    """Store the verdicts of a report. Returns the SHA-256 of the file, which is the same for equal verdicts."""
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
    """Open the verdicts file with this hash, in any release's format. Raises DamagedFileError if missing or changed."""
    path, footer = (
        _stored(sha256) or copies.copy_of(sha256) or copies.make(sha256, lambda raw: _fill(raw, sha256))
    )
    try:
        return VerdictFile(path, footer=footer)
    except DamagedFrameError as error:
        raise DamagedFileError(f"the stored file {sha256[:12]}… is not a file of verdicts") from error


def _stored(sha256: str) -> Verified | None:
    files = storages["artifacts"]
    if not isinstance(files, FileSystemStorage):
        return None
    path = Path(files.path(storage.name_of(sha256, PARQUET)))
    return copies.verified(path, sha256) if path.exists() else None


def _fill(raw: IO[bytes], sha256: str) -> None:
    if not storage.exists(sha256, PARQUET):
        write_rows(storage.rows(sha256), raw)
        return
    with storage.open_packed(sha256, PARQUET) as stored:
        shutil.copyfileobj(stored, raw, 1 << 20)
    if storage.hash_of(raw) != sha256:
        raise DamagedFileError(f"the stored file {sha256[:12]}… does not match its SHA-256")
