"""What pictures with a line a system share: the axis of names, the height, and what the columns of files are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.core.terminal.wording import noun, number_of
from leaderboard.boards.charts.marks import LONGEST, literal, shorten
from leaderboard.boards.figures.data import FiguresBoard, OfSystem
from leaderboard.boards.figures.words import NOBODY, about_shown
from leaderboard.boards.labels import LETTER

MOST_LINES = 20  # of systems that contest the board: what fits a screen
LEAST_BOUNDS = 4  # of references below them, however many they are
PER_LINE, FRAME = 24, 90  # pixels of a line, and of the rest of the picture
LEAST = 170


@dataclass(frozen=True, slots=True)
class Lines:
    """The systems of a picture with a line a system."""

    systems: Sequence[OfSystem]  # who contests the board and has what is drawn, in board order
    bounds: Sequence[OfSystem]  # the reference systems that have it
    missing: int  # how many contest the board without it

    @property
    def shown(self) -> list[OfSystem]:
        """The lines that are drawn: the first on the board, and references below them."""
        drawn = self.systems[:MOST_LINES]
        return [*drawn, *self.bounds[: max(MOST_LINES - len(drawn), LEAST_BOUNDS)]]

    @property
    def everybody(self) -> list[OfSystem]:
        """What a file holds."""
        return [*self.systems, *self.bounds]

    @property
    def words(self) -> str:
        """Which of them are drawn, where that is not all; and what the references are. It follows a sentence."""
        drawn = min(len(self.systems), MOST_LINES)
        return about_shown(drawn, len(self.systems)) + self._about_bounds(len(self.shown) - drawn)

    def _about_bounds(self, count: int) -> str:
        where, contests = "Below" if self.systems else "Drawn", noun(count, "contests", "contest")
        return f" {where}: {number_of(count, 'reference system')}, which {contests} nothing." if count else ""

    def left_out(self, without: str) -> str:
        """How many are missing, and why; empty where nobody is. It follows a sentence.

        Args:
            without: What they lack: `rates in two orders`.
        """
        return f" Left out: {number_of(self.missing, 'system')} without {without}." if self.missing else ""


def lines_of(board: FiguresBoard, has: Callable[[OfSystem], Any]) -> Lines:
    """The systems that have what a picture draws.

    Args:
        board: Their board.
        has: Whether a system has it.
    """
    systems, bounds = list(filter(has, board.systems)), list(filter(has, board.references))
    return Lines(systems, bounds, len(board.systems) - len(systems))


def nobody(board: FiguresBoard, without: str) -> str:
    """Why a picture has no system of those that contest the board.

    Args:
        board: Which has none with it.
        without: What they lack: `rates in two orders`.
    """
    return f"No system that contests the board has {without}." if board.systems else NOBODY


def axis_of_names(systems: Sequence[OfSystem]) -> dict[str, object]:
    """An axis with a place a system, the first on top. Places are numbers: two systems may share a name.

    Args:
        systems: In their order from the top, at the places 0, 1, 2 …
    """
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


def margin(systems: Sequence[OfSystem], *, top: int = 12, bottom: int = 44) -> dict[str, int]:
    """The room around a picture. Left to find it, Plotly draws everything up to five times, ten times as long.

    Args:
        systems: Whose names stand to the left; `figures.js` shortens them on a phone.
        top: Pixels above, without a legend.
        bottom: Pixels below.
    """
    longest = max((len(name) for name in short_names([each.label for each in systems])), default=0)
    return {"l": round(24 + LETTER * longest), "r": 16, "t": top, "b": bottom}


def short_names(names: Sequence[str]) -> list[str]:
    """Names as they stand before their lines: those that would look alike keep their ends, too.

    Args:
        names: Of systems, of whatever length.
    """
    short = [shorten(name) for name in names]
    times = Counter(short)
    half = LONGEST // 2
    return [
        text
        if times[text] == 1 or len(name) <= LONGEST
        else f"{name[:half].rstrip()}…{name[-half + 1 :].lstrip()}"
        for text, name in zip(short, names, strict=True)
    ]


def height(systems: Sequence[OfSystem]) -> int:
    """Of a picture with a line a system.

    Args:
        systems: That are drawn.
    """
    return max(LEAST, FRAME + PER_LINE * len(systems))
