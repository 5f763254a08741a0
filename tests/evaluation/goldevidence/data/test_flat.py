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
