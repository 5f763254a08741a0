"""Map of accuracy by the length of a text, and by the position (depth) of the last update in the text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from evaluation.core.records import Figures
from leaderboard.benchmarks.models import Version
from leaderboard.boards.lengths.figures import rungs_of, tokens_label
from leaderboard.submissions.scores.score_tables import NO_FIGURES, Groups, Interval, interval
from leaderboard.web.formatting import number

#: The grouping of a report by both, and the separator of length and depth in the name of a group.
GROUPING, BETWEEN = "length_depth", "|"


@dataclass(frozen=True, slots=True)
class Cell:
    value: float | None  # None: not answered
    interval: Interval


@dataclass(frozen=True, slots=True)
class DepthMap:
    lengths: tuple[str, ...]  # shortest first
    depths: tuple[str, ...]  # earliest first
    cells: tuple[tuple[Cell, ...], ...]  # [depths][lengths]

    @property
    def lines(self) -> Iterator[tuple[str, tuple[Cell, ...]]]:
        """Iterate over the depths with their cells, the earliest depth first."""
        return zip(self.depths, self.cells, strict=True)

    @property
    def named_lines(self) -> Iterator[tuple[str, list[tuple[str, Cell]]]]:
        """Iterate over the depths, the earliest first, with a (length, cell) pair for each length."""
        return ((depth, list(zip(self.lengths, cells, strict=True))) for depth, cells in self.lines)

    @property
    def words(self) -> str:
        """Text alternative of the map."""
        known = [cell.value for line in self.cells for cell in line if cell.value is not None]
        if not known:
            return "not reported"
        return f"from {number(min(known))} to {number(max(known))} over {len(known)} lengths and depths"


def depth_map(version: Version, groups: Groups) -> DepthMap | None:
    """The map of a score, given its `Report.groups`. None if the version has no lengths, or the score no depths."""
    rungs, members = rungs_of(version), groups.get(GROUPING) or {}
    names = [name.rpartition(BETWEEN) for name in members]
    depths = sorted({depth for length, _, depth in names if length}, key=_place)
    if not rungs or not depths:
        return None
    headline = version.headline.name
    return DepthMap(
        tuple(tokens_label(rung.tokens) for rung in rungs),
        tuple(depths),
        tuple(tuple(_cell(members, rung.split, depth, headline) for rung in rungs) for depth in depths),
    )


def _cell(members: Mapping[str, Figures], split: str, depth: str, headline: str) -> Cell:
    group = members.get(f"{split}{BETWEEN}{depth}") or NO_FIGURES
    value = group.get("metrics", {}).get(headline)
    return Cell(value, interval(group.get("intervals") or {}, headline))


def _place(depth: str) -> tuple[bool, float, str]:
    try:
        return False, float(depth), depth
    except ValueError:
        return True, 0.0, depth
