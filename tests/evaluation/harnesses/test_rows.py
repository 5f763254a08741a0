"""The rows that a harness asks."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError, UnknownNameError
from evaluation.core.suite import get_suite
from evaluation.harnesses.rows import graded_rows_of, rows_of


def test_a_file_or_a_preset_is_a_version(tmp_path: Path) -> None:
    made = rows_of("goldevidence:smoke")
    jsonl.write(tmp_path / "rows.jsonl", made)
    assert rows_of(str(tmp_path / "rows.jsonl")) == made
    assert made.has_gold


def test_what_is_neither_is_said() -> None:
    with pytest.raises(
        BenchmarkError, match="neither a file nor a `benchmark/version` of a site nor a `suite:preset`"
    ):
        rows_of("smoke")
    with pytest.raises(UnknownNameError, match="preset"):
        rows_of("goldevidence:smok")


def test_a_harness_that_scores_by_itself_needs_gold(tmp_path: Path) -> None:
    made = graded_rows_of("goldevidence:smoke")
    assert made == rows_of("goldevidence:smoke")
    jsonl.write(tmp_path / "rows.jsonl", map(get_suite("goldevidence").public_row, made))
    with pytest.raises(BenchmarkError, match=r"the gold of .+rows\.jsonl is withheld"):
        graded_rows_of(str(tmp_path / "rows.jsonl"))
