"""Places labels beside the points of a chart, so that no label overlaps another label, a point or a line.

Positions are computed for the smallest chart that shows names (on a narrower chart `figures.js` numbers the points),
with an overestimated width of letters. On a larger chart labels are only further apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

WIDTH, HEIGHT = 400.0, 250.0  # of the plot, without the axes
LETTER, LINE = 6.4, 15.0  # width of a letter and height of a line, in pixels
DOT, AWAY = 6.0, 7.0  # radius of a point, and distance from its centre to the label
#: Position -> (x, y) side of the point: 1 right or below, -1 left or above, 0 centred. In order of preference.
POSITIONS: dict[str, tuple[int, int]] = {
    "middle right": (1, 0),
    "middle left": (-1, 0),
    "top right": (1, -1),
    "top left": (-1, -1),
    "bottom right": (1, 1),
    "bottom left": (-1, 1),
    "top center": (0, -1),
    "bottom center": (0, 1),
}

Range = tuple[float, float]
Place = tuple[float, float]
Box = tuple[float, float, float, float]  # left, top, right, bottom


@dataclass(slots=True)
class Canvas:
    """The area of a plot, with its occupied boxes. The range of a logarithmic axis is in powers of ten."""

    across: Range
    up: Range
    logarithmic: bool = False  # x axis
    taken: list[Box] = field(default_factory=list)

    def add_dots(self, places: Iterable[Place]) -> None:
        """Mark the boxes around points as occupied."""
        for x, y in map(self._pixel, places):
            self.taken.append((x - DOT, y - DOT, x + DOT, y + DOT))

    def add_steps(self, corners: Sequence[Place]) -> None:
        """Mark a stepped line as occupied, which goes from each corner first across, then up or down."""
        pixels = [self._pixel(corner) for corner in corners]
        for (x, y), (to_x, to_y) in pairwise(pixels):
            self.taken.append((min(x, to_x), y - 1, max(x, to_x), y + 1))
            self.taken.append((to_x - 1, min(y, to_y), to_x + 1, max(y, to_y)))

    def name(self, text: str, place: Place) -> str:
        """Find the first free position for the label of a point, and mark it as occupied. Empty if none is free."""
        for position in POSITIONS:
            box = self._box(text, place, position)
            if self._inside(box) and not any(_meet(box, other) for other in self.taken):
                self.taken.append(box)
                return position
        return ""

    def _pixel(self, place: Place) -> Place:
        (left, right), (bottom, top) = self.across, self.up
        at = math.log10(place[0]) if self.logarithmic else place[0]
        return WIDTH * (at - left) / (right - left), HEIGHT * (top - place[1]) / (top - bottom)

    def _box(self, text: str, place: Place, position: str) -> Box:
        (x, y), (right, down), width = self._pixel(place), POSITIONS[position], LETTER * len(text)
        left, top = x + _start(right, width), y + _start(down, LINE)
        return left, top, left + width, top + LINE

    def _inside(self, box: Box) -> bool:
        return box[0] >= 0 and box[1] >= 0 and box[2] <= WIDTH and box[3] <= HEIGHT


def _start(side: int, length: float) -> float:
    """Start of a label on one axis, relative to the point: before (`side` -1), around (0) or after (1) the point."""
    return (-AWAY - length, -length / 2, AWAY)[side + 1]


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
