"""Shared parts of charts with one line per system: choice of the systems, axis of names, size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evaluation.core.terminal.wording import number_of
from leaderboard.boards.charts.marks import LONGEST, literal, shorten
from leaderboard.boards.figures.data import BoardSystem, FiguresBoard
from leaderboard.boards.figures.words import EMPTY_BOARD, about_shown
from leaderboard.boards.labels import LETTER

MOST_LINES = 20  # ranked systems, to fit a screen
LEAST_BOUNDS = 4  # references below them, even if the screen is full
PER_LINE, FRAME = 24, 90  # pixels of a line, and of the rest of the chart
LEAST = 170


@dataclass(frozen=True, slots=True)
class Lines:
    systems: Sequence[BoardSystem]  # systems with the drawn figures, in board order, without references
    bounds: Sequence[BoardSystem]  # references with these figures
    folded: Sequence[BoardSystem]  # the same, merged into one line if their figures are equal
    missing: int  # number of systems without the figures

    @property
    def shown(self) -> list[BoardSystem]:
        """The systems to draw: the first systems of the board, then references."""
        drawn = self.systems[:MOST_LINES]
        return [*drawn, *self.folded[: max(MOST_LINES - len(drawn), LEAST_BOUNDS)]]

    @property
    def everybody(self) -> list[BoardSystem]:
        """All systems, drawn or not, for the file to download."""
        return [*self.systems, *self.bounds]

    @property
    def words(self) -> str:
        """Sentences on how many systems are drawn, unless all are, and on the number of references; may be empty."""
        drawn = min(len(self.systems), MOST_LINES)
        return about_shown(drawn, len(self.systems)) + self._about_bounds(self.shown[drawn:])

    def _about_bounds(self, bounds: Sequence[BoardSystem]) -> str:
        where, count = "Below" if self.systems else "Drawn", sum(1 + len(each.alike) for each in bounds)
        one_line = "; baselines with equal figures share a line" if count > len(bounds) else ""
        return f" {where}: {number_of(count, 'baseline')}, not ranked{one_line}." if count else ""

    def left_out(self, without: str) -> str:
        """Sentence on how many systems are left out; empty if none is. `without` names the figures that they lack."""
        return f" Left out: {number_of(self.missing, 'system')} without {without}." if self.missing else ""


def lines_of(
    board: FiguresBoard, has: Callable[[BoardSystem], Any], drawn: Callable[[BoardSystem], Any]
) -> Lines:
    """Choose the systems for which `has` is true. References with one role and equal `drawn` values share a line."""
    systems, bounds = list(filter(has, board.systems)), list(filter(has, board.references))
    return Lines(systems, bounds, _folded(bounds, drawn), len(board.systems) - len(systems))


def _folded(bounds: Sequence[BoardSystem], drawn: Callable[[BoardSystem], Any]) -> list[BoardSystem]:
    """Merge references with one role and equal `drawn` values. The first lists the names of the others in `alike`."""
    alike: dict[str, list[BoardSystem]] = {}
    for each in bounds:
        alike.setdefault(repr((each.reference, drawn(each))), []).append(each)
    return [replace(first, alike=[each.name for each in others]) for first, *others in alike.values()]


def why_empty(board: FiguresBoard, without: str) -> str:
    """Reason why a chart is empty: either no system has the figures named in `without`, or the board is empty."""
    return f"No system on the board has {without}." if board.systems else EMPTY_BOARD


def axis_of_names(systems: Sequence[BoardSystem]) -> dict[str, object]:
    """A y axis with one position per system, the first on top. Positions are numbers, because names may be equal."""
    return {
        "tickmode": "array",
        "tickvals": list(range(len(systems))),
        "ticktext": list(map(literal, short_names([each.label for each in systems]))),
        "range": [len(systems) - 0.5, -0.5],
        "ticklabelstandoff": 6,
        "automargin": False,  # see `margin`
        "showgrid": False,
        "zeroline": False,
    }


def margin(systems: Sequence[BoardSystem], *, top: int = 12, bottom: int = 44) -> dict[str, int]:
    """Margins in pixels that fit the names of the systems. Plotly's automatic margins would take ten times as long."""
    longest = max((len(name) for name in short_names([each.label for each in systems])), default=0)
    return {"l": round(24 + LETTER * longest), "r": 16, "t": top, "b": bottom}


def short_names(names: Sequence[str]) -> list[str]:
    """Names shortened for the axis; names that would then be equal are cut in the middle."""
    short = [shorten(name) for name in names]
    times = Counter(short)
    half = LONGEST // 2
    return [
        text
        if times[text] == 1 or len(name) <= LONGEST
        else f"{name[:half].rstrip()}…{name[-half + 1 :].lstrip()}"
        for text, name in zip(short, names, strict=True)
    ]


def height(systems: Sequence[BoardSystem]) -> int:
    return max(LEAST, FRAME + PER_LINE * len(systems))
