"""Lists that lie in a temporary file: any number of lines or JSON rows in little memory."""

from __future__ import annotations

import io
import weakref
from array import array
from collections.abc import Iterator, Sequence
from typing import IO, Any, overload

import orjson

IN_MEMORY = 1 << 22  # bytes before the lines move to disk


class LineSpool:
    """Append lines, read them by number."""

    def __init__(self) -> None:
        self._file: IO[bytes] = io.BytesIO()
        self._ends = array("q", [0])  # where each line ends; a leading 0

    def add(self, line: bytes) -> None:
        """Add a line at the end."""
        start, end = self._ends[-1], self._ends[-1] + len(line)
        self._file.seek(start)
        self._file.write(line)
        self._ends.append(end)
        if start < IN_MEMORY <= end:
            self._move_to_disk()

    def _move_to_disk(self) -> None:
        import tempfile  # slow to import, and seldom needed

        self._file.seek(0)
        on_disk = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as self
        weakref.finalize(self, on_disk.close)
        on_disk.write(self._file.read())
        self._file = on_disk

    def __len__(self) -> int:
        return len(self._ends) - 1

    def line(self, number: int) -> bytes:
        """The line of that number, from 0."""
        start, end = self._ends[number], self._ends[number + 1]
        self._file.seek(start)
        return self._file.read(end - start)


class Spool(Sequence[dict[str, Any]]):
    """Append rows, read them by number or in order. What is read is a copy."""

    def __init__(self) -> None:
        self._lines = LineSpool()

    def append(self, row: dict[str, Any]) -> None:
        """Add a row at the end."""
        self._lines.add(orjson.dumps(row))

    def __len__(self) -> int:
        return len(self._lines)

    @overload
    def __getitem__(self, index: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, index: int | slice) -> dict[str, Any] | list[dict[str, Any]]:
        if isinstance(index, slice):
            return [self._row(number) for number in range(*index.indices(len(self)))]
        number = index + len(self) if index < 0 else index
        if not 0 <= number < len(self):
            raise IndexError(f"row {index} of {len(self)}")
        return self._row(number)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return map(self._row, range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def _row(self, number: int) -> dict[str, Any]:
        row: dict[str, Any] = orjson.loads(self._lines.line(number))
        return row


class Reordered(Sequence[dict[str, Any]]):
    """Rows in another order; they are read where they lie. `order` holds the number of each."""

    def __init__(self, rows: Sequence[dict[str, Any]], order: Sequence[int]) -> None:
        self._rows, self._order = rows, array("q", order)

    def __len__(self) -> int:
        return len(self._order)

    @overload
    def __getitem__(self, index: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, index: int | slice) -> dict[str, Any] | list[dict[str, Any]]:
        if isinstance(index, slice):
            return [self._rows[number] for number in self._order[index]]
        return self._rows[self._order[index]]
