"""The rows of a published data set -> a version: a glance at once, then read and frozen by a worker."""

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
    licence: str = "",
    sent_by: Any = None,
    wake_worker: bool = True,
) -> Version:
    """A draft version of a file of rows with gold, for a worker to read and freeze. Where it raises, nothing is kept.

    Args:
        preset: Whose settings the version gets.
        file: JSON lines, gzip or not.
        slug: The version's address; empty for the preset's name.
        title: Empty for the preset's.
        licence: Of the rows; empty for ours.
        sent_by: The account that sent the file by the browser; None for the site itself.
        wake_worker: False where the caller freezes it itself.

    Returns:
        The draft.

    Raises:
        ImportRefusedError: The file's beginning shows that it cannot be one.
        SettingsError: The preset takes no rows.
        freezing.FreezeError: There are too many versions of that slug.
        checking.BusyError: Another file of the account is being checked, or the site checks too many.
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
    """Queue a failed import again, with a corrected file.

    Args:
        version: The version whose import failed.
        file: JSON lines, gzip or not.
        sent_by: The account that sent the file by the browser; None for the site itself.

    Raises:
        ImportRefusedError: The file's beginning shows that it cannot be one.
        SettingsError: The version takes no rows.
        freezing.FreezeError: The version has not failed.
        checking.BusyError: Another file of the account is being checked, or the site checks too many.
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
    """Check whether the first `FIRST_ROWS` rows of a file can be graded.

    Args:
        version: What grades them.
        path: JSON lines, gzip or not.

    Raises:
        ImportRefusedError: A row of these is wrong, or there is none.
        SettingsError: With these settings no rows are taken.
    """
    for _ in sources.FileRows(path, version).items(FIRST_ROWS):
        pass


def _path_of(file: TemporaryUploadedFile | Path) -> Path:
    """Where a file lies that a browser sent: uploads are never kept in memory."""
    return file if isinstance(file, Path) else Path(file.temporary_file_path())
