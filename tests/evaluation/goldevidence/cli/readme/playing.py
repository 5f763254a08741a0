"""The README of the reference, played block by block in one folder, as a reader types it.

The environment is that of a fresh session for each block. Scripts become our commands by the table in the docs.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from evaluation.cli import main
from tests.evaluation.goldevidence.cli.readme.powershell import PowerShell
from tests.evaluation.goldevidence.cli.readme.table import commands
from tests.reference import reference_path
from tests.tiny_gguf import CHAT_TEMPLATE, write_tiny_gguf

BLOCKS = 31
MODEL = "C:/AI/models/your-model.gguf"  # what the README calls the reader's model
#: What a reader sets besides: which model, and one thread, as the test's machine is shared.
READER = {"GOLDEVIDENCEBENCH_MODEL": "tiny.gguf", "GOLDEVIDENCEBENCH_THREADS": "1"}
#: Block -> seconds of its sweeps at full size, with a model of random weights on one core. The suite plays these with
#: fewer questions, `make readme` plays all as they are typed.
SLOW = {0: 40, 1: 5, 7: 36, 8: 56, 13: 40, 17: 16, 18: 16, 19: 13, 26: 200, 27: 13, 28: 8}
#: The last of two words for an option counts.
FEWER = ["--seeds", "1", "--queries", "1"]
SHORTER = ["--steps", "30"]  # of whole books besides: candidates are few lines
#: At full size, by `make readme`.
FULL = bool(os.environ.get("README_FULL"))
#: Blocks that others need, though they stand behind them: the data set, by its first line.
FIRST = "goldevidencebench generate"


class Played(NamedTuple):
    """One command: its words behind `goldevidencebench`, and how it ended."""

    words: list[str]
    code: int


@dataclass
class Reader:
    """Plays blocks, each once; `played` holds the commands by the number of their block."""

    folder: Path
    played: dict[int, list[Played]] = field(default_factory=dict)

    def play(self, number: int) -> list[Played]:
        """Play a block, and all blocks above it first."""
        order = sorted(range(BLOCKS), key=lambda at: not blocks()[at][0].startswith(FIRST))
        for at in order[: order.index(number) + 1]:
            if at not in self.played:
                self.played[at] = self._play(at)
        return self.played[number]

    def _play(self, number: int) -> list[Played]:
        done: list[Played] = []
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith("GOLDEVIDENCEBENCH_")
        }

        def type_in(words: list[str]) -> None:
            for command in commands([word.replace(MODEL, "tiny.gguf") for word in words]):
                typed = command[1:] + (_fewer(command) if number in SLOW and not FULL else [])
                done.append(Played(typed, self._run(typed, shell.environment)))

        shell = PowerShell(type_in, kept | READER)
        shell.run(blocks()[number])
        return done

    def _run(self, words: list[str], environment: Mapping[str, str]) -> int:
        """The exit code of a command in the reader's folder."""
        before = Path.cwd()
        os.chdir(self.folder)
        try:
            with patch.dict(os.environ, environment, clear=True):
                try:
                    return main(words)
                except SystemExit as error:
                    return int(error.code or 0)
        finally:
            os.chdir(before)


def blocks() -> list[list[str]]:
    """The lines of every block of the README."""
    return [
        block["lines"] for block in json.loads(reference_path("gold/documented_commands.json").read_text())
    ]


def _fewer(command: list[str]) -> list[str]:
    """The options that make a sweep of a model small."""
    if command[1] != "sweep" or "--adapter" not in command:
        return []
    return FEWER if "retrieval" in command[command.index("--adapter") + 1] else [*SHORTER, *FEWER]


def home(folder: Path) -> Path:
    """A reader's folder: the model, and predictions of their own."""
    write_tiny_gguf(folder / "tiny.gguf", chat_template=CHAT_TEMPLATE, terse=True)
    for name in ("data", "models"):
        (folder / name).mkdir()
    return folder
