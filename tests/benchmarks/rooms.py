"""Modules that a grading passes: `python -m tests.benchmarks.rooms`.

A room is a module of the engine that runs between the command and its suite's grading function, or between that and
the output. Modules that read options before, or score cases behind that function, do not count.
"""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from evaluation.cli import grade, main

DOORS = {
    ("evaluation.goldevidence.grading.grade", "grade_rows"),
    ("evaluation.goldevidence.cli.grade", "print_report"),
}


@contextmanager
def watched(passed: list[str]) -> Iterator[None]:
    """Append each module whose functions run to `passed`, once, in order of first use."""
    importing = behind = 0

    def look(frame: FrameType, event: str, _: Any) -> None:
        nonlocal importing, behind
        step = {"call": 1, "return": -1}.get(event, 0)
        module, code = frame.f_globals.get("__name__", ""), frame.f_code
        if code.co_name == "<module>":
            importing += step
        elif step and not importing and module.startswith("evaluation.") and code.co_flags & 1:  # a function
            if step == 1 and not behind and module not in passed:
                passed.append(module)
            behind += step * ((module, code.co_name) in DOORS)

    sys.setprofile(look)
    try:
        yield
    finally:
        sys.setprofile(None)


def rooms(words: Sequence[str]) -> list[str]:
    """The modules that `grade` passes with some options."""
    passed: list[str] = []
    run: Callable[[Any], int] = grade.run

    def look_and_run(args: Any) -> int:
        with watched(passed):
            return run(args)

    grade.run = look_and_run
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            main(["grade", *words])
    finally:
        grade.run = run
    return passed


def report() -> list[str]:
    """The modules passed for a small file of flat rows."""
    with tempfile.TemporaryDirectory() as folder:
        data, pred = f"{Path(folder, 'rows.jsonl')}", f"{Path(folder, 'pred.jsonl')}"
        with contextlib.redirect_stdout(io.StringIO()):
            main(["generate", "--episodes", "2", "--steps", "40", "--out", data])
            main(["run", "--data", data, "--out", pred])
        return rooms(["--data", data, "--pred", pred])


if __name__ == "__main__":
    found = report()
    print(f"rooms that `grade --data --pred` passes: {len(found)}", *found, sep="\n  ")
