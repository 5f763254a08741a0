"""Use of the released packages by tests: in a process of their own, with files between."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

from evaluation.core import jsonl
from tests.conftest import RELEASED

PROGRAM = Path(__file__).with_name("released_program.py")
Rows = list[dict[str, Any]]


def ask(release: str, timelines: Rows, responses: Rows, folder: Path) -> tuple[Rows, Rows]:
    """Ask the package of a release about timelines in its format, and responses to them.

    Args:
        release: 1.0 or 2.0.
        timelines: Timelines in the format of the release.
        responses: Lines of a responses file; a query may be answered several times.
        folder: Empty folder for the files.

    Returns:
        For each timeline its id and the reason of its refusal (None if accepted), and each response's verdict.
    """
    folder.mkdir(parents=True, exist_ok=True)
    jsonl.write(folder / "timelines.jsonl", timelines)
    jsonl.write(folder / "responses.jsonl", responses)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [str(RELEASED[release]), str(PROGRAM), str(folder)]
    subprocess.run(command, check=True, env=environment, cwd=folder, timeout=120)
    return tuple(list(jsonl.read(folder / name)) for name in ("schema.jsonl", "verdicts.jsonl"))
