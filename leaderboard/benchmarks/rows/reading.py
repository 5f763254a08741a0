"""Reads frozen rows and joins them with their texts; both files have the same order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from evaluation.core.errors import RowError
from evaluation.core.files.documents import form, reader
from evaluation.core.files.documents.reader import RECENT, Documents
from evaluation.core.records import Row
from leaderboard.benchmarks import storage
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.storage import DamagedFileError


def documents_of(documents_sha256: str, *, keep: int | None = RECENT) -> Documents | None:
    """The stored documents with this hash; None if the hash is empty. Keeps `keep` of them in memory (None: all)."""
    if not documents_sha256:
        return None
    return Documents(
        lambda: enumerate(storage.lines(documents_sha256), 1),
        source=f"documents {documents_sha256[:12]}…",
        keep=keep,
    )


def rows_of(version: Version, *, keep: int | None = RECENT) -> Iterator[Row]:
    """The public rows of a frozen version with their texts, in file order. `keep` is as in `documents_of`.

    Raises storage.MissingFileError, or storage.DamagedFileError for an unreadable, changed or incomplete file.
    """
    rows = cast(Iterator[Row], storage.rows(version.rows_sha256))
    documents = documents_of(version.documents_sha256, keep=keep)
    if documents is None:
        yield from rows
        return
    try:
        yield from reader.join(rows, documents)
    except RowError as error:
        raise DamagedFileError(f"the texts of {version} do not fit its rows: {error}") from error


def short_rows_of(version: Version) -> Iterator[Row]:
    """The rows of `rows_of` for display: long texts that several rows share are cut in the middle."""
    shared = version.bound.shared_texts if version.documents_sha256 else ()
    return (form.cut(row, shared) for row in rows_of(version))
