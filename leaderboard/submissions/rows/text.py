"""Excerpts of a row's text around a line, for pages."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from evaluation.core.plugin import Replay

#: Lines shown before and after the opened line.
BEFORE, BEHIND = 8, 15
#: Maximum characters of a line; our own lines are shorter.
LONGEST = 4000


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a row's text. `role` is "gold", "cited", "stale" or ""."""

    number: int
    text: str
    role: str
    is_here: bool


@dataclass(frozen=True, slots=True)
class Window:
    title: str
    lines: Sequence[Line]
    total: int
    here: int
    earlier: int | None
    later: int | None
    gold: Sequence[int]
    asked: int | None  # last line about the question, if the reader may see answers

    @property
    def last(self) -> int:
        return self.lines[-1].number if self.lines else 0


def window(seen: Replay, here: int, *, cited: Collection[int], answers: bool) -> Window:
    """Return the lines around line number `here`, from 1. Without `answers`, no line is marked as gold or cited."""
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
    """Return the line number of the last event at or before `step`, or 1 if there is no such event."""
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
