"""Columns: verdicts of any number of rows, packed as they come.

A Python tuple per row would take a kilobyte; packed in blocks a row takes some forty bytes.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

BLOCK = 4096
Label = TypeVar("Label", bound=Hashable)
IntArray = NDArray[np.signedinteger[Any]]


class Columns:
    """Named columns of whole numbers, filled row by row."""

    __slots__ = ("_blocks", "_names", "_packed", "_rows")

    def __init__(self, names: Sequence[str]) -> None:
        self._names = tuple(names)
        self._rows: list[tuple[int, ...]] = []
        self._blocks: list[list[IntArray]] = [[] for _ in self._names]
        self._packed = 0

    def append(self, row: tuple[int, ...]) -> None:
        """Add one row, its values in the order of the names."""
        self._rows.append(row)
        if len(self._rows) == BLOCK:
            self._pack()

    def __len__(self) -> int:
        return self._packed + len(self._rows)

    def arrays(self) -> dict[str, IntArray]:
        """Every column, [rows] each, as narrow as its values allow: widen counts before computing."""
        self._pack()
        for blocks in self._blocks:
            blocks[:] = [np.concatenate(blocks)]
        return {name: blocks[0] for name, blocks in zip(self._names, self._blocks, strict=True)}

    def _pack(self) -> None:
        """Move the rows into blocks; most columns are flags and take one byte a row."""
        values = chain.from_iterable(self._rows)
        table = np.fromiter(values, np.int32, len(self._rows) * len(self._names)).reshape(
            -1, len(self._names)
        )
        for blocks, column in zip(self._blocks, table.T, strict=True):
            narrow = column.astype(np.int8)
            blocks.append(narrow if (narrow == column).all() else column.copy())
        self._packed += len(self._rows)
        self._rows = []


def blocks(columns: Mapping[str, IntArray], size: int) -> Iterator[dict[str, IntArray]]:
    """The same columns, some rows at a time: what is computed from them then needs little memory.

    Args:
        columns: Every column, [rows] each.
        size: Rows at a time.

    Returns:
        One block after the other, [size] each; the last may be shorter.
    """
    rows = len(next(iter(columns.values())))
    for start in range(0, rows, size):
        yield {name: column[start : start + size] for name, column in columns.items()}


class Codes(Generic[Label]):
    """Numbers for labels, in the order of their first appearance."""

    __slots__ = ("_numbers",)

    def __init__(self) -> None:
        self._numbers: dict[Label, int] = {}

    def __getitem__(self, label: Label) -> int:
        return self._numbers.setdefault(label, len(self._numbers))

    def __len__(self) -> int:
        return len(self._numbers)

    def labels(self) -> list[Label]:
        """The labels by their numbers."""
        return list(self._numbers)
