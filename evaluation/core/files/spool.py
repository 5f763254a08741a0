"""Lists stored in a temporary file: any number of lines or JSON rows in little memory."""

from __future__ import annotations

import io
import weakref
from array import array
from collections.abc import Mapping, Sequence
from typing import IO, TypeVar

import orjson

from evaluation.core.files.lazy import LazySequence

IN_MEMORY = 1 << 22  # bytes before the lines move to disk
TOGETHER = 1 << 16  # bytes that are added to the file at a time

Record = TypeVar("Record", bound=Mapping[str, object])


class LineSpool:
    """A list of lines. Lines can be appended, and read by number."""

    def __init__(self) -> None:
        self._file: IO[bytes] = io.BytesIO()
        self._ends = array("q", [0])  # where each line ends; a leading 0
        self._written = 0  # bytes in the file; later lines are still in `_waiting`
        self._waiting: list[bytes] = []

    def add(self, line: bytes) -> None:
        self._waiting.append(line)
        end = self._ends[-1] + len(line)
        self._ends.append(end)
        if end - self._written >= TOGETHER:
            self._write()

    def _write(self) -> None:
        start, end = self._written, self._ends[-1]
        self._file.seek(start)
        self._file.write(b"".join(self._waiting))
        self._waiting, self._written = [], end
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
        if self._waiting:
            self._write()
        start, end = self._ends[number], self._ends[number + 1]
        self._file.seek(start)
        return self._file.read(end - start)


class Spool(LazySequence[Record]):
    """A list of rows. Rows can be appended, and read by number or in order. Each read returns a new copy."""

    def __init__(self) -> None:
        self._lines = LineSpool()

    def append(self, row: Record) -> None:
        self._lines.add(orjson.dumps(row))

    def __len__(self) -> int:
        return len(self._lines)

    def _at(self, place: int) -> Record:
        row: Record = orjson.loads(self._lines.line(place))
        return row


class Reordered(LazySequence[Record]):
    """A view of `rows` in another order: element i is `rows[order[i]]`."""

    def __init__(self, rows: Sequence[Record], order: Sequence[int]) -> None:
        self._rows, self._order = rows, array("q", order)

    def __len__(self) -> int:
        return len(self._order)

    def _at(self, place: int) -> Record:
        return self._rows[self._order[place]]
