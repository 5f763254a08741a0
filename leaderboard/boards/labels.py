"""Where the names of points stand: beside their point, clear of each other, of all points and of a line.

Reckoned in pixels of the smallest picture that writes names (`figures.js` numbers the points of a narrower one), with
letters taken wider than they are. On a larger picture names only stand further apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

WIDTH, HEIGHT = 400.0, 250.0  # of the plot itself, without the axes
LETTER, LINE = 6.4, 15.0  # of a name, in pixels
DOT, AWAY = 6.0, 7.0  # half a point, and how far from its middle a name begins
#: Position -> how far a name reaches to the right and downwards: 0 around the middle, -1 to the left or above.
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
    """A plot with its axes, and what already stands on it. A logarithmic axis has powers of ten as its range."""

    across: Range
    up: Range
    logarithmic: bool = False  # the axis across
    taken: list[Box] = field(default_factory=list)

    def add_dots(self, places: Iterable[Place]) -> None:
        """Points that no name may cover."""
        for x, y in map(self._pixel, places):
            self.taken.append((x - DOT, y - DOT, x + DOT, y + DOT))

    def add_steps(self, corners: Sequence[Place]) -> None:
        """A line that goes across first and then up or down, from point to point."""
        pixels = [self._pixel(corner) for corner in corners]
        for (x, y), (to_x, to_y) in pairwise(pixels):
            self.taken.append((min(x, to_x), y - 1, max(x, to_x), y + 1))
            self.taken.append((to_x - 1, min(y, to_y), to_x + 1, max(y, to_y)))

    def name(self, text: str, place: Place) -> str:
        """Find room for the name of a point, and take it.

        Args:
            text: The name, as it is to be written.
            place: (x, y) of the point in the units of the axes.

        Returns:
            The first of `POSITIONS` at which the name is free; empty where none is.
        """
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
    """Where something of a length begins that stands before (-1), around (0) or after (1) the middle of a point."""
    return (-AWAY - length, -length / 2, AWAY)[side + 1]


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
