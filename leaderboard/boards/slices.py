"""A slice of a board: one condition, one track, the rows with NOTE lines. Ranked like the whole, by its own rows.

A score keeps its units apart for every cell of the suite's facets (`Score.cells`), and cells add up. So any slice is
ranked from what is stored, and no file is graded again.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evaluation.core.suite import Facet
from leaderboard.benchmarks.models import Version


@dataclass(frozen=True, slots=True)
class BoardSlice:
    """At most one part of each facet of a version; `chosen` goes with `facets`, "" is no choice."""

    facets: tuple[Facet, ...]
    chosen: tuple[str, ...]

    def __bool__(self) -> bool:
        return any(self.chosen)

    @property
    def name(self) -> str:
        """The choices as text, for a cache: no two slices share it."""
        return "&".join(f"{facet.name}={part}" for facet, part in self.parts)

    @property
    def parts(self) -> list[tuple[Facet, str]]:
        """The facets with a choice, each with what was chosen."""
        return [(facet, part) for facet, part in zip(self.facets, self.chosen, strict=True) if part]

    @property
    def labels(self) -> list[str]:
        """What was chosen, as a reader calls it."""
        return [dict(facet.choices).get(part, part) for facet, part in self.parts]

    @property
    def group(self) -> tuple[str, str] | None:
        """(grouping, group) of a score that has all figures of this slice; None where two facets cross."""
        parts = self.parts
        return (parts[0][0].name, parts[0][1]) if len(parts) == 1 else None

    def units(self, cells: Sequence[Sequence[str]], packed: bytes) -> bytes:
        """float32 pairs (sum, rows) by unit of the rows in the slice; empty where the file has none of them."""
        if not cells:
            return b""
        table = np.frombuffer(zlib.decompress(packed), dtype=np.float32).reshape(len(cells), -1, 2)
        found = table[[self._holds(cell, cells) for cell in cells]].sum(axis=0)
        return found.tobytes() if found[:, 1].any() else b""

    def _holds(self, cell: Sequence[str], cells: Sequence[Sequence[str]]) -> bool:
        """Whether a cell is in the slice. Of a facet without a choice its default counts, if any row has it."""
        for at, (facet, part) in enumerate(zip(self.facets, self.chosen, strict=True)):
            default = facet.default if any(other[at] == facet.default for other in cells) else ""
            if (part or default) not in ("", cell[at]):
                return False
        return True


WHOLE = BoardSlice((), ())


def board_slice(version: Version, chosen: Mapping[str, Any]) -> BoardSlice:
    """The slice of an address; what it does not name is not chosen."""
    facets = tuple(facets_of(version))
    return BoardSlice(facets, tuple(str(chosen.get(facet.name) or "") for facet in facets))


def facets_of(version: Version) -> list[Facet]:
    """How the rows of a version divide."""
    return version.suite.facets(version.settings, version.conditions)
