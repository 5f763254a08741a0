"""Public rows with their texts as one Parquet file, which other libraries can read without this package."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from evaluation.core import jsonl

#: Characters of a row group. Rows of one text lie together, and a dictionary keeps it once.
GROUP = 32 << 20
DICTIONARY = 64 << 20

Rows = Iterable[Mapping[str, Any]]
Converter = Callable[[Any], Any]


def write_joined(rows: Callable[[], Rows], out: IO[bytes]) -> None:
    """Write rows as a Parquet table: text, numbers and booleans unchanged, lists and objects as JSON.

    `rows` is called twice: to find the columns, and to write.
    """
    columns = _columns(rows())
    schema = pa.schema([(name, type_) for name, (type_, _) in columns.items()])
    with pq.ParquetWriter(out, schema, compression="zstd", dictionary_pagesize_limit=DICTIONARY) as writer:
        for group in _groups(rows()):
            arrays = [
                pa.array([convert(row.get(name)) for row in group], type_)
                for name, (type_, convert) in columns.items()
            ]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))


def _columns(rows: Rows) -> Mapping[str, tuple[pa.DataType, Converter]]:
    kinds: dict[str, set[type]] = {}
    for row in rows:
        for name, value in row.items():
            kinds.setdefault(name, set()).add(type(value))
    return {name: _column(found - {type(None)}) for name, found in kinds.items()}


def _column(kinds: set[type]) -> tuple[pa.DataType, Converter]:
    if kinds == {bool}:
        return pa.bool_(), _same
    if kinds == {int}:
        return pa.int64(), _same
    if kinds and kinds <= {int, float}:
        return pa.float64(), _same
    return (pa.string(), _same) if kinds <= {str} else (pa.string(), _json)


def _same(value: Any) -> Any:
    return value


def _json(value: Any) -> str | None:
    return None if value is None else jsonl.dumps(value).decode()


def _groups(rows: Rows) -> Iterator[list[Mapping[str, Any]]]:
    group: list[Mapping[str, Any]] = []
    size = 0
    for row in rows:
        group.append(row)
        size += sum(len(value) for value in row.values() if isinstance(value, str))
        if size >= GROUP:
            yield group
            group, size = [], 0
    if group:
        yield group
