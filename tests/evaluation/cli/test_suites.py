"""How a command finds its suite."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.cli import main
from evaluation.cli.suites import option_value, suite_of
from evaluation.core import jsonl


@pytest.fixture
def timelines(tmp_path: Path) -> Path:
    path = tmp_path / "timelines.jsonl.gz"
    assert main(["generate", "--suite", "statebench", "--count", "1", "--out", str(path)]) == 0
    return path


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    assert main(["generate", "--preset", "smoke", "--out", str(path)]) == 0
    return path


@pytest.mark.parametrize(
    "words", [["--suite", "x", "--out", "y"], ["--out", "y", "--suite=x"], ["--suite", "x"]]
)
def test_an_option_is_read_before_there_is_a_parser(words: list[str]) -> None:
    assert option_value("--suite", words) == "x"


@pytest.mark.parametrize("words", [[], ["--out", "y"], ["--suite"]])
def test_an_option_that_is_not_given_is_empty(words: list[str]) -> None:
    assert option_value("--suite", words) == ""


def test_rows_say_whose_they_are(timelines: Path, rows: Path) -> None:
    assert suite_of(str(timelines)) == "statebench"
    assert suite_of(str(rows)) == "goldevidence"


@pytest.mark.parametrize("content", [None, b"", b"not json", b"{}"])
def test_a_file_that_says_nothing_leaves_the_default(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "rows.jsonl"
    if content is not None:
        path.write_bytes(content)
    assert suite_of(str(path)) == "goldevidence"


def test_one_command_line_answers_checks_and_grades_either_suite(
    timelines: Path, rows: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for data in (timelines, rows):
        pred = str(tmp_path / "pred.jsonl")
        assert main(["run", "--data", str(data), "--out", pred]) == 0
        assert main(["validate", "--data", str(data), "--pred", pred]) == 0
        assert main(["grade", "--data", str(data), "--pred", pred]) == 0
    output = capsys.readouterr().out
    assert "decision_accuracy" in output
    assert "exact_acc" in output


def test_both_command_lines_of_statebench_write_the_same(timelines: Path, tmp_path: Path) -> None:
    old = tmp_path / "old.jsonl"
    assert main(["state", "generate", "--count", "1", "--out", str(old)]) == 0
    assert list(jsonl.read(old)) == list(jsonl.read(timelines))


def test_a_preset_of_statebench_can_be_generated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "generate",
        "--suite",
        "statebench",
        "--count",
        "1",
        "--out",
        str(tmp_path / "t.jsonl"),
        "--preset",
    ]
    assert main([*words, "quick"]) == 0
    assert main([*words, "quik"]) == 2
    assert "quick" in capsys.readouterr().err
