"""The headline on a scale from guessing (0) to the best oracle of a board (1). Defined in docs/statistics.md."""

from __future__ import annotations

from typing import Any, NamedTuple

from evaluation.core.sealing.rounding import rounded_number
from evaluation.core.suite import Column
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing import shown
from leaderboard.boards.guessing import Guessing, guessing_of
from leaderboard.boards.placements import placements, ranking
from leaderboard.boards.placements.contestants import contestants_of
from leaderboard.boards.slices import BoardSlice
from leaderboard.submissions.models import Submission
from leaderboard.submissions.scores.score_tables import Interval
from leaderboard.web.formatting import number

CEILING = "oracle"
SCALED = Column(
    placements.SCALED,
    "Scaled",
    "The headline on a scale from guessing on this board (0) to its best oracle (1). Its interval is the interval of "
    "the headline on this scale; the uncertainty of the two ends is ignored.",
)
#: On a shorter scale a figure would be noise, because a few rows would span the whole scale.
LEAST_DISTANCE = 0.2
ROUNDING = 1e-9


class Scale(NamedTuple):
    floor: float
    ceiling: float
    step: float = 0.0  # rounding of figures on the scale; 0: none

    def scaled(self, value: float | None) -> float | None:
        """A value of the headline on the scale. It may be outside of 0 to 1, and is None if the value is None."""
        return None if value is None else self._at(value)

    def interval(self, ends: Interval) -> Interval:
        if ends is None:
            return None
        first, last = sorted(map(self._at, ends))
        return first, last

    def _at(self, value: float) -> float:
        place = (value - self.floor) / (self.ceiling - self.floor)
        return rounded_number(place, self.step) if self.step else place


class Bounds(NamedTuple):
    guessing: Guessing | None
    ceiling: float | None  # of its best oracle
    better: str  # `higher` or `lower`
    step: float = 0.0  # rounding of a sealed version; 0: none

    @property
    def scale(self) -> Scale | None:
        """The scale of the board. None if it has no scale; then `why_none` is the reason."""
        if self.why_none or self.guessing is None or self.ceiling is None:
            return None
        return Scale(self.guessing.value, self.ceiling, self.step)

    @property
    def why_none(self) -> str:
        """Sentence on why the board has no scale; empty if it has one."""
        if self.ceiling is None:
            return "The scaled headline is not reported: no oracle was run on this board."
        if self.guessing is None:
            return "The scaled headline is not reported: the guessing line of this board is not known."
        sign = 1.0 if self.better == "higher" else -1.0
        if sign * (self.ceiling - self.guessing.value) < LEAST_DISTANCE - ROUNDING:
            return (
                f"The scaled headline is not reported: guessing ({number(self.guessing.value)}) and the oracle "
                f"({number(self.ceiling)}) are less than {number(LEAST_DISTANCE, 'points')} points apart."
            )
        return ""


def bounds_of(version: Version, part: BoardSlice) -> Bounds:
    """Guessing and oracle, as ends of the scale over the rows of a part. Filters do not change them. Two queries."""
    oracles = Submission.objects.on_board(version).filter(system__reference=CEILING)
    oracles = oracles.exclude(system__kind__in=list(version.suite.unranked))
    values: list[Any] = list(oracles.values_list("score__headline", flat=True))
    if part:
        [contestants] = contestants_of(version, oracles, [part])
        values = [shown.figure(version, *each).value for each in ranking.figures(contestants).values()]
    better, known = version.headline.better, [value for value in values if value is not None]
    ceiling = None if not known else max(known) if better == "higher" else min(known)
    return Bounds(guessing_of(version, part), ceiling, better, version.shown_step)


def scale_of(version: Version, part: BoardSlice) -> Scale | None:
    """The scale over the rows of a part; None if an end is unknown, or if the ends are too close. Ignores filters."""
    return bounds_of(version, part).scale
