"""The released packages as tests ask them: in a process of their own, with files between."""

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
    """What the package of a release says of timelines in its format, and of responses to them.

    Args:
        release: 1.0 or 2.0.
        timelines: In the format of the release.
        responses: As in a file of responses; a query may be answered several times.
        folder: An empty one, for the files.

    Returns:
        For each timeline its id and why it is refused (None: it is not), and for each response its verdict.
    """
    folder.mkdir(parents=True, exist_ok=True)
    jsonl.write(folder / "timelines.jsonl", timelines)
    jsonl.write(folder / "responses.jsonl", responses)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [str(RELEASED[release]), str(PROGRAM), str(folder)]
    subprocess.run(command, check=True, env=environment, cwd=folder, timeout=120)
    return tuple(list(jsonl.read(folder / name)) for name in ("schema.jsonl", "verdicts.jsonl"))
