"""Sweeps as DataFrames, with one line per sweep or one line per run.

`evaluation.goldevidence.experiments.summary` (`collect`, `flat_runs`, `decompositions`) makes the lines. Experiments
write them as CSV; here their columns get types.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd

from evaluation.frames.files import write_frame
from evaluation.frames.schema import RUNS, SUMMARY, Field, Table
from evaluation.frames.typed import field_of, frame_of

Lines = Iterable[Mapping[str, Any]]


def summary_frame(lines: Lines) -> pd.DataFrame:
    """A DataFrame in the form of `schema.SUMMARY`, from lines of `collect(root)`. Undeclared columns are metrics."""
    return _summaries(lines)[0]


def write_summaries(lines: Lines, path: str | Path) -> None:
    """Write `summary_frame` in the format of the suffix. Raises UnknownNameError for an unknown suffix."""
    write_frame(*_summaries(lines), path)


def _summaries(lines: Lines) -> tuple[pd.DataFrame, Table]:
    timed = [line | {"mtime": datetime.fromtimestamp(line["mtime"], UTC)} for line in map(dict, lines)]
    figure = SUMMARY.field("<figure>")
    table = SUMMARY.with_fields(_columns(SUMMARY, timed, lambda name, values: figure.named(name)))
    return frame_of(timed, table), table


def runs_frame(lines: Lines) -> pd.DataFrame:
    """A DataFrame in the form of `schema.RUNS`, from lines of `flat_runs` or `decompositions`.

    Types of columns that the schema does not declare are inferred.
    """
    return _runs(lines)[0]


def write_runs(lines: Lines, path: str | Path) -> None:
    """Write `runs_frame` in the format of the suffix. Raises UnknownNameError for an unknown suffix."""
    write_frame(*_runs(lines), path)


def _runs(lines: Lines) -> tuple[pd.DataFrame, Table]:
    listed = [dict(line) for line in lines]
    present = {name for line in listed for name in line}
    table = RUNS.with_fields(field for field in _columns(RUNS, listed, field_of) if field.name in present)
    return frame_of(listed, table), table


def _columns(
    table: Table, lines: Sequence[Mapping[str, object]], other: Callable[[str, list[Any]], Field]
) -> list[Field]:
    known = [field for field in table if not field.is_family]
    names = dict.fromkeys(name for line in lines for name in line)
    more = [name for name in names if name not in {field.name for field in known}]
    return [*known, *(other(name, [line.get(name) for line in lines]) for name in more)]
