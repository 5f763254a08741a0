"""The rows of a published data set -> a version: a glance at once, then read and frozen by a worker."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.files.uploadedfile import TemporaryUploadedFile

from leaderboard.benchmarks import freezing, sources
from leaderboard.benchmarks.models import Preset, Version
from leaderboard.benchmarks.sources import ImportRefusedError
from leaderboard.jobs import checking

__all__ = ["REFUSALS", "ImportRefusedError", "glance", "repeat", "start"]

#: Why a file is not taken, beside settings that take none.
REFUSALS = (ImportRefusedError, freezing.FreezeError, checking.BusyError)

#: Enough to see that a file is of another kind, in well under a second.
FIRST_ROWS = 20


def start(
    preset: Preset,
    file: TemporaryUploadedFile | Path,
    *,
    slug: str = "",
    title: str = "",
    sent_by: Any = None,
    wake_worker: bool = True,
) -> Version:
    """A draft version of a file of rows with gold, for a worker to read and freeze.

    `sent_by` is the account that sent it by the browser. Raises ImportRefusedError where its beginning shows that it
    cannot be one, SettingsError where the preset takes no rows, and checking.BusyError; then nothing is kept.
    """
    with checking.slot(sent_by):
        glance(preset.benchmark.engine, preset.checked_settings(), _path_of(file))
    upload = sources.receive(file)
    try:
        return freezing.start(preset=preset, slug=slug, title=title, upload=upload, wake_worker=wake_worker)
    except BaseException:
        sources.discard(upload)
        raise


def repeat(version: Version, file: TemporaryUploadedFile | Path, *, sent_by: Any = None) -> None:
    """Queue a failed import again, with a corrected file. Raises what `start` does."""
    with checking.slot(sent_by):
        glance(version.suite, version.settings, _path_of(file))
    upload, before = sources.receive(file), version.upload
    try:
        freezing.retry(version, upload=upload)
    except BaseException:
        sources.discard(upload)
        raise
    sources.discard(before)


def glance(suite: Any, settings: dict[str, Any], path: Path) -> None:
    """Whether the first rows of a file can be graded. Raises ImportRefusedError."""
    for _ in sources.FileRows(path, suite, settings).items(FIRST_ROWS):
        pass


def _path_of(file: TemporaryUploadedFile | Path) -> Path:
    """Where a file lies that a browser sent: uploads are never kept in memory."""
    return file if isinstance(file, Path) else Path(file.temporary_file_path())
