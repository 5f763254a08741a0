"""The documents of a file of rows: they lie beside it, under the same name with `documents` in place of `rows`.

Beside `mine.jsonl.gz`, whose name says nothing of rows, they are `mine.documents.jsonl.gz`.
"""

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

#: What else they may be called.
NAMES = ("documents.jsonl.gz", "documents.jsonl")
OPTION = "--documents"


def add_option(parser: ArgumentParser) -> None:
    """Where the texts are, for commands that read rows."""
    parser.add_argument(
        OPTION,
        default="",
        metavar="FILE",
        help="the texts of rows that name a document_id (default: the file beside --data with documents in place of "
        "rows in its name, or documents.jsonl.gz)",
    )


def documents_beside(rows: str | Path) -> Path | None:
    """The file of documents that lies beside a file of rows.

    Args:
        rows: The file of rows.

    Returns:
        The file; None where there is none.
    """
    path = Path(rows)
    return next((found for found in _possible(path) if found != path and found.is_file()), None)


def beside(rows: str | Path) -> Path:
    """Where the documents of a file of rows belong.

    Args:
        rows: The file of rows.
    """
    return next(_possible(Path(rows)))


def _possible(path: Path) -> Iterator[Path]:
    before, rows, after = path.name.rpartition("rows")
    stem = path.name.removesuffix(".gz").removesuffix(".jsonl")
    name = f"{before}documents{after}" if rows else f"{stem}.documents.jsonl.gz"
    yield path.with_name(name)
    yield path.with_name(name.removesuffix(".gz") if name.endswith(".gz") else f"{name}.gz")
    yield from map(path.with_name, NAMES)


def open_documents(path: str | Path, *, keep: int | None = RECENT) -> Documents:
    """A file of documents.

    Args:
        path: The file; no pipe, as it may be read twice.
        keep: As of `Documents`.

    Raises:
        BenchmarkError: It is a pipe.
    """
    jsonl.read_again(path)
    return Documents(lambda: jsonl.lines(path), source=str(path), keep=keep)


def read(
    rows: str | Path, documents: str | Path = "", *, keep: int | None = RECENT
) -> Iterator[dict[str, Any]]:
    """The rows of a file, each with its texts.

    Args:
        rows: The file of rows, flat or with documents.
        documents: The file of documents; empty for the one beside it.
        keep: As of `Documents`.

    Raises:
        RowError: A line is no JSON object, or a document is missing, damaged, or there twice.
    """
    return (row for _, row in joined(jsonl.read_numbered(rows), rows, documents, keep=keep))


def joined(
    numbered: Iterator[tuple[int, Fields]],
    rows: str | Path,
    documents: str | Path = "",
    *,
    keep: int | None = RECENT,
) -> Iterator[tuple[int, Fields]]:
    """Rows with the numbers of their lines, each with its texts. Documents are opened by the first row that names one.

    Args:
        numbered: (line number, row) of the file of rows.
        rows: The file of rows, beside which the documents lie.
        documents: The file of documents; empty for the one beside it.
        keep: As of `Documents`.

    Raises:
        RowError: A document is missing, damaged, or there twice.
        BenchmarkError: `documents` is a pipe.
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
    """The documents beside a file of rows. Raises RowError that says where they are looked for."""
    if (path := documents_beside(rows)) is not None:
        return path
    reason = (
        f"the row names the document {name!r}, and there is no {beside(rows).name} beside the file: put the version's "
        f"documents there or name them with {OPTION} FILE (goldevidencebench download fetches both, and one flat file "
        "with --flat)"
    )
    raise RowError(reason, path=str(rows), line=number)
