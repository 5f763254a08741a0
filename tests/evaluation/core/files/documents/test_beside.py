"""The documents of a file of rows are found beside it, or given by name."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError, RowError
from evaluation.core.files.documents import beside, form
from evaluation.core.sealing.keyed_ids import OPEN_KEY

TEXTS = [{"book": f"text {number}"} for number in range(3)]
NAMES = [form.name_of(texts, OPEN_KEY) for texts in TEXTS]
ROWS = [{"id": f"r{n}", "document_id": NAMES[n % 3], "question": "?"} for n in range(6)]
WHOLE = [{"id": f"r{n}", "book": f"text {n % 3}", "question": "?"} for n in range(6)]


def write(rows: Path, documents: Path) -> Path:
    jsonl.write(rows, ROWS)
    jsonl.write(documents, [{"id": name, **texts} for name, texts in zip(NAMES, TEXTS, strict=True)])
    return rows


@pytest.mark.parametrize(
    ("rows", "documents"),
    [
        ("rows.jsonl.gz", "documents.jsonl.gz"),
        ("rows.jsonl", "documents.jsonl.gz"),
        ("rows.jsonl.gz", "documents.jsonl"),
        ("gold-tiny.rows.jsonl.gz", "gold-tiny.documents.jsonl.gz"),
        ("gold-tiny.rows.jsonl", "gold-tiny.documents.jsonl.gz"),
        ("rows-of-rows.jsonl", "rows-of-documents.jsonl"),
        ("mine.jsonl", "documents.jsonl.gz"),
        ("mine.jsonl", "mine.documents.jsonl.gz"),
        ("mine.gz", "mine.documents.jsonl"),
    ],
)
def test_documents_are_found_beside_their_rows(tmp_path: Path, rows: str, documents: str) -> None:
    path = write(tmp_path / rows, tmp_path / documents)
    assert beside.documents_beside(path) == tmp_path / documents
    assert list(beside.read(path)) == WHOLE


def test_documents_that_are_named_win_over_those_beside(tmp_path: Path) -> None:
    path = write(tmp_path / "rows.jsonl", tmp_path / "elsewhere.jsonl")
    (tmp_path / "documents.jsonl").write_text("no json\n")
    assert list(beside.read(path, tmp_path / "elsewhere.jsonl")) == WHOLE


def test_flat_rows_need_no_documents(tmp_path: Path) -> None:
    jsonl.write(tmp_path / "rows.jsonl", WHOLE)
    assert list(beside.read(tmp_path / "rows.jsonl")) == WHOLE


def test_without_documents_the_error_says_what_lies_where_and_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "gold-tiny.rows.jsonl.gz"
    jsonl.write(path, ROWS)
    with pytest.raises(RowError) as caught:
        list(beside.read(path))
    text = str(caught.value)
    assert text.startswith(f"{path}:1: the row names the document {NAMES[0]!r}")
    for word in ("gold-tiny.documents.jsonl.gz", "--documents FILE", "--flat"):
        assert word in text


def test_a_damaged_file_of_documents_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "rows.jsonl", tmp_path / "documents.jsonl.gz")
    whole = (tmp_path / "documents.jsonl.gz").read_bytes()
    (tmp_path / "documents.jsonl.gz").write_bytes(whole[:-12])
    with pytest.raises(RowError, match=r"documents.jsonl.gz:\d: the gzip data is damaged"):
        list(beside.read(path))


def test_each_document_may_be_a_gzip_member_of_its_own(tmp_path: Path) -> None:
    path = write(tmp_path / "rows.jsonl", tmp_path / "documents.jsonl")
    lines = (tmp_path / "documents.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "documents.jsonl.gz").write_bytes(b"".join(map(gzip.compress, lines)))
    (tmp_path / "documents.jsonl").unlink()
    assert list(beside.read(path)) == WHOLE


def test_documents_from_a_pipe_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "rows.jsonl", tmp_path / "documents.jsonl")
    reading, writing = os.pipe()
    try:
        with pytest.raises(BenchmarkError, match="a pipe"):
            list(beside.read(path, f"/dev/fd/{reading}"))
    finally:
        os.close(reading)
        os.close(writing)
