"""The tables of docs/reference.md: the reference's scripts with our commands, and lines that are not run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

from tests.live import ROOT

PAGE = ROOT / "docs" / "reference.md"
MODEL, REST = "MODEL", "…"
_CODE = re.compile(r"`([^`]+)`")


def scripts() -> list[tuple[list[str], list[list[str]]]]:
    """(words of the reference, our commands)."""
    return [(shlex.split(there), list(map(shlex.split, here))) for there, here in _rows("Scripts")]


def not_run() -> list[str]:
    """The README lines that are not run, as typed there."""
    return [there for there, _ in _rows("What does not run")]


def commands(words: Sequence[str]) -> list[list[str]]:
    """Our commands for a line of the README; empty if it is not run. Raises LookupError for an unknown one."""
    if words[0] == "goldevidencebench":
        return [list(words)]
    if " ".join(words) in not_run():
        return []
    for there, here in scripts():
        if (model := _matching(there, words)) is not None:
            rest = list(words[len(there) - 1 :]) if there[-1] == REST else []
            return [_filled(command, model, rest) for command in here]
    raise LookupError(f"{PAGE.name} does not say what this is here: {shlex.join(words)}")


def _matching(there: Sequence[str], words: Sequence[str]) -> str | None:
    """The model that a line names ("" for none) if a row of the table matches the line; else None."""
    fixed = there[:-1] if there[-1] == REST else there
    if len(words) < len(fixed) or (there[-1] != REST and len(words) != len(there)):
        return None
    model = ""
    for expected, word in zip(fixed, words, strict=False):
        if expected == MODEL:
            model = word
        elif expected != word:
            return None
    return model


def _filled(command: Sequence[str], model: str, rest: list[str]) -> list[str]:
    words = [word.replace(MODEL, model) for word in command if word != REST]
    return words + rest if REST in command else words


def _rows(heading: str) -> Iterator[tuple[str, list[str]]]:
    section = PAGE.read_text().split(f"\n## {heading}\n")[1].split("\n## ")[0]
    for line in section.splitlines():
        if line.startswith("| `"):
            there, here = line.strip("| ").split(" | ", 1)
            yield _CODE.findall(there)[0], _CODE.findall(here)
