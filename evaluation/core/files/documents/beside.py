"""Finding the documents of a file of rows: `documents` for `rows` in its name, else `mine.documents.jsonl.gz`."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evaluation.core import jsonl
from evaluation.core.errors import RowError
from evaluation.core.files.documents import form
from evaluation.core.files.documents.form import Fields
from evaluation.core.files.documents.reader import RECENT, Documents

#: Accepted names beside any file of rows.
NAMES = ("documents.jsonl.gz", "documents.jsonl")
OPTION = "--documents"


def add_option(parser: ArgumentParser) -> None:
    parser.add_argument(
        OPTION,
        default="",
        metavar="FILE",
        help="the texts of rows that name a document_id (default: the file beside --data with documents in place of "
        "rows in its name, or documents.jsonl.gz)",
    )


def documents_beside(rows: str | Path) -> Path | None:
    path = Path(rows)
    return next((found for found in _possible(path) if found != path and found.is_file()), None)


def beside(rows: str | Path) -> Path:
    """Path at which the documents of a file of rows belong."""
    return next(_possible(Path(rows)))


def _possible(path: Path) -> Iterator[Path]:
    before, rows, after = path.name.rpartition("rows")
    stem = path.name.removesuffix(".gz").removesuffix(".jsonl")
    name = f"{before}documents{after}" if rows else f"{stem}.documents.jsonl.gz"
    yield path.with_name(name)
    yield path.with_name(name.removesuffix(".gz") if name.endswith(".gz") else f"{name}.gz")
    yield from map(path.with_name, NAMES)


def open_documents(path: str | Path, *, keep: int | None = RECENT) -> Documents:
    """Open a file of documents. Raises BenchmarkError for a pipe, as the file may be read twice."""
    jsonl.read_again(path)
    return Documents(lambda: jsonl.lines(path), source=str(path), keep=keep)


def read(
    rows: str | Path, documents: str | Path = "", *, keep: int | None = RECENT
) -> Iterator[dict[str, Any]]:
    """The rows of a file with their texts; `documents` empty: those beside it. Raises RowError."""
    return (row for _, row in joined(jsonl.read_numbered(rows), rows, documents, keep=keep))


def joined(
    numbered: Iterator[tuple[int, Fields]],
    rows: str | Path,
    documents: str | Path = "",
    *,
    keep: int | None = RECENT,
) -> Iterator[tuple[int, Fields]]:
    """Numbered rows with their texts; documents are opened when named. Raises RowError, BenchmarkError for a pipe."""
    opened: Documents | None = None
    for number, row in numbered:
        name = form.document_named(row)
        if name is None:
            yield number, row
            continue
        if opened is None:
            opened = open_documents(documents or _found(rows, name, number), keep=keep)
        yield number, form.joined(row, opened.texts(name))
    if opened is not None:
        opened.finish()


def _found(rows: str | Path, name: str, number: int) -> Path:
    """The documents beside a file of rows. Raises RowError with the names that were tried."""
    if (path := documents_beside(rows)) is not None:
        return path
    reason = (
        f"the row names the document {name!r}, and there is no {beside(rows).name} beside the file: put the version's "
        f"documents there or name them with {OPTION} FILE (goldevidencebench download fetches both, and one flat file "
        "with --flat)"
    )
    raise RowError(reason, path=str(rows), line=number)
