"""Timelines of a file, and tables, shared by the commands of StateBench."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, cast

from evaluation.core import jsonl
from evaluation.core.errors import RowError
from evaluation.statebench.records import Timeline


def any_timelines(path: str) -> Iterator[Timeline]:
    """The timelines of a file, with or without ground truth. Raises RowError for a malformed row."""
    from evaluation.statebench.data.timeline import check_timeline

    for number, row in jsonl.read_numbered(path):
        try:
            check_timeline(row, graded=False)
        except RowError as error:
            raise RowError(error.reason, path=path, line=number) from error
        yield cast(Timeline, row)


def table(title: str, columns: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> None:
    """Print a table; floats get four decimals, None an en dash."""
    from evaluation.core.terminal.tables import show

    show(title, columns, (map(_cell, row) for row in rows))


def _cell(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, float) else "–" if value is None else str(value)
