"""Flat files: the bytes are those of plain JSON lines."""

from __future__ import annotations

import pytest

from evaluation.core import jsonl
from evaluation.goldevidence import generate
from evaluation.goldevidence.data import flat

CONFIG = {"episodes": 2, "steps": 20, "chapters": 2, "keys": 4, "queries": 3}


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.jsonl.gz"])
def test_the_file_is_the_one_that_jsonl_would_write(tmp_path, name):
    rows = [*generate(CONFIG), {"id": "a row without texts"}]
    (tmp_path / "plain").mkdir()
    assert flat.write(tmp_path / name, iter(rows)) == jsonl.write(tmp_path / "plain" / name, rows) == 13
    assert (tmp_path / name).read_bytes() == (tmp_path / "plain" / name).read_bytes()


def test_rows_read_back_as_they_were(tmp_path):
    rows = list(generate(CONFIG))
    flat.write(tmp_path / "rows.jsonl", rows)
    assert list(jsonl.read(tmp_path / "rows.jsonl")) == rows


def test_texts_with_strange_characters_are_written_as_jsonl_writes_them(tmp_path):
    rows = [
        {"id": "1", "book": "a\0b\u2028", "document": "\0", "question": "\0?"},
        {"id": "2", "document": "", "gold": None, "book": None},
        {"document": "first", "id": "3"},
    ]
    flat.write(tmp_path / "flat.jsonl", rows)
    jsonl.write(tmp_path / "plain.jsonl", rows)
    assert (tmp_path / "flat.jsonl").read_bytes() == (tmp_path / "plain.jsonl").read_bytes()


def test_rows_may_be_encoded_first_and_written_later(tmp_path):
    rows = [*generate(CONFIG), {"id": "a row without texts"}]
    groups = [flat.encode(rows[:6]), flat.encode([]), flat.encode(rows[6:])]
    assert flat.write_encoded(tmp_path / "encoded.jsonl", groups) == jsonl.write(
        tmp_path / "plain.jsonl", rows
    )
    assert (tmp_path / "encoded.jsonl").read_bytes() == (tmp_path / "plain.jsonl").read_bytes()
    assert len(groups[0][0]) == 4  # the logs and books of the episode and its twin
