"""Predictions are saved line by line; a torn line is cut off; a run is continued only by its own system."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluation import jsonl
from evaluation.adapters.base import Usage
from evaluation.errors import BenchmarkError
from evaluation.run_files import RunFiles, cut_torn_line
from evaluation.runner import RowResult

IDENTITY = {"adapter": "ledger", "settings": {"k": "8"}}


def result(number: int) -> RowResult:
    prediction = {"id": f"Q{number}", "value": "x", "support_ids": []}
    return RowResult(prediction["id"], prediction, Usage(prompt_tokens=10), number, 9, 1.0, 0.0)


def test_a_broken_run_goes_on_behind_its_last_whole_line(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    with RunFiles(path, IDENTITY) as files:
        files.save(result(1))
        files.save(result(2))
    path.write_bytes(path.read_bytes()[:-5])
    with RunFiles(path, IDENTITY, resume=True) as files:
        assert list(files.done_ids) == ["Q1"]
        assert files.usage.prompt_tokens == 10
        files.save(result(2))
    assert [row["id"] for row in jsonl.read(path)] == ["Q1", "Q2"]


def test_an_existing_file_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text("{}\n")
    with pytest.raises(BenchmarkError, match="add --resume"):
        RunFiles(path, IDENTITY)
    assert path.read_text() == "{}\n"


def test_a_run_is_not_continued_by_another_system(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    with RunFiles(path, IDENTITY) as files:
        files.save(result(1))
    with pytest.raises(BenchmarkError, match="begun with another settings"):
        RunFiles(path, IDENTITY | {"settings": {"k": "4"}}, resume=True)


def test_resuming_what_never_began_is_a_fresh_start(tmp_path: Path) -> None:
    with RunFiles(tmp_path / "p.jsonl", IDENTITY, resume=True) as files:
        assert not files.done_ids


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.text("ab", max_size=4)), st.text("ab", max_size=4))
def test_cutting_leaves_exactly_the_whole_lines(tmp_path: Path, lines: list[str], torn: str) -> None:
    whole = "".join(f"{line}\n" for line in lines)
    path = tmp_path / "lines"
    path.write_text(whole + torn)
    cut_torn_line(path)
    assert path.read_text() == whole


def test_a_file_without_a_journal_is_not_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text('{"id": "Q1"}\nhalf a line')
    with pytest.raises(BenchmarkError, match="no journal beside it"):
        RunFiles(path, IDENTITY, resume=True)
    assert path.read_text() == '{"id": "Q1"}\nhalf a line'


def test_another_systems_file_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    with RunFiles(path, IDENTITY) as files:
        files.save(result(1))
    path.write_text(path.read_text() + "torn")
    with pytest.raises(BenchmarkError, match="begun with another"):
        RunFiles(path, {"adapter": "naive"}, resume=True)
    assert path.read_text().endswith("torn")


@pytest.mark.parametrize(
    ("file", "line", "message"),
    [
        ("p.jsonl", '{"value": "x"}', "p.jsonl:2: the line names no row"),
        ("p.jsonl.journal", '{"id": "Q1"}', "p.jsonl.journal:3: the line is no entry of a journal"),
    ],
)
def test_a_line_that_says_nothing_is_named(tmp_path: Path, file: str, line: str, message: str) -> None:
    with RunFiles(tmp_path / "p.jsonl", IDENTITY) as files:
        files.save(result(1))
    with (tmp_path / file).open("a") as handle:
        handle.write(f"{line}\n")
    with pytest.raises(BenchmarkError, match=message):
        RunFiles(tmp_path / "p.jsonl", IDENTITY, resume=True)
