"""Columns: verdicts of any number of rows, packed as they come.

A Python tuple per row would take a kilobyte; packed in blocks a row takes four bytes per column.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

BLOCK = 4096
IntArray = NDArray[np.int32]


class Columns:
    """Named columns of whole numbers, filled row by row."""

    __slots__ = ("_blocks", "_names", "_rows")

    def __init__(self, names: Sequence[str]) -> None:
        self._names = tuple(names)
        self._blocks: list[IntArray] = []
        self._rows: list[tuple[int, ...]] = []

    def append(self, row: tuple[int, ...]) -> None:
        """Add one row, its values in the order of the names."""
        self._rows.append(row)
        if len(self._rows) == BLOCK:
            self._pack()

    def __len__(self) -> int:
        return len(self._rows) + sum(len(block) for block in self._blocks)

    def arrays(self) -> dict[str, IntArray]:
        """Every column, [rows] each."""
        self._pack()
        table = np.concatenate(self._blocks)
        self._blocks = [table]
        return dict(zip(self._names, table.T, strict=True))

    def _pack(self) -> None:
        block = np.array(self._rows, dtype=np.int32).reshape(-1, len(self._names))
        self._blocks.append(block)
        self._rows = []


class Codes:
    """Numbers for labels, in the order of their first appearance."""

    __slots__ = ("_numbers",)

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}

    def __getitem__(self, label: object) -> int:
        return self._numbers.setdefault(label, len(self._numbers))

    def labels(self) -> list[object]:
        """The labels by their numbers."""
        return list(self._numbers)
