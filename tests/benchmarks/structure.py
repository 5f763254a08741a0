"""How large and how entangled the product is: `python -m tests.benchmarks.structure`.

Lines and files; members of the suite protocol, counted from its three classes; circles of modules with lazy imports;
and the rooms (modules, and their packages) whose functions run while `goldevidencebench grade --data D --pred P` does,
with the calls that return to a room which another one had opened before.
"""

from __future__ import annotations

import io
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from types import FrameType
from typing import Any

from evaluation.cli import main
from evaluation.core.suite import RowReplays, Suite, SuiteVersion
from tests.test_floors import ROOT, imports

FLOORS = ("evaluation", "leaderboard", "benchsite")


def members_of(cls: type) -> list[str]:
    """The public members that a class itself declares."""
    return sorted(name for name in {*vars(cls), *cls.__annotations__} if not name.startswith("_"))


def sources() -> list[Path]:
    """The Python files of the product."""
    return [path for floor in FLOORS for path in (ROOT / floor).rglob("*.py")]


def circles() -> list[set[str]]:
    """Modules that import each other, in one circle or several that share a module."""
    below = imports()
    reached: dict[str, set[str]] = {}
    for module in below:
        seen, ahead = set[str](), [module]
        while ahead:
            fresh = below[ahead.pop()] - seen
            seen |= fresh
            ahead += fresh
        reached[module] = seen
    return [
        circle
        for module, seen in reached.items()
        if module in seen and module == min(circle := {one for one in seen if module in reached[one]})
    ]


def rooms(*command: str) -> tuple[set[str], int]:
    """The modules that a command passes, and the calls into one that was entered from elsewhere before."""
    passed: dict[tuple[str, str], None] = {}

    def enter(frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or frame.f_code.co_name == "<module>" or frame.f_back is None:
            return
        caller, called = (str(each.f_globals.get("__name__")) for each in (frame.f_back, frame))
        if called.startswith("evaluation.") and caller != called:
            passed[caller, called] = None

    sys.setprofile(enter)
    try:
        main(list(command))
    finally:
        sys.setprofile(None)
    entered = {called for _, called in passed}
    return entered, len(passed) - len(entered)


def table() -> list[tuple[str, str]]:
    """The lines that the house is measured by."""
    files = sources()
    nouns = {cls.__name__: len(members_of(cls)) for cls in (Suite, SuiteVersion, RowReplays)}
    quiet = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, redirect_stdout(quiet), redirect_stderr(quiet):
        data, preds = f"{folder}/data.jsonl", f"{folder}/preds.jsonl"
        main(["generate", "--episodes", "2", "--out", data])
        main(["run", "--baseline", "ledger", "--data", data, "--out", preds])
        passed, returns = rooms("grade", "--data", data, "--pred", preds)
    packages = {module.rpartition(".")[0] for module in passed}
    return [
        ("product Python, lines", f"{sum(len(path.read_text().splitlines()) for path in files):,}"),
        ("product Python, files", f"{len(files):,}"),
        ("members of the suite protocol", f"{sum(nouns.values())} {nouns}"),
        ("circles, lazy imports counted", f"{len(circles())}"),
        (
            "rooms that `grade --data --pred` passes",
            f"{len(passed)} modules, {len(packages)} packages, {returns} returns",
        ),
    ]


if __name__ == "__main__":
    lines = table()
    print("\n".join(f"{name:42}{value}" for name, value in lines))
