"""Problems of one kind as one: twenty lines that lack the same field are one thing to correct."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from evaluation.core.checks import Problem

#: What differs between messages that say the same of different lines: ids, positions, counts, hints.
_OWN = re.compile(r"'[^']*'|\d[\d,]*| Did you mean .*$")
MOST_RANGES = 6  # of line numbers that are written out


@dataclass(frozen=True, slots=True)
class ProblemGroup:
    """Problems of one kind, in the order of the file."""

    problems: tuple[Problem, ...]

    @property
    def first(self) -> Problem:
        """The one that is shown for all."""
        return self.problems[0]

    @property
    def others(self) -> tuple[Problem, ...]:
        """All but the first."""
        return self.problems[1:]

    @property
    def code(self) -> str:
        """Which kind it is, for programs."""
        return self.first.code

    @property
    def lines(self) -> str:
        """`2–20, 24`: the lines concerned; empty where none is known."""
        return ranges(each.line for each in self.problems if each.line)

    def sentence(self, path: str) -> str:
        """`preds.jsonl:2:1: Not JSON. (and 19 more: lines 2–21)`, for a terminal.

        Args:
            path: The file, as it was named.
        """
        first, others = self.first, len(self.problems) - 1
        place = ":".join(str(part) for part in (path, first.line, first.column) if part)
        return f"{place}: {first.message}" + (f" (and {others:,} more: lines {self.lines})" if others else "")

    def as_dict(self) -> dict[str, Any]:
        """JSON-able: how many there are, in which lines, and the message of the first."""
        return {
            "code": self.code,
            "message": self.first.message,
            "count": len(self.problems),
            "lines": self.lines,
        }


def grouped(problems: Iterable[Problem]) -> list[ProblemGroup]:
    """Problems of one kind together, each kind where it comes first.

    Args:
        problems: In the order of the file.

    Returns:
        Groups of problems with the same code, whose messages differ by ids and numbers alone.
    """
    kinds: dict[tuple[str, str], list[Problem]] = {}
    for problem in problems:
        kinds.setdefault((problem.code, _OWN.sub("", problem.message)), []).append(problem)
    return [ProblemGroup(tuple(each)) for each in kinds.values()]


def ranges(numbers: Iterable[int]) -> str:
    """`2–20, 24, …`: numbers in words.

    Args:
        numbers: Ascending.

    Returns:
        Ranges with a comma between them, of more than `MOST_RANGES` the first ones; empty for no number.
    """
    found: list[list[int]] = []
    for number in numbers:
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    texts = [f"{low:,}" if low == high else f"{low:,}–{high:,}" for low, high in found]
    return ", ".join([*texts[:MOST_RANGES], *(["…"] if len(texts) > MOST_RANGES else [])])
