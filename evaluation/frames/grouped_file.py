"""Parquet files that are read one row group at a time. The pages of each column have checksums."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import accumulate, groupby
from pathlib import Path
from typing import IO, Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError
from evaluation.core.files.documents.reader import NO_TEXTS
from evaluation.core.records import Row
from evaluation.core.suite import Suite
from evaluation.frames.arrow import TABLE_KEY, about_of, arrow_array, arrow_schema
from evaluation.frames.schema import DOCUMENTS, ROWS, Table
from evaluation.frames.typed import frame_of

#: Options of the Parquet writer.
FORMAT: dict[str, Any] = {"compression": "zstd", "write_page_checksum": True, "version": "2.6"}
#: Most characters of a row group, which is held in memory whole. A longer text is a group of its own.
GROUP_CHARACTERS = 1 << 23
Line = dict[str, Any]
#: The columns of a `RowFile`.
TABLE = ROWS.with_fields([ROWS.field("id"), ROWS.field("row")])
#: Most questions and characters of a group. Reading one row reads its group: 1 ms at these sizes.
GROUP_ROWS, ROW_GROUP_CHARACTERS = 2048, 1 << 20
Group = tuple[list[str], list[str]]


class DamagedFrameError(BenchmarkError):
    """Raised if a file is not Parquet of the expected table, or its bytes have changed since it was written."""


class GroupedFile:
    """A Parquet file of a table. Opening it reads only the footer."""

    table: Table
    needs: Sequence[bytes] = ()  # keys that the footer must contain

    def __init__(self, path: str | Path, *, footer: Any = None) -> None:
        """Open a file. `footer`: the result of `read_footer`, if known. Raises DamagedFrameError."""
        self.path = path
        self.footer = read_footer(path) if footer is None else footer
        self.metadata: Mapping[bytes, bytes] = self.footer.metadata or {}
        is_named = self.metadata.get(TABLE_KEY) == self.table.name.encode()
        if not is_named or any(key not in self.metadata for key in self.needs):
            raise DamagedFrameError(f"{path}: not a file of {self.table.name}")

    def __len__(self) -> int:
        return int(self.footer.num_rows)

    @property
    def about(self) -> dict[str, object]:
        """The metadata that were given when the file was written."""
        return about_of(self.metadata)

    @cached_property
    def starts(self) -> list[int]:
        """[groups + 1]: the number of the row at which each group starts, then the number of all rows."""
        sizes = (self.footer.row_group(group).num_rows for group in range(self.footer.num_row_groups))
        return list(accumulate(sizes, initial=0))

    def columns(self, names: Sequence[str]) -> dict[str, list[Any]]:
        """Map each column to its values in all rows, None for null. Raises DamagedFrameError."""
        with self._opened() as file:
            return _lists(file.read(columns=list(names), use_threads=False), names)

    def group(self, number: int, names: Sequence[str]) -> dict[str, list[Any]]:
        """Map each column to its values in row group `number` (from 0), None for null. Raises DamagedFrameError."""
        return _lists(self._group(number, names), names)

    def _group(self, number: int, names: Sequence[str]) -> Any:
        with self._opened() as file:
            return file.read_row_group(number, columns=list(names), use_threads=False)

    def json_at(self, column: str, numbers: Iterable[int]) -> list[Any]:
        """The parsed values of a JSON column in the rows `numbers` (from 0), in order. Raises DamagedFrameError.

        Adjacent rows in one group are read together.
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
    # Decoding a dictionary column at once is ten times as fast as value by value.
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
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        # an error with a number comes from the disk, not from the contents of the file
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise DamagedFrameError(f"{path}: damaged ({error})") from error


def documents_frame(documents: Iterable[Mapping[str, object]]) -> pd.DataFrame:
    """A DataFrame in the form of `schema.DOCUMENTS`, one line per text. `documents`: lines of a documents file."""
    return frame_of(_lines(documents), DOCUMENTS)


def write_document_file(documents: Iterable[Mapping[str, object]], out: str | Path | IO[bytes]) -> int:
    """Write the texts of documents as Parquet, with few texts in memory at a time. Returns the number of texts."""
    schema, count = arrow_schema(DOCUMENTS), 0
    with pq.ParquetWriter(out, schema, **FORMAT, use_dictionary=["field"], write_statistics=["id"]) as writer:
        for group in _groups(_lines(documents)):
            arrays = [arrow_array([line[each.name] for line in group], each.kind) for each in DOCUMENTS]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
            count += len(group)
    return count


def _lines(documents: Iterable[Mapping[str, Any]]) -> Iterator[Line]:
    for document in documents:
        for field, text in document.items():
            if field not in NO_TEXTS:
                yield {"id": document["id"], "field": field, "characters": len(text), "text": text}


def _groups(lines: Iterable[Line]) -> Iterator[list[Line]]:
    group, size = list[Line](), 0
    for line in lines:
        if group and size + line["characters"] > GROUP_CHARACTERS:
            yield group
            group, size = [], 0
        group.append(line)
        size += line["characters"]
    if group:
        yield group


def write_row_file(rows: Iterable[Row], suite: Suite, out: str | Path | IO[bytes]) -> None:
    """Write the rows of a suite as Parquet, with or without gold. A row is written once for each of its questions."""
    texts = ((row, jsonl.dumps(row).decode()) for row in rows)
    write_by_id(((row_id, text) for row, text in texts for row_id in suite.expected([row]).splits), out)


def write_by_id(rows: Iterable[tuple[str, str]], out: str | Path | IO[bytes]) -> None:
    """Write a `RowFile` from pairs (id, row as JSON)."""
    schema = arrow_schema(TABLE)
    with pq.ParquetWriter(out, schema, **FORMAT, use_dictionary=False, write_statistics=["id"]) as writer:
        for columns in _row_groups(rows):
            arrays = [arrow_array(values, each.kind) for values, each in zip(columns, TABLE, strict=True)]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema), row_group_size=GROUP_ROWS)


def _row_groups(rows: Iterable[tuple[str, str]]) -> Iterator[Group]:
    ids, texts, size = list[str](), list[str](), 0
    for row_id, text in rows:
        ids.append(row_id)
        texts.append(text)
        size += len(text)
        if len(ids) >= GROUP_ROWS or size >= ROW_GROUP_CHARACTERS:
            yield ids, texts
            ids, texts, size = [], [], 0
    if ids:
        yield ids, texts


class RowFile(GroupedFile):
    """A file written by `write_row_file` or `write_by_id`."""

    table = TABLE

    def find(self, ids: Collection[str]) -> dict[str, Row]:
        """Map each of the `ids` that is in the file to its row. Raises DamagedFrameError."""
        names, wanted = self.columns(["id"])["id"], frozenset(ids)
        numbers = [number for number, name in enumerate(names) if name in wanted]
        rows = self.json_at("row", numbers)
        return {names[number]: row for number, row in zip(numbers, rows, strict=True)}
