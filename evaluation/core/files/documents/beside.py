"""Find the documents file of a rows file: `a.documents.jsonl.gz` for `a.rows.jsonl.gz` and for `a.jsonl.gz`."""

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

#: File names accepted for the documents of any file of rows in the same folder.
NAMES = ("documents.jsonl.gz", "documents.jsonl")
OPTION = "--documents"


def add_option(parser: ArgumentParser) -> None:
    parser.add_argument(
        OPTION,
        default="",
        metavar="FILE",
        help="texts of rows with a document_id (default: the file beside --data with documents instead of rows in its "
        "name, or documents.jsonl.gz)",
    )


def documents_beside(rows: str | Path) -> Path | None:
    path = Path(rows)
    return next((found for found in _possible(path) if found != path and found.is_file()), None)


def beside(rows: str | Path) -> Path:
    """Return the default path of the documents file for a rows file. The file need not exist."""
    return next(_possible(Path(rows)))


def _possible(path: Path) -> Iterator[Path]:
    before, rows, after = path.name.rpartition("rows")
    stem = path.name.removesuffix(".gz").removesuffix(".jsonl")
    name = f"{before}documents{after}" if rows else f"{stem}.documents.jsonl.gz"
    yield path.with_name(name)
    yield path.with_name(name.removesuffix(".gz") if name.endswith(".gz") else f"{name}.gz")
    yield from map(path.with_name, NAMES)


def open_documents(path: str | Path, *, keep: int | None = RECENT) -> Documents:
    """Open a file of documents, with the last `keep` texts (None: all) in memory. Raises BenchmarkError for a pipe."""
    jsonl.read_again(path)
    return Documents(lambda: jsonl.lines(path), source=str(path), keep=keep)


def read(
    rows: str | Path, documents: str | Path = "", *, keep: int | None = RECENT
) -> Iterator[dict[str, Any]]:
    """Yield rows with their texts. If `documents` is empty, the file beside `rows` is read. Raises RowError."""
    return (row for _, row in joined(jsonl.read_numbered(rows), rows, documents, keep=keep))


def joined(
    numbered: Iterator[tuple[int, Fields]],
    rows: str | Path,
    documents: str | Path = "",
    *,
    keep: int | None = RECENT,
) -> Iterator[tuple[int, Fields]]:
    """Put the texts into rows that come with their line numbers. Yields (line number, row with its texts).

    If `documents` is empty, the file beside `rows` is read. Raises RowError, or BenchmarkError if the documents are a
    pipe.
    """
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
    if (path := documents_beside(rows)) is not None:
        return path
    reason = (
        f"the row names the document {name!r}, but there is no {beside(rows).name} beside the file: put the version's "
        f"documents there or pass {OPTION} FILE (`goldevidencebench download` fetches both files; with --flat it "
        "fetches one file that needs no documents)"
    )
    raise RowError(reason, path=str(rows), line=number)
