"""The headline on a scale from the floor of a board to its ceiling: 0 reads nothing, 1 is all that can be reached.

docs/statistics.md defines it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from evaluation.core.suite import Column
from leaderboard.benchmarks.models import Version
from leaderboard.boards.placements import placements, ranking
from leaderboard.boards.slices import BoardSlice
from leaderboard.submissions.models import Submission
from leaderboard.submissions.scores.score_tables import Interval

FLOOR, CEILING = "floor", "oracle"
SCALED = Column(
    placements.SCALED,
    "Scaled",
    "Where the headline lies between the best floor reference of this board (0) and its best oracle (1). The interval "
    "is the headline's, with those two taken as fixed.",
)
#: References that are closer than this coincide: every figure between them would be noise.
LEAST_DISTANCE = 1e-6


class Scale(NamedTuple):
    """What is 0 and what is 1, as headlines."""

    floor: float
    ceiling: float

    def scaled(self, value: float | None) -> float | None:
        """A headline on the scale; None where there is none.

        Args:
            value: The headline, which may lie outside of the two.
        """
        return None if value is None else (value - self.floor) / (self.ceiling - self.floor)

    def interval(self, ends: Interval) -> Interval:
        """The interval of a headline on the scale.

        Args:
            ends: Where it begins and ends; None where there is none.
        """
        if ends is None:
            return None
        first, last = sorted((end - self.floor) / (self.ceiling - self.floor) for end in ends)
        return first, last


def scale_of(version: Version, part: BoardSlice) -> Scale | None:
    """The scale of a board, whatever filters leave out. One query.

    Args:
        version: Whose board it is.
        part: Whose rows it is ordered by.

    Returns:
        The best floor and the best oracle by those rows; None where the board lacks one of them, or where they
        coincide.
    """
    references = Submission.objects.on_board(version).filter(system__reference__in=(FLOOR, CEILING))
    references = references.exclude(system__kind__in=list(version.suite.unranked))
    [contestants] = placements.contestants_of(version, references, [part])
    figures = ranking.figures(contestants) if part else {}
    values: dict[str, list[float]] = {FLOOR: [], CEILING: []}
    for each in contestants:
        value: Any = figures[each.key].value if each.key in figures else None if part else each.value
        if value is not None:
            values[each.reference].append(value)
    if not all(values.values()):
        return None
    sign = 1.0 if version.headline.better == "higher" else -1.0
    floor, ceiling = (max(values[role], key=lambda value: sign * value) for role in (FLOOR, CEILING))
    return Scale(floor, ceiling) if sign * (ceiling - floor) > LEAST_DISTANCE else None
