"""Rows and texts as tables; each text is stored once."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from evaluation.core.files.documents import form
from evaluation.core.files.documents.writer import DocumentSpool
from evaluation.core.sealing.keyed_ids import OPEN_KEY
from evaluation.core.suite import get_suite
from evaluation.frames import documents_frame, grouped_file, read_frame, rows_frame, write_document_file
from evaluation.frames.schema import DOCUMENTS

DOCUMENT_LINES = [
    {"id": f"d{number:012x}", "book": f"text {number}\n" * number, "canary": "mark"} for number in range(1, 9)
]


def test_a_text_is_a_line_and_comes_back_with_its_type(tmp_path: Path) -> None:
    frame = documents_frame(DOCUMENT_LINES)
    assert list(frame.columns) == DOCUMENTS.columns
    assert list(frame["text"]) == [line["book"] for line in DOCUMENT_LINES]
    assert write_document_file(DOCUMENT_LINES, tmp_path / "documents.parquet") == 8
    assert read_frame(tmp_path / "documents.parquet", DOCUMENTS).equals(frame)


def test_it_is_written_in_groups_that_fit_into_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grouped_file, "GROUP_CHARACTERS", 60)
    path = tmp_path / "documents.parquet"
    write_document_file(iter(DOCUMENT_LINES), path)
    sizes = [pq.ParquetFile(path).metadata.row_group(group).num_rows for group in range(5)]
    assert sum(sizes) <= 8
    assert sizes[0] > 1
    assert list(read_frame(path, DOCUMENTS)["id"]) == [line["id"] for line in DOCUMENT_LINES]


@pytest.mark.parametrize("protocol", ["open", "closed", "build"])
def test_rows_that_name_a_document_are_questions_without_its_text(protocol: str) -> None:
    suite = get_suite("goldevidence")
    generator = {"episodes": 1, "steps": 40, "queries": 3, "keys": 5, "chapters": 2, "twins": False}
    settings = suite.settings.checked({"generator": generator, "protocol": protocol})
    spool = DocumentSpool(suite.version(settings).shared_texts, OPEN_KEY, {})
    rows = [suite.public_row(row) for item in suite.version(settings).generate() for row in item.rows]
    short = [spool.part(row)[0] for row in rows]
    frame = rows_frame(short, suite)
    assert list(frame["id"]) == [row["id"] for row in rows]
    assert list(frame["document_id"]) == [form.document_named(row) for row in short]
    assert frame["shown"].isna().all()
    assert frame["row"].str.len().max() < 1_000
    assert rows_frame(rows, suite)["document_id"].isna().all()
