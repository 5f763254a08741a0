"""Parquet files that are read a row group at a time. Pages of a column have checksums."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import accumulate, groupby
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError
from evaluation.frames.arrow import TABLE_KEY, about_of
from evaluation.frames.schema import Table

#: How such files are written.
FORMAT: dict[str, Any] = {"compression": "zstd", "write_page_checksum": True, "version": "2.6"}


class DamagedFrameError(BenchmarkError):
    """A file cannot be read: it is no Parquet of its table, or its bytes are not those that were written."""


class GroupedFile:
    """A Parquet file of a table. Opening it reads the footer only."""

    table: Table
    needs: Sequence[bytes] = ()  # keys that the footer has to have

    def __init__(self, path: str | Path, *, footer: Any = None) -> None:
        """Open a file.

        Args:
            path: The file.
            footer: What `read_footer` made of it before, so that not even that is read; None reads it.

        Raises:
            DamagedFrameError: It is no such file.
        """
        self.path = path
        self.footer = read_footer(path) if footer is None else footer
        self.metadata: Mapping[bytes, bytes] = self.footer.metadata or {}
        is_named = self.metadata.get(TABLE_KEY) == self.table.name.encode()
        if not is_named or any(key not in self.metadata for key in self.needs):
            raise DamagedFrameError(f"{path}: no file of {self.table.name}")

    def __len__(self) -> int:
        return int(self.footer.num_rows)

    @property
    def about(self) -> dict[str, Any]:
        """What the file says it is about."""
        return about_of(self.metadata)

    @cached_property
    def starts(self) -> list[int]:
        """The number of the first row of each group, and at the end that of all rows."""
        sizes = (self.footer.row_group(group).num_rows for group in range(self.footer.num_row_groups))
        return list(accumulate(sizes, initial=0))

    def columns(self, names: Sequence[str]) -> dict[str, list[Any]]:
        """These columns of all rows, None for null. Raises DamagedFrameError."""
        with self._opened() as file:
            return _lists(file.read(columns=list(names), use_threads=False), names)

    def group(self, number: int, names: Sequence[str]) -> dict[str, list[Any]]:
        """Columns of one row group.

        Args:
            number: The number of the group, from 0.
            names: The columns.

        Returns:
            name -> values, None for null.

        Raises:
            DamagedFrameError: The group cannot be read.
        """
        return _lists(self._group(number, names), names)

    def _group(self, number: int, names: Sequence[str]) -> Any:
        with self._opened() as file:
            return file.read_row_group(number, columns=list(names), use_threads=False)

    def json_at(self, column: str, numbers: Iterable[int]) -> list[Any]:
        """What a column of JSON holds in some rows.

        Args:
            column: Its name.
            numbers: The rows, numbered from 0. Those of a group should follow each other: then it is read once.

        Returns:
            The parsed values, in the order of `numbers`.

        Raises:
            DamagedFrameError: A group cannot be read.
        """
        values: list[Any] = []
        for group, members in groupby(numbers, lambda number: bisect_right(self.starts, number) - 1):
            texts = self._group(group, [column]).column(0)
            values += [jsonl.parse(texts[n - self.starts[group]].as_py().encode()) for n in members]
        return values

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        with (
            _damage_of(self.path),
            pq.ParquetFile(self.path, metadata=self.footer, page_checksum_verification=True) as file,
        ):
            yield file


def _lists(table: Any, names: Sequence[str]) -> dict[str, list[Any]]:
    """The columns of a `pyarrow.Table`. A dictionary is looked up at once: value by value takes ten times as long."""
    columns = {name: table.column(name) for name in names}
    return {
        name: (column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column).to_pylist()
        for name, column in columns.items()
    }


def read_footer(path: str | Path) -> Any:
    """The `pyarrow.parquet.FileMetaData` of a file. Raises DamagedFrameError."""
    with _damage_of(path):
        return pq.read_metadata(path)


@contextmanager
def _damage_of(path: str | Path) -> Iterator[None]:
    """Names the file where its bytes cannot be read. A fault of the disk has a number and says nothing of the file."""
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise DamagedFrameError(f"{path}: damaged ({error})") from error
