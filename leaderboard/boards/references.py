"""The reference systems of a board: what bounds it, drawn as lines and listed below, in no rank and no tie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from leaderboard.boards.rows import BoardRow

#: What a scale has a line for. Rules lie between: a line for each would hide the bars.
DRAWN = ("floor", "oracle")
NEAR = 0.45  # of the scale, which is 136 px wide: two labels of 30 px, each on either side of its line


class ReferenceLine(NamedTuple):
    """Where a scale from 0 to 1 has a line, and what it says."""

    role: str
    name: str
    value: float

    @property
    def position(self) -> str:
        """Its place on the scale, as SVG has it."""
        return f"{100 * self.value:.2f}%"

    @property
    def anchor(self) -> str:
        """Which end of its label stands at the line, so that the label stays on the scale."""
        return "start" if self.value < 0.25 else "end"


def labels(drawn: Sequence[ReferenceLine]) -> list[tuple[ReferenceLine, str]]:
    """What stands at which line: of lines too near each other for two labels the last has both.

    Args:
        drawn: As `lines` has them.

    Returns:
        (line, text) of each label.
    """
    if len(drawn) > 1 and max(line.value for line in drawn) - min(line.value for line in drawn) < NEAR:
        return [(drawn[-1], ", ".join(line.role for line in drawn))]
    return [(line, line.role) for line in drawn]


def lines(rows: Sequence[BoardRow], *, better: str = "higher") -> list[ReferenceLine]:
    """The best oracle and the best floor, as lines on the scale of the headline.

    Args:
        rows: The references of a board.
        better: Which headlines are better, `higher` or `lower`.

    Returns:
        At most one line a role; none where nobody of it has a figure from 0 to 1.
    """
    pick = max if better == "higher" else min
    drawn = []
    for role in DRAWN:
        known = [
            row for row in rows if row.reference == role and row.value is not None and 0 <= row.value <= 1
        ]
        if known:
            best = pick(known, key=lambda row: row.value or 0.0)
            drawn.append(ReferenceLine(role, best.system.name, best.value or 0.0))
    return drawn
