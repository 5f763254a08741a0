"""Verdicts as Parquet, filtered and paged by row groups, so that the last page is as fast as the first.

The file's metadata contain, for each row group, the number of rows by split and failure. So a page is found without
reading the rows before it, and only its own row groups are read. A JSON column contains the complete verdict. Equal
verdicts give equal bytes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, count, islice
from pathlib import Path
from typing import IO, Any, TypedDict

import pyarrow as pa
import pyarrow.parquet as pq

from evaluation.core import jsonl
from evaluation.core.files.lazy import LazySequence
from evaluation.core.records import JsonObject, Verdict
from evaluation.core.report import Report
from evaluation.core.statistics import FloatArray
from evaluation.frames.arrow import arrow_array, arrow_schema
from evaluation.frames.grouped_file import FORMAT, GroupedFile
from evaluation.frames.schema import VERDICTS, Table

#: Rows of a group. A page reads one or two groups, 1 ms each; the footer grows by 1 kB a group.
GROUP_ROWS = 2048
#: Key of the Parquet metadata: per group [[split, failure, rows], …].
INDEX_KEY = b"goldevidencebench.groups"
FIGURE = VERDICTS.field("figure_<metric>")
OPTIONS = FORMAT | {
    "use_dictionary": ["unit", "split", "failure", "reason"],
    "write_statistics": ["id", "unit", "split", "failure", "correct", "in_headline"],
}
Index = list[list[tuple[str, str | None, int]]]


class VerdictColumns(TypedDict):
    """A verdict as one line of `schema.VERDICTS`, without the columns `figure_<metric>`."""

    id: str
    unit: str
    split: str
    correct: bool | None
    in_headline: bool
    gold_shown: bool | None
    failure: str | None
    reason: str | None
    verdict: str  # JSON


@dataclass(frozen=True, slots=True)
class Where:
    """Filter of verdicts. `failure`: a code, "any" for every failure, or "" for all rows."""

    failure: str = ""
    splits: Collection[str] | None = None  # None: all
    text: str = ""  # part of the row's id, ignoring case

    def takes(self, split: str, failure: str | None) -> bool:
        """True if this split and failure code (None for a right answer) pass the filter. Row ids are not checked."""
        if self.splits is not None and split not in self.splits:
            return False
        return not self.failure or (bool(failure) if self.failure == "any" else failure == self.failure)


def verdict_table(figures: Iterable[str] = ()) -> Table:
    """The columns of verdicts. Each metric in `figures` adds a column `figure_<metric>`."""
    families = [FIGURE.named(f"figure_{name}") for name in figures]
    *before, complete = (each for each in VERDICTS if not each.is_family)
    return VERDICTS.with_fields([*before, *families, complete])


def record_of(verdict: Verdict) -> VerdictColumns:
    correct, shown = verdict.get("correct"), verdict.get("gold_shown")
    return {
        "id": str(verdict["id"]),
        "unit": str(verdict.get("unit", "")),
        "split": split_of(verdict),
        "correct": None if correct is None else bool(correct),
        "in_headline": verdict.get("in_headline") is not False,
        "gold_shown": None if shown is None else bool(shown),
        "failure": verdict.get("failure") or None,
        "reason": verdict.get("reason"),
        "verdict": jsonl.dumps(verdict).decode(),
    }


def split_of(verdict: Verdict) -> str:
    return str(verdict.get("condition", ""))


def write_verdicts(
    report: Report,
    out: str | Path | IO[bytes],
    *,
    figures: Sequence[str] = (),
    about: Mapping[str, object] | None = None,
) -> None:
    """Write the verdicts of a report as Parquet, one row group at a time.

    `figures`: metrics of `report.row_figures` to add as columns. `about`: metadata of the file.
    """
    arrays = {name: report.row_figures[name] for name in figures}
    write_rows(report.rows, out, figures=arrays, about=about)


def write_rows(
    rows: Iterable[Verdict],
    out: str | Path | IO[bytes],
    *,
    figures: Mapping[str, FloatArray] | None = None,
    about: Mapping[str, object] | None = None,
) -> None:
    """Write verdicts as Parquet as they arrive, one row group at a time.

    Args:
        rows: The verdicts, read once, in order.
        out: A path, or a binary file.
        figures: metric -> [rows], its value on each row alone (NaN: none). Each metric becomes a column.
        about: Metadata of the file.
    """
    arrays = figures or {}
    table = verdict_table(arrays)
    schema, index, start = arrow_schema(table, about), Index(), 0
    lines = iter(rows)
    with pq.ParquetWriter(out, schema, **OPTIONS) as writer:
        while records := [record_of(verdict) for verdict in islice(lines, GROUP_ROWS)]:
            numbers = {f"figure_{name}": each[start : start + len(records)] for name, each in arrays.items()}
            writer.write_table(_arrow_table(records, numbers, table, schema), row_group_size=GROUP_ROWS)
            index.append(_counted(records))
            start += len(records)
        writer.add_key_value_metadata({INDEX_KEY: jsonl.dumps(index)})


def _arrow_table(
    records: Sequence[JsonObject], figures: Mapping[str, FloatArray], table: Table, schema: Any
) -> Any:
    arrays = [
        arrow_array(figures[each.name], each.kind)
        if each.name in figures
        else arrow_array([record[each.name] for record in records], each.kind)
        for each in table
    ]
    return pa.Table.from_arrays(arrays, schema=schema)


def _counted(records: Iterable[VerdictColumns]) -> list[tuple[str, str | None, int]]:
    counts = Counter((record["split"], record["failure"]) for record in records)
    return [(split, failure, rows) for (split, failure), rows in counts.items()]


class VerdictFile(GroupedFile):
    """A file written by `write_verdicts`."""

    table = VERDICTS
    needs = (INDEX_KEY,)

    def __iter__(self) -> Iterator[Verdict]:
        """Yield all verdicts. Only one row group is in memory at a time."""
        return iter(self.select(Where()))

    @cached_property
    def index(self) -> Index:
        """For each row group, its rows as a list of (split, failure, number of rows)."""
        index: Index = jsonl.parse(self.metadata[INDEX_KEY])
        return index

    @property
    def splits(self) -> list[str]:
        """The splits of the file's rows, in order of first appearance."""
        return list(dict.fromkeys(split for group in self.index for split, _, _ in group))

    def select(self, where: Where) -> Selection:
        """The verdicts that pass the filter `where`, in order. They are read when they are accessed."""
        return Selection(self, where)

    def at(self, numbers: Iterable[int]) -> list[Verdict]:
        """The verdicts of the rows with these numbers (from 0)."""
        return self.json_at("verdict", numbers)


class Selection(LazySequence[Verdict]):
    """The verdicts of a file that pass a filter. They are read when they are accessed."""

    def __init__(self, file: VerdictFile, where: Where) -> None:
        self._file, self._where = file, where
        self._known: dict[int, Sequence[int]] = {}  # group -> the numbers of its rows that are taken

    @cached_property
    def _before(self) -> list[int]:
        """[groups + 1]: the number of filtered rows before each group, then the number of all filtered rows."""
        return list(accumulate(map(self._count, range(len(self._file.index))), initial=0))

    def __len__(self) -> int:
        return self._before[-1]

    def _at(self, place: int) -> Verdict:
        return self._several(range(place, place + 1))[0]

    def _several(self, places: range) -> list[Verdict]:
        return self._file.at(map(self._number, places))

    def __iter__(self) -> Iterator[Verdict]:
        for group in range(len(self._file.index)):
            yield from self._file.at(self._rows(group))

    def following(self, start: int, limit: int) -> tuple[list[Verdict], int | None]:
        """A page of at most `limit` verdicts, from row `start` of the file (from 0).

        Returns the verdicts, and the row at which the next page starts (None at the end).
        """
        numbers: list[int] = []
        for group in range(max(bisect_right(self._file.starts, start) - 1, 0), len(self._file.index)):
            numbers += [number for number in self._rows(group) if number >= start]
            if len(numbers) > limit:
                break
        return self._file.at(numbers[:limit]), next(iter(numbers[limit:]), None)

    def _number(self, place: int) -> int:
        group = bisect_right(self._before, place) - 1
        return self._rows(group)[place - self._before[group]]

    def _count(self, group: int) -> int:
        index = self._file.index[group]
        rows = sum(rows for split, failure, rows in index if self._where.takes(split, failure))
        # The index knows splits and failures, not ids: only a filter by id reads the group.
        return len(self._rows(group)) if rows and self._where.text else rows

    def _rows(self, group: int) -> Sequence[int]:
        if group not in self._known:
            self._known[group] = self._find(group)
        return self._known[group]

    def _find(self, group: int) -> Sequence[int]:
        kinds = [self._where.takes(split, failure) for split, failure, _ in self._file.index[group]]
        start, end = self._file.starts[group : group + 2]
        if not any(kinds):
            return []
        if all(kinds) and not self._where.text:
            return range(start, end)
        names = ["split", "failure", "id"] if self._where.text else ["split", "failure"]
        texts = self._file.group(group, names).values()
        text = self._where.text.lower()
        return [
            number
            for number, split, failure, *name in zip(count(start), *texts, strict=False)
            if self._where.takes(split, failure) and (not name or text in name[0].lower())
        ]
