"""The text of a row, a window of lines at a time, opened where it matters."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from evaluation.core.plugin import Replay

#: Lines before and behind the one at which a text is opened.
BEFORE, BEHIND = 8, 15
#: Characters of a line; nothing of ours is so long.
LONGEST = 4000


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the text. `role` is gold, cited, stale or nothing."""

    number: int
    text: str
    role: str
    is_here: bool


@dataclass(frozen=True, slots=True)
class Window:
    """Some lines of a text, and where to go on."""

    title: str
    lines: Sequence[Line]
    total: int
    here: int
    earlier: int | None
    later: int | None
    gold: Sequence[int]
    asked: int | None  # the last line about what is asked, for who may see the answers

    @property
    def last(self) -> int:
        """The number of the last line that is shown."""
        return self.lines[-1].number if self.lines else 0


def window(seen: Replay, here: int, *, cited: Collection[int], answers: bool) -> Window:
    """The lines around one of them.

    Args:
        seen: The replay.
        here: The line to open at, from 1; another is taken to the nearest.
        cited: The lines of the chosen answer.
        answers: Whether the reader may see the answers; else nothing is marked.
    """
    total = len(seen.lines)
    here = min(max(here, 1), max(total, 1))
    first = max(here - BEFORE, 1)
    last = min(first + BEFORE + BEHIND, total)
    first = max(min(first, last - BEFORE - BEHIND), 1)
    shown = [
        Line(
            number,
            _short(seen.lines[number - 1]),
            _role(seen, number, cited) if answers else "",
            number == here,
        )
        for number in range(first, last + 1)
    ]
    return Window(
        title=seen.text_title,
        lines=shown,
        total=total,
        here=here,
        earlier=max(first - BEHIND - 1, 1) if first > 1 else None,
        later=min(last + BEFORE + 1, total) if last < total else None,
        gold=sorted(seen.gold) if answers else (),
        asked=seen.line_asked if answers else None,
    )


def line_at(seen: Replay, step: int) -> int:
    """The last line that says something at a place of the axis or before it.

    Args:
        seen: The replay.
        step: The place.
    """
    marks = sorted((mark.at, mark.line) for lane in seen.lanes for mark in lane.marks)
    number = bisect_right(marks, (step, len(seen.lines) + 1)) - 1
    return marks[number][1] if number >= 0 else 1


def _role(seen: Replay, number: int, cited: Collection[int]) -> str:
    if number in seen.gold:
        return "gold"
    if number in cited:
        return "cited"
    return "stale" if number in seen.stale else ""


def _short(line: str) -> str:
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"
