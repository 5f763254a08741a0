"""Sweeps as DataFrames: a line a sweep, a line a run.

The lines are those that the experiments write as CSV (`evaluation.goldevidence.experiments.summary`: `collect`,
`flat_runs`, `decompositions`); here they have types.
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
    """One line a sweep.

    Args:
        lines: What `collect(root)` returns.

    Returns:
        The DataFrame `schema.SUMMARY` [sweeps]; every other column of the lines is a figure.
    """
    return _summaries(lines)[0]


def write_summaries(lines: Lines, path: str | Path) -> None:
    """Write what `summary_frame` returns to a file of the kind that its name says.

    Args:
        lines: What `collect(root)` returns.
        path: Where to.

    Raises:
        UnknownNameError: The name ends in no kind of file.
    """
    write_frame(*_summaries(lines), path)


def _summaries(lines: Lines) -> tuple[pd.DataFrame, Table]:
    timed = [line | {"mtime": datetime.fromtimestamp(line["mtime"], UTC)} for line in map(dict, lines)]
    figure = SUMMARY.field("<figure>")
    table = SUMMARY.with_fields(_columns(SUMMARY, timed, lambda name, values: figure.named(name)))
    return frame_of(timed, table), table


def runs_frame(lines: Lines) -> pd.DataFrame:
    """One line a run.

    Args:
        lines: What `flat_runs(combined)` or `decompositions(combined)` returns.

    Returns:
        The DataFrame `schema.RUNS` [runs] with the columns that the lines have, of the kinds that their values are.
    """
    return _runs(lines)[0]


def write_runs(lines: Lines, path: str | Path) -> None:
    """Write what `runs_frame` returns to a file of the kind that its name says.

    Args:
        lines: What `flat_runs(combined)` or `decompositions(combined)` returns.
        path: Where to.

    Raises:
        UnknownNameError: The name ends in no kind of file.
    """
    write_frame(*_runs(lines), path)


def _runs(lines: Lines) -> tuple[pd.DataFrame, Table]:
    listed = [dict(line) for line in lines]
    present = {name for line in listed for name in line}
    table = RUNS.with_fields(field for field in _columns(RUNS, listed, field_of) if field.name in present)
    return frame_of(listed, table), table


def _columns(
    table: Table, lines: Sequence[Mapping[str, object]], other: Callable[[str, list[Any]], Field]
) -> list[Field]:
    """The table's own columns, and for every other name what `other` makes of it and its values."""
    known = [field for field in table if not field.is_family]
    names = dict.fromkeys(name for line in lines for name in line)
    more = [name for name in names if name not in {field.name for field in known}]
    return [*known, *(other(name, [line.get(name) for line in lines]) for name in more)]
