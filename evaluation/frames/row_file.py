"""Rows as Parquet, found by the ids of their questions: no row before them is read.

The rows are those of a benchmark, or the transcripts of a run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq

from evaluation.core import jsonl
from evaluation.core.records import Row
from evaluation.core.suite import Suite
from evaluation.frames.arrow import arrow_array, arrow_schema
from evaluation.frames.grouped_file import FORMAT, GroupedFile
from evaluation.frames.schema import ROWS

#: What a question is found by, and its row.
TABLE = ROWS.with_fields([ROWS.field("id"), ROWS.field("row")])
#: Questions and characters of a group at most: reading one row reads its group, 1 ms.
GROUP_ROWS, GROUP_CHARACTERS = 2048, 1 << 20
Group = tuple[list[str], list[str]]


def write_row_file(rows: Iterable[Row], suite: Suite, out: str | Path | IO[bytes]) -> None:
    """Write the rows of a suite, each once for every question that it asks.

    Args:
        rows: Public rows, or rows with gold.
        suite: Whose rows they are.
        out: A path, or a file that takes bytes.
    """
    texts = ((row, jsonl.dumps(row).decode()) for row in rows)
    write_by_id(((row_id, text) for row, text in texts for row_id in suite.expected([row]).splits), out)


def write_by_id(rows: Iterable[tuple[str, str]], out: str | Path | IO[bytes]) -> None:
    """Write rows by their ids.

    Args:
        rows: (id, the row as JSON).
        out: A path, or a file that takes bytes.
    """
    schema = arrow_schema(TABLE)
    with pq.ParquetWriter(out, schema, **FORMAT, use_dictionary=False, write_statistics=["id"]) as writer:
        for columns in _groups(rows):
            arrays = [arrow_array(values, each.kind) for values, each in zip(columns, TABLE, strict=True)]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema), row_group_size=GROUP_ROWS)


def _groups(rows: Iterable[tuple[str, str]]) -> Iterator[Group]:
    """The ids and the JSON of the rows of each group."""
    ids, texts, size = list[str](), list[str](), 0
    for row_id, text in rows:
        ids.append(row_id)
        texts.append(text)
        size += len(text)
        if len(ids) >= GROUP_ROWS or size >= GROUP_CHARACTERS:
            yield ids, texts
            ids, texts, size = [], [], 0
    if ids:
        yield ids, texts


class RowFile(GroupedFile):
    """A file that `write_row_file` or `write_by_id` made."""

    table = TABLE

    def find(self, ids: Collection[str]) -> dict[str, Row]:
        """id -> the row that asks it, of those that are there. Raises DamagedFrameError."""
        names, wanted = self.columns(["id"])["id"], frozenset(ids)
        numbers = [number for number, name in enumerate(names) if name in wanted]
        rows = self.json_at("row", numbers)
        return {names[number]: row for number, row in zip(numbers, rows, strict=True)}
