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
    "door", ["evaluation.goldevidence", "evaluation.statebench", "evaluation.suites", "evaluation.cli"]
)
def test_the_engine_imports_without_django(door):
    code = (
        f"import sys, {door}; from evaluation.suites import SUITES, get_suite; [get_suite(name) for name in SUITES]; "
        "print(sorted({m.split('.')[0] for m in sys.modules} & {'django', 'leaderboard', 'benchsite', 'llama_cpp'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "[]"
