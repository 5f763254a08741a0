"""The lines of a board: guessing, and the best of its oracles. Neither has a rank or a tie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from leaderboard.boards.guessing import Guessing
from leaderboard.boards.rows import BoardRow

#: What a scale has a line for. Rules lie between: a line for each would hide the bars.
GUESSING, ORACLE = "guessing", "oracle"
NEAR = 0.6  # of the scale, which is 136 px wide: two labels of 40 px, each on either side of its line


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


def lines(
    rows: Sequence[BoardRow], guessing: Guessing | None = None, *, better: str = "higher"
) -> list[ReferenceLine]:
    """Guessing and the best oracle, as lines on the scale of the headline.

    Args:
        rows: The references of a board.
        guessing: What guessing reaches on it; None where that is not known.
        better: Which headlines are better, `higher` or `lower`.

    Returns:
        At most one line of each; none of what has no figure from 0 to 1.
    """
    drawn = [ReferenceLine(GUESSING, guessing.name, guessing.value)] if guessing else []
    oracles = [
        (row.value, row.system.name) for row in rows if row.reference == ORACLE and row.value is not None
    ]
    if oracles:
        pick = max if better == "higher" else min
        value, name = pick(oracles, key=lambda each: each[0])
        drawn.append(ReferenceLine(ORACLE, name, value))
    return [line for line in drawn if 0 <= line.value <= 1]
