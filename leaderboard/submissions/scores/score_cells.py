"""The cells of a score: sums by unit of each part of a version's rows, packed for the database."""

from __future__ import annotations

import zlib
from collections.abc import Mapping

import numpy as np

Packed = tuple[list[list[str]], bytes]  # the names of the cells, and their units


def packed(cells: Mapping[tuple[str, ...], Mapping[str, tuple[float, int]]]) -> Packed:
    """The cells of a report as a score keeps them: most units say nothing in most cells, so it packs well."""
    units = [list(cell.values()) for cell in cells.values()]
    return [list(name) for name in cells], zlib.compress(np.array(units, dtype=np.float32).tobytes())
