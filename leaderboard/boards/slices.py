"""Slices of a board, such as one split or the rows with NOTE lines: systems are ranked over the rows of a slice.

A score stores sums of its units by cell, that is, by combination of the facets' parts (`Score.cells`). Sums of cells
can be added, so any slice can be ranked without grading again.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from evaluation.core.metric import worst_members
from evaluation.core.suite import Column, Facet
from leaderboard.benchmarks.models import Version


@dataclass(frozen=True, slots=True)
class BoardSlice:
    """A choice of the rows that a board covers; falsy if all rows are chosen.

    `chosen` has an entry for each of `facets`: the chosen part of the facet, or "" for all of its parts.
    """

    facets: tuple[Facet, ...]
    chosen: tuple[str, ...]
    family: str = ""  # ranked systems, see `placements.families`; empty: all

    def __bool__(self) -> bool:
        return any(self.chosen)

    @property
    def name(self) -> str:
        """The choices as text, which is unique and serves as a cache key."""
        family = [f"systems={self.family}"] if self.family else []
        return "&".join([*family, *(f"{facet.name}={part}" for facet, part in self.parts)])

    @property
    def parts(self) -> list[tuple[Facet, str]]:
        return [(facet, part) for facet, part in zip(self.facets, self.chosen, strict=True) if part]

    @property
    def labels(self) -> list[str]:
        return [dict(facet.choices).get(part, part) for facet, part in self.parts]

    @property
    def group(self) -> tuple[str, str] | None:
        """(grouping, group) by which `Score.groups` has the figures of this slice. None unless one part is chosen."""
        parts = self.parts
        return (parts[0][0].name, parts[0][1]) if len(parts) == 1 else None

    def units(self, cells: Sequence[Sequence[str]], packed: bytes) -> bytes:
        """Add up the units of the slice over its cells. Returns bytes of float32 pairs (sum, rows), empty without rows.

        Args:
            cells: For each cell its part of every facet, in the order of the facets (`Score.cells`).
            packed: zlib of float32 [cells, units, 2]: sum and rows of each unit (`Score.cell_scores`).
        """
        if not cells:
            return b""
        named = tuple(map(tuple, cells))
        totals = table(cells, packed)[_held(self, named)].sum(axis=0)
        return totals.tobytes() if totals[:, 1].any() else b""

    def rate(self, cells: Sequence[Sequence[str]], sums: Sequence[Sequence[float]]) -> float | None:
        """The rate over the rows in the slice. `sums` has (sum, rows) of each cell. None if the slice has no rows."""
        rows = self.rows(cells, sums)
        held = [of[0] for cell, of in zip(cells, sums, strict=True) if self._holds(cell, cells)]
        return sum(held) / rows if rows else None

    def rows(self, cells: Sequence[Sequence[str]], sums: Sequence[Sequence[float]]) -> float:
        """The number of rows in the slice. `sums` has (sum, rows) of each cell."""
        return sum(of[1] for cell, of in zip(cells, sums, strict=True) if self._holds(cell, cells))

    def _holds(self, cell: Sequence[str], cells: Sequence[Sequence[str]]) -> bool:
        """True if a cell belongs to the slice. If a facet has no chosen part, `facet.default` applies."""
        for at, (facet, part) in enumerate(zip(self.facets, self.chosen, strict=True)):
            # scores graded before the suite had this facet lack its part
            default = (
                facet.default if any([*other[at : at + 1]] == [facet.default] for other in cells) else ""
            )
            if (part or default) not in ("", *cell[at : at + 1]):
                return False
        return True


@lru_cache(maxsize=256)
def _held(part: BoardSlice, cells: tuple[tuple[str, ...], ...]) -> list[bool]:
    """[cells]: True if a cell is in the slice. Cached because a thousand scores have the same cells."""
    return [part._holds(cell, cells) for cell in cells]


@lru_cache(maxsize=4)
def _unpacked(packed: bytes) -> NDArray[np.float32]:
    """Decompress the sums of a score's cells. Cached because a board reads them once per slice."""
    return np.frombuffer(zlib.decompress(packed), dtype=np.float32)


def table(cells: Sequence[Sequence[str]], packed: bytes) -> NDArray[np.float32]:
    """[cells, units, 2]: sum and rows of each unit, from `Score.cell_scores`. There must be at least one cell."""
    return _unpacked(packed).reshape(len(cells), -1, 2)


WHOLE = BoardSlice((), ())


def board_slice(version: Version, chosen: Mapping[str, object]) -> BoardSlice:
    """Make the slice that `chosen` describes: facet -> chosen part. For other facets, no part is chosen."""
    facets = tuple(facets_of(version))
    return BoardSlice(facets, tuple(str(chosen.get(facet.name) or "") for facet in facets))


def headline(version: Version, part: BoardSlice) -> Column:
    """The column by which a board over a part of the rows is ordered."""
    split = next((label for _, label in part.parts if label in version.conditions), "")
    return version.bound.headline(split) if split else version.headline


def worst_of(version: Version, part: BoardSlice) -> list[BoardSlice]:
    """If the headline is the lowest of several rates, the slices of `part` for these rates; else an empty list."""
    metric = version.bound.metrics.get(version.headline.name)
    whole = part if part.facets else board_slice(version, {})
    names = [facet.name for facet in whole.facets]
    if metric is None or metric.grouping not in names or whole.chosen[names.index(metric.grouping)]:
        return []
    labels, place = list(version.conditions), names.index(metric.grouping)
    return [
        replace(whole, chosen=(*whole.chosen[:place], labels[member], *whole.chosen[place + 1 :]))
        for member in worst_members(metric, labels)
    ]


def facets_of(version: Version) -> list[Facet]:
    return version.bound.facets(version.conditions)
