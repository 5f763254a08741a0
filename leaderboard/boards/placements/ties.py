"""Brackets beside the ranks of a board, which join neighbouring systems that are tied. Brackets may overlap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from leaderboard.boards.placements.ranking import Placement

LANES = 3  # brackets side by side; beyond that the rank ranges must do


class TieMark(NamedTuple):
    """The part of a bracket that is drawn beside one row."""

    lane: int  # from 0
    is_first: bool
    is_last: bool

    @property
    def css(self) -> str:
        return f"lane-{self.lane}{' first' * self.is_first}{' last' * self.is_last}"


def spans(placements: Sequence[Placement]) -> list[tuple[int, int]]:
    """Find the longest runs of neighbours that are all tied with each other, as (first index, last index).

    Rank ranges that overlap pairwise share a rank: the largest `low` of a run is at most its smallest `high`. Systems
    without a rank are in no run.
    """
    found: list[tuple[int, int]] = []
    for first, placement in enumerate(placements):
        last, low, high = first, placement.low, placement.high
        for at in range(first + 1, len(placements)):
            following = placements[at]
            if low is None or high is None or following.low is None or following.high is None:
                break
            low, high = max(low, following.low), min(high, following.high)
            if low > high:
                break
            last = at
        if last > first and not (found and found[-1][1] >= last):
            found.append((first, last))
    return found


def brackets(placements: Sequence[Placement], shown: slice = slice(None)) -> dict[Any, list[TieMark]]:
    """Map the key of each placement to its brackets. A bracket that continues outside of `shown` has an open end."""
    start, stop, _ = shown.indices(len(placements))
    near = slice(max(start - 1, 0), stop + 1)
    marks: dict[Any, list[TieMark]] = {}
    ends: dict[int, int] = {}  # lane -> where its last bracket ends
    for first, last in spans(placements[near]):
        lane = next((each for each in range(LANES) if ends.get(each, -1) < first), None)
        if lane is None:
            continue
        ends[lane] = last
        for at in range(first, last + 1):
            mark = TieMark(lane, at == first, at == last)
            marks.setdefault(placements[near][at].key, []).append(mark)
    return marks
