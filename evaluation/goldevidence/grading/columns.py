"""Columns of verdicts, packed in blocks: about 40 bytes per row instead of a kilobyte as tuples."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import chain, repeat
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

BLOCK = 4096
Label = TypeVar("Label", bound=Hashable)
IntArray = NDArray[np.signedinteger[Any]]


class Columns:
    """Named integer columns in groups, filled row by row."""

    __slots__ = ("_blocks", "_groups", "_packed", "_rows")

    def __init__(self, *groups: Sequence[str]) -> None:
        self._groups = [tuple(names) for names in groups]
        self._rows: list[tuple[tuple[int, ...], ...]] = []
        self._blocks: dict[str, list[IntArray]] = {name: [] for names in groups for name in names}
        self._packed = 0

    def append(self, *parts: tuple[int, ...]) -> None:
        """Add one row. `parts` has one tuple of values per group, in the order of the group's names."""
        self._rows.append(parts)
        if len(self._rows) == BLOCK:
            self._pack()

    def __len__(self) -> int:
        return self._packed + len(self._rows)

    def arrays(self) -> dict[str, IntArray]:
        """Every column, [rows] each, in the narrowest integer type. Widen a count before you compute with it."""
        self._pack()
        for blocks in self._blocks.values():
            blocks[:] = [np.concatenate(blocks) if len(blocks) > 1 else blocks[0]]
        return {name: blocks[0] for name, blocks in self._blocks.items()}

    def _pack(self) -> None:
        of_groups = zip(*self._rows, strict=True) if self._rows else repeat(())
        for names, parts in zip(self._groups, of_groups, strict=False):
            for name, column in zip(names, _columns(parts, len(names)), strict=True):
                self._blocks[name].append(column)
        self._packed += len(self._rows)
        self._rows = []


def _columns(parts: Sequence[tuple[int, ...]], width: int) -> list[IntArray]:
    rows, is_constant = (
        len(parts),
        bool(parts) and parts[0] is parts[-1] and parts.count(parts[0]) == len(parts),
    )
    if is_constant:  # e.g. twin columns without twins
        parts = parts[:1]
    table = np.fromiter(chain.from_iterable(parts), np.int32, len(parts) * width).reshape(-1, width)
    wide = np.ascontiguousarray(table.T)
    narrow = wide.astype(np.int8)
    fits = (narrow == wide).all(axis=1).tolist()
    if is_constant:
        wide, narrow = np.repeat(wide, rows, axis=1), np.repeat(narrow, rows, axis=1)
    return [small if fit else large.copy() for fit, small, large in zip(fits, narrow, wide, strict=True)]


def blocks(columns: Mapping[str, IntArray], size: int) -> Iterator[dict[str, IntArray]]:
    """Split columns into blocks of rows, to save memory. The last block may be shorter.

    Args:
        columns: Every column, [rows] each.
        size: Rows per block.
    """
    rows = len(next(iter(columns.values())))
    for start in range(0, rows, size):
        yield {name: column[start : start + size] for name, column in columns.items()}


class Codes(dict[Label, int]):
    """A mapping from labels to numbers. A label that is looked up for the first time gets the next number, from 0."""

    __slots__ = ()

    def __missing__(self, label: Label) -> int:
        number = self[label] = len(self)
        return number

    def labels(self) -> list[Label]:
        return list(self)
