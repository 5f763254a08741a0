"""Reference lines on the scale of a board: guessing, and the best oracle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from leaderboard.boards.guessing import Guessing
from leaderboard.boards.rows import BoardRow

#: Roles with a line. Rules lie between the two: lines for them would hide the bars.
GUESSING, ORACLE = "guessing", "oracle"
NEAR = 0.6  # share of the scale of 136 px: two labels of 40 px, each on either side of its line


class ReferenceLine(NamedTuple):
    """A line on a scale from 0 to 1, with its label."""

    role: str
    name: str
    value: float

    @property
    def position(self) -> str:
        """The x coordinate of the line in SVG."""
        return f"{100 * self.value:.2f}%"

    @property
    def anchor(self) -> str:
        """The side of the line on which its label stays within the scale, as `text-anchor` of SVG."""
        return "start" if self.value < 0.25 else "end"


def labels(drawn: Sequence[ReferenceLine]) -> list[tuple[ReferenceLine, str]]:
    """The labels of lines, as (line, text). Lines that are too close for two labels share one, at the last line."""
    if len(drawn) > 1 and max(line.value for line in drawn) - min(line.value for line in drawn) < NEAR:
        return [(drawn[-1], ", ".join(line.role for line in drawn))]
    return [(line, line.role) for line in drawn]


def lines(
    rows: Sequence[BoardRow], guessing: Guessing | None = None, *, better: str = "higher"
) -> list[ReferenceLine]:
    """Lines for guessing and for the best oracle among `rows`, if their values are from 0 to 1."""
    drawn = [ReferenceLine(GUESSING, guessing.name, guessing.value)] if guessing else []
    oracles = [
        (row.value, row.system.name) for row in rows if row.reference == ORACLE and row.value is not None
    ]
    if oracles:
        pick = max if better == "higher" else min
        value, name = pick(oracles, key=lambda each: each[0])
        drawn.append(ReferenceLine(ORACLE, name, value))
    return [line for line in drawn if 0 <= line.value <= 1]


def folded(rows: Sequence[BoardRow]) -> list[tuple[BoardRow, list[BoardRow]]]:
    """Group references with equal role and figures, as (first reference, further references)."""
    alike: dict[str, list[BoardRow]] = {}
    for row in rows:
        curve = [point.rate for point in row.lengths.points] if row.lengths else []
        shown = row.reference, row.value, row.low, row.high, curve, row.own_decomposition
        alike.setdefault(repr(shown), []).append(row)
    return [(first, others) for first, *others in alike.values()]
