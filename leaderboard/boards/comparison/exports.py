"""A comparison as CSV: differences, conditions, and the rows on which the contenders differ."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from django.http import HttpResponse

from leaderboard.boards.comparison.comparison import Cell, Comparison, Contender
from leaderboard.boards.comparison.disagreements import Matrix
from leaderboard.boards.exports import safe

#: name -> label, as the page links them.
TABLES = {"differences": "Differences", "conditions": "Conditions", "rows": "Rows that differ"}
Record = list[Any]


def respond(table: str, comparison: Comparison, matrix: Matrix) -> HttpResponse:
    """The table as a download."""
    tables: dict[str, Callable[[], Iterator[Record]]] = {
        "differences": lambda: _differences(comparison),
        "conditions": lambda: _conditions(comparison),
        "rows": lambda: _rows(matrix),
    }
    out = io.StringIO()
    csv.writer(out).writerows([safe(value) for value in record] for record in tables[table]())
    response = HttpResponse(out.getvalue(), content_type="text/csv; charset=utf-8")
    version = comparison.version
    response["Content-Disposition"] = (
        f'attachment; filename="{version.benchmark.slug}-{version.slug}-{table}.csv"'
    )
    return response


def _differences(comparison: Comparison) -> Iterator[Record]:
    yield ["metric", "better", *_headings(comparison.contenders)]
    for line in comparison.lines:
        yield [line.column.name, line.column.better, *_cells(line.cells)]


def _conditions(comparison: Comparison) -> Iterator[Record]:
    steps = [label for label, _ in next((s for line in comparison.conditions for s in line.steps if s), [])]
    headings = [f"{each.letter} {step}" for each in comparison.contenders for step in steps]
    yield ["condition", "rows", *_headings(comparison.contenders), *headings]
    for line in comparison.conditions:
        found = [dict(each) for each in line.steps]
        yield [
            line.name,
            line.rows,
            *_cells(line.cells),
            *(each.get(step) for each in found for step in steps),
        ]


def _rows(matrix: Matrix) -> Iterator[Record]:
    contenders = matrix.comparison.contenders
    names = [f"{each.letter} {each.submission.system.name}" for each in contenders]
    yield ["id", "condition", *names, *(f"{each.letter} failure" for each in contenders)]
    for row in matrix.every():
        yield [
            row.id,
            row.condition,
            *(mark.state for mark in row.marks),
            *(mark.failure for mark in row.marks),
        ]


def _headings(contenders: Iterable[Contender]) -> Iterator[str]:
    for each in contenders:
        yield from (
            f"{each.letter} {each.submission.system.name}",
            f"{each.letter} low",
            f"{each.letter} high",
        )
        if each.letter != "A":
            yield from (f"{each.letter}-A {name}" for name in ("difference", "low", "high", "p"))


def _cells(cells: Iterable[Cell]) -> Iterator[Any]:
    for at, cell in enumerate(cells):
        yield from (cell.value, *(cell.interval or (None, None)))
        if at:
            yield from (cell.gap, None, None, None) if cell.difference is None else _difference(cell)


def _difference(cell: Cell) -> tuple[Any, ...]:
    """Value, low, high and p, as the page shows them."""
    assert cell.difference is not None
    return (cell.difference.value, *(cell.range or (None, None)), cell.p)
