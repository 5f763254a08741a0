"""The reference is timed beside ours; in these tests our own command stands in for it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.benchmarks import generate, grade, reference
from tests.live import ROOT


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Install a command that logs its name and runs ours; the path of the log."""
    path = tmp_path / "bin" / "goldevidencebench"
    path.parent.mkdir()
    path.write_text(
        f'#!/bin/sh\necho "$1" >> {tmp_path}/called\nPYTHONPATH={ROOT} exec {sys.executable} -m evaluation "$@"\n'
    )
    path.chmod(0o755)
    monkeypatch.setenv("REFERENCE", str(path))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return tmp_path / "called"


def test_both_programs_generate_in_one_run(stand_in: Path, capsys: pytest.CaptureFixture[str]) -> None:
    generate.main(sizes=(1,))
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        "written,     24 rows, the same options", "written,     24 rows, the same bytes", "in process,     24 rows",
    ]  # fmt: skip
    assert all("; the reference " in line and "of CPU" in line for line in lines[:2])
    assert stand_in.read_text().split() == ["generate"] * 2 * (reference.TIMES + 1)


def test_both_programs_grade_the_same_files(stand_in: Path, capsys: pytest.CaptureFixture[str]) -> None:
    grade.main(sizes=(1,))
    first, *frozen = capsys.readouterr().out.splitlines()
    assert "; the reference " in first
    assert all("reference" not in line for line in frozen)
    assert stand_in.read_text().split() == ["grade"] * (reference.TIMES + 1)


def test_without_the_reference_there_is_no_ratio(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("REFERENCE", raising=False)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    generate.main(sizes=(1,))
    out = capsys.readouterr().out
    assert "reference" not in out
    assert "x" not in out.replace("x of", "")


@pytest.mark.parametrize("path", ["nowhere", str(ROOT)])
def test_a_command_that_cannot_be_run_is_named(monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.setenv("REFERENCE", path)
    with pytest.raises(SystemExit, match=f"REFERENCE={path} is no program"):
        reference.command()


def test_a_run_that_fails_is_named(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="ended with 3"):
        reference.timed(["sh", "-c", "exit 3"])


def test_no_benchmark_divides_by_a_figure_of_another_machine() -> None:
    folder = Path(__file__).parent
    texts = {path: path.read_text() for path in folder.rglob("*.py") if path != Path(__file__)}
    assert [path for path, text in texts.items() if "REFERENCE = " in text or "/ REFERENCE" in text] == []
    assert "REFERENCE" in (Path(os.fspath(ROOT)) / "Makefile").read_text()
