"""The picture of imports has the right counts, and is up to date."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FRAME = "# The house\n\n<!-- imports, drawn by `make picture` -->\n{}<!-- end of imports -->\n\nMore.\n"


def draw(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ".ci/draw_imports.py", "--root", str(root), *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A project with two boxes of the engine below two of the site."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/architecture.md").write_text(FRAME.format(""))
    files = {
        "evaluation/__init__.py": "__version__ = '1'",
        "evaluation/errors.py": "import json",
        "evaluation/suite/__init__.py": "",
        "evaluation/suite/grade.py": "from evaluation import errors\nfrom evaluation.suite import rows",
        "evaluation/suite/rows.py": "def lazily():\n    import evaluation.errors",
        "leaderboard/board.py": "from evaluation import __version__\nfrom evaluation.suite.grade import anything",
        "leaderboard/views.py": "from leaderboard import board",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def picture(root: Path) -> str:
    return (root / "docs/architecture.md").read_text()


def test_the_picture_in_the_document_is_of_today() -> None:
    done = draw(ROOT, "--check")
    assert done.returncode == 0, done.stderr


def test_every_import_between_two_boxes_is_one_arrow_however_often_and_wherever_it_stands(
    house: Path,
) -> None:
    assert draw(house).stdout == "4 boxes, 3 arrows, upward arrows: none\n"
    lines = picture(house).splitlines()
    assert [line.split()[1:] for line in lines if "\\" in line] == [
        ["leaderboard.views", "\\●··"],
        ["leaderboard.board", "·\\●·"],
        ["evaluation.suite", "··\\●"],
        ["evaluation.errors", "···\\"],
    ]
    assert lines[0] == "# The house"
    assert lines[-1] == "More."


def test_a_box_that_imports_what_stands_above_it_is_told(house: Path) -> None:
    (house / "evaluation/errors.py").write_text("from evaluation.suite import rows")
    assert draw(house).stdout == "4 boxes, 4 arrows, upward arrows: 1\n"
    assert "▲" in picture(house)


def test_a_picture_of_yesterday_fails_the_check_and_is_left_as_it_is(house: Path) -> None:
    assert draw(house).returncode == 0
    assert draw(house, "--check").returncode == 0
    before = picture(house)
    (house / "evaluation/new.py").write_text("from evaluation import errors")
    done = draw(house, "--check")
    assert (done.returncode, "make picture" in done.stderr) == (1, True)
    assert picture(house) == before


def test_a_document_without_a_place_for_it_is_not_touched(house: Path) -> None:
    (house / "docs/architecture.md").write_text("# The house\n")
    done = draw(house)
    assert (done.returncode, "has no place for the picture" in done.stderr) == (1, True)
    assert picture(house) == "# The house\n"
