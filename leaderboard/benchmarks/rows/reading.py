"""The frozen rows of a version with their texts, which lie in a file of their own where rows share them.

A text is read when its row is reached, and few stay in memory: rows and documents stand in one order.
"""

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
    """The stored documents of a version.

    Args:
        documents_sha256: The name of their file; empty where the rows hold their texts.
        keep: How many texts stay in memory, as of `Documents`.

    Returns:
        The documents, of which none is read yet; None where there are none.
    """
    if not documents_sha256:
        return None
    return Documents(
        lambda: enumerate(storage.lines(documents_sha256), 1),
        source=f"documents {documents_sha256[:12]}…",
        keep=keep,
    )


def rows_of(version: Version, *, keep: int | None = RECENT) -> Iterator[Row]:
    """The public rows of a version, each with its text.

    Args:
        version: A frozen one.
        keep: How many texts stay in memory; None: all that rows were given, for who holds all rows.

    Yields:
        Row after row, as they stand in the file.

    Raises:
        storage.MissingFileError: A file is not there.
        storage.DamagedFileError: A file cannot be read, does not hash to its name, or holds no document of a row's.
    """
    rows = cast(Iterator[Row], storage.rows(version.rows_sha256))
    documents = documents_of(version.documents_sha256, keep=keep)
    if documents is None:
        yield from rows
        return
    try:
        yield from reader.join(rows, documents)
    except RowError as error:
        raise DamagedFileError(f"the rows of {version} have lost their texts: {error}") from error


def short_rows_of(version: Version) -> Iterator[Row]:
    """The public rows of a version for a reader: of long texts which rows share their beginning and their end.

    Args:
        version: A frozen one.

    Yields:
        Row after row; those of a version whose rows hold their own texts as they are.

    Raises:
        storage.DamagedFileError: As `rows_of`.
    """
    shared = version.bound.shared_texts if version.documents_sha256 else ()
    return (form.cut(row, shared) for row in rows_of(version))
