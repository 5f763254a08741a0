"""Prints the tests of files changed since a commit, by default HEAD: `python .ci/near.py [COMMIT]`.

The tests of `a/b.py` are in `tests/a/test_b.py`; without such a file, in the nearest folder above with tests.
Changed templates are covered by the tests of templates.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ("benchsite", "evaluation", "leaderboard")
TEMPLATES = Path("tests/leaderboard/flows/test_templates.py")


def changed(since: str) -> list[Path]:
    """Files that differ from a commit, untracked ones included."""
    commands = (("diff", "--name-only", since), ("ls-files", "--others", "--exclude-standard"))
    outputs = (
        subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout
        for words in commands
    )
    return [Path(line) for output in outputs for line in output.splitlines()]


def tests_of(path: Path) -> Iterator[Path]:
    """Test files for a changed file."""
    if path.parts[0] == "templates":
        yield TEMPLATES
    elif path.name.startswith("test_") and path.suffix == ".py" and (ROOT / path).exists():
        yield path
    elif path.suffix == ".py" and path.parts[0] in (*SOURCES, "tests"):
        yield from _nearest(path if path.parts[0] == "tests" else Path("tests") / path)


def _nearest(path: Path) -> Iterator[Path]:
    own = path.with_name(f"test_{path.name}")
    if (ROOT / own).exists():
        yield own
        return
    for folder in path.parents[:-1]:  # without the root, which would select all tests
        if found := sorted((ROOT / folder).glob("test_*.py")):
            yield from (each.relative_to(ROOT) for each in found)
            return


if __name__ == "__main__":
    since = sys.argv[1] if len(sys.argv) > 1 else "HEAD"
    print(*sorted({test for path in changed(since) for test in tests_of(path)}), sep="\n")
