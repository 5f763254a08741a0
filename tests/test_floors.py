"""Three floors, arrows only downward."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FORBIDDEN = {
    "evaluation": {"django", "leaderboard", "benchsite", "celery", "ninja"},
    "leaderboard": {"benchsite"},
}


def imported(path: Path) -> set[str]:
    """Top-level packages a file imports, wherever in the file."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
    return found


@pytest.mark.parametrize("floor", FORBIDDEN)
def test_no_floor_imports_the_one_above_it(floor):
    files = list((ROOT / floor).rglob("*.py"))
    assert files
    arrows = {str(path.relative_to(ROOT)): imported(path) & FORBIDDEN[floor] for path in files}
    assert {path: up for path, up in arrows.items() if up} == {}


@pytest.mark.parametrize(
    "door", ["evaluation.goldevidence", "evaluation.statebench", "evaluation.core.suite", "evaluation.cli"]
)
def test_the_engine_imports_without_django(door):
    code = (
        f"import sys, {door}; from evaluation.core.suite import SUITES, get_suite; "
        "[get_suite(name) for name in SUITES]; "
        "print(sorted({m.split('.')[0] for m in sys.modules} & {'django', 'leaderboard', 'benchsite', 'llama_cpp'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "[]"


#: `migrations` grow by one file a change, and nobody looks for code there.
MOST_MODULES = 15  # with its `__init__`


@pytest.mark.parametrize("floor", ["evaluation", "leaderboard", "benchsite"])
def test_no_folder_has_more_modules_than_one_can_look_over(floor):
    folders = [
        path.parent for path in (ROOT / floor).rglob("__init__.py") if path.parent.name != "migrations"
    ]
    counts = {folder: len(list(folder.glob("*.py"))) for folder in folders}
    assert {str(folder.relative_to(ROOT)): n for folder, n in counts.items() if n > MOST_MODULES} == {}


def test_both_suites_have_the_same_folders_and_modules():
    shared = {
        "adapters",
        "cli",
        "columns",
        "data",
        "generator",
        "grading",
        "presets",
        "public",
        "suite",
        "systems",
    }
    for suite in ("goldevidence", "statebench"):
        found = {path.stem for path in (ROOT / "evaluation" / suite).iterdir()}
        assert shared <= found, suite
