"""Imports a published data set: a quick check at once, then a worker reads and freezes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.files.uploadedfile import TemporaryUploadedFile

from evaluation.core.suite import SuiteVersion
from leaderboard.benchmarks import freezing, sources
from leaderboard.benchmarks.models import Preset, Version
from leaderboard.benchmarks.sources import ImportRefusedError
from leaderboard.jobs import checking

__all__ = ["REFUSALS", "ImportRefusedError", "glance", "repeat", "start"]

#: Errors for a refused file, besides SettingsError.
REFUSALS = (ImportRefusedError, freezing.FreezeError, checking.BusyError)

#: Rows that are checked at once: enough to recognise a wrong file, in well under a second.
FIRST_ROWS = 20


def start(
    preset: Preset,
    file: TemporaryUploadedFile | Path,
    *,
    slug: str = "",
    title: str = "",
    licence: str = "",
    sent_by: Any = None,
    wake_worker: bool = True,
) -> Version:
    """Draft a version from a file of rows with gold (JSON lines, gzipped or not). On errors nothing is stored.

    `sent_by` is the sender's account; None: the site itself.

    Raises:
        ImportRefusedError: The first rows are invalid.
        SettingsError: The preset does not support imports.
        freezing.FreezeError: There are too many versions with that slug.
        checking.BusyError: No check slot is free.
    """
    with checking.slot(sent_by):
        glance(preset.bound, _path_of(file))
    upload = sources.receive(file)
    try:
        return freezing.start(
            preset=preset, slug=slug, title=title, upload=upload, licence=licence, wake_worker=wake_worker
        )
    except BaseException:
        sources.discard(upload)
        raise


def repeat(version: Version, file: TemporaryUploadedFile | Path, *, sent_by: Any = None) -> None:
    """Queue a failed import again with a corrected file.

    Raises FreezeError if the import has not failed, and the errors of `start` for an invalid file.
    """
    with checking.slot(sent_by):
        glance(version.bound, _path_of(file))
    upload, before = sources.receive(file), version.upload
    try:
        freezing.retry(version, upload=upload)
    except BaseException:
        sources.discard(upload)
        raise
    sources.discard(before)


def glance(version: SuiteVersion, path: Path) -> None:
    """Check that the first `FIRST_ROWS` rows can be graded. Raises ImportRefusedError or SettingsError."""
    for _ in sources.FileRows(path, version).items(FIRST_ROWS):
        pass


def _path_of(file: TemporaryUploadedFile | Path) -> Path:
    # Uploads always have a path: they are never kept in memory.
    return file if isinstance(file, Path) else Path(file.temporary_file_path())
