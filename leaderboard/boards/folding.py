"""Finds columns of a board's table that do not distinguish its rows: constant, or equal to another column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from evaluation.core.suite import Column
from leaderboard.boards.rows import BoardRow
from leaderboard.submissions.scores.score_tables import Interval, MetricCell

Figure = tuple[Any, Interval]


@dataclass(frozen=True, slots=True)
class Folded:
    """The columns to leave out of a table, for the line below the table that summarizes them."""

    constant: list[MetricCell] = field(default_factory=list)  # (column, value, interval) of all rows
    equal: list[tuple[Column, Column]] = field(default_factory=list)  # (left out, kept)
    unreported: list[Column] = field(default_factory=list)

    @property
    def names(self) -> set[str]:
        constant, equal = [cell[0] for cell in self.constant], [column for column, _ in self.equal]
        return {column.name for column in (*constant, *equal, *self.unreported)}


def folded(rows: Sequence[BoardRow], columns: Sequence[Column]) -> Folded:
    """Find the columns to leave out. Of equal columns the first is kept. With fewer than two rows, none is left out."""
    left_out = Folded()
    if len(rows) < 2:
        return left_out
    cells = [{cell[0].name: cell for cell in row.cells} for row in rows]
    headline = rows[0].headline
    seen = {tuple((row.value, row.span) for row in rows): headline}
    for column in columns:
        figures = [row[column.name][1:] for row in cells]
        _sort_out(cells[0][column.name], figures, seen, left_out)
    return left_out


def _sort_out(
    first: MetricCell, figures: list[Figure], seen: dict[tuple[Figure, ...], Column], left_out: Folded
) -> None:
    column, value, _ = first
    if len(set(figures)) == 1:
        if value is None:
            left_out.unreported.append(column)
        else:
            left_out.constant.append(first)
    elif (other := seen.setdefault(tuple(figures), column)) is not column:
        left_out.equal.append((column, other))
