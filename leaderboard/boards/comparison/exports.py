"""Files of a comparison: each table of its page as CSV, and all figures as one typed tidy table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from django.http import HttpResponse

from evaluation.frames.schema import COMPARISON
from leaderboard.boards.comparison.comparison import Cell, Comparison, Contender
from leaderboard.boards.comparison.disagreements import Matrix
from leaderboard.boards.exports import Value, respond_frame, respond_with, safe

if TYPE_CHECKING:
    from pandas import DataFrame

#: name -> label, as the page links them.
TABLES = {"differences": "Differences", "conditions": "Conditions", "rows": "Rows that differ"}
#: The kinds of the tidy table that the page links, with their labels.
TIDY = {"parquet": "Parquet", "json": "JSON"}
CORRECT = "correct"  # the metric of a split; its other lines are decomposition steps
Record = dict[str, Value]


def respond(table: str, comparison: Comparison, matrix: Matrix) -> HttpResponse:
    """Download one of `TABLES` as CSV. Raises `storage.DamagedFileError` if stored verdicts are missing or changed."""
    tables: dict[str, Callable[[], DataFrame]] = {
        "differences": lambda: _differences(comparison),
        "conditions": lambda: _splits(comparison),
        "rows": lambda: _rows(matrix),
    }
    return respond_frame(comparison.version, tables[table](), name=table)


def respond_tidy(comparison: Comparison, kind: str) -> HttpResponse:
    """Download all figures with the columns of `schema.COMPARISON` as `csv`, `json` or `parquet`; see `respond`."""
    return respond_with(comparison.version, tidy_records(comparison), COMPARISON, kind, name=COMPARISON.name)


def tidy_records(comparison: Comparison) -> Iterator[Record]:
    yield from _figure_records(comparison)
    yield from _split_records(comparison)


def _figure_records(comparison: Comparison) -> Iterator[Record]:
    for line in comparison.lines:
        figure: Record = {"metric": line.column.name, "better": line.column.better}
        yield from (figure | record for record in _cell_records(comparison, line.cells))


def _split_records(comparison: Comparison) -> Iterator[Record]:
    for split in comparison.splits:
        place: Record = {"metric": CORRECT, "split": split.name, "better": "higher"}
        yield from (place | record for record in _cell_records(comparison, split.cells))
        for each, steps in zip(comparison.contenders, split.steps, strict=True):
            named = _named(each) | place
            yield from (named | {"metric": label, "value": value} for label, value in steps)


def _cell_records(comparison: Comparison, cells: Iterable[Cell]) -> Iterator[Record]:
    """One record per contender. `gap` is the paired difference from the first contender, else the plain difference."""
    for each, cell in zip(comparison.contenders, cells, strict=True):
        low, high = cell.interval or (None, None)
        figure = _named(each) | {"value": cell.value, "low": low, "high": high, "gap": cell.gap}
        if cell.difference is not None:
            ends = dict(zip(("difference_low", "difference_high"), cell.range or (None, None), strict=True))
            figure |= {"gap": cell.difference.value, "difference": cell.difference.value, **ends, "p": cell.p}
        yield figure


def _named(contender: Contender) -> Record:
    submission = contender.submission
    return {"letter": contender.letter, "system": submission.system.name, "submission": str(submission.pk)}


def _differences(comparison: Comparison) -> DataFrame:
    return _wide(_frame(_figure_records(comparison)), ["metric", "better"], comparison.contenders)


def _splits(comparison: Comparison) -> DataFrame:
    figures = _frame(_split_records(comparison))
    is_correct = figures["metric"] == CORRECT
    wide = _wide(figures[is_correct], ["split"], comparison.contenders)
    wide.insert(1, "rows", [line.rows for line in comparison.splits])
    steps = figures[~is_correct]
    columns = [(each.letter, step) for each in comparison.contenders for step in steps["metric"].unique()]
    decompositions = steps.pivot(index="split", columns=["letter", "metric"], values="value")[columns]
    decompositions.columns = [" ".join(column) for column in columns]
    return wide.join(decompositions, on="split").rename(columns={"split": "condition"})


def _wide(figures: DataFrame, names: list[str], contenders: Sequence[Contender]) -> DataFrame:
    """Join the figures of all contenders side by side. The contenders must have the same figures in the same order."""
    first, *_ = parts = [
        figures[figures["letter"] == each.letter].reset_index(drop=True) for each in contenders
    ]
    headings = [_headings(each) for each in contenders]
    columns = [part[list(of)].rename(columns=of) for part, of in zip(parts, headings, strict=True)]
    wide: DataFrame = first[names].join(columns)
    return wide


def _rows(matrix: Matrix) -> DataFrame:
    contenders = matrix.comparison.contenders
    states = {f"state_{each.letter}": _title(each) for each in contenders}
    failures = {f"failure_{each.letter}": f"{each.letter} failure" for each in contenders}
    return matrix.frame().map(safe).rename(columns={"split": "condition"} | states | failures)


def _headings(contender: Contender) -> dict[str, str]:
    letter = contender.letter
    headings = {"value": _title(contender), "low": f"{letter} low", "high": f"{letter} high"}
    if letter == "A":
        return headings
    ends = {"difference_low": f"{letter}-A low", "difference_high": f"{letter}-A high"}
    return headings | {"gap": f"{letter}-A difference"} | ends | {"p": f"{letter}-A p"}


def _title(contender: Contender) -> str:
    return f"{contender.letter} {contender.submission.system.name}"


def _frame(records: Iterable[Record]) -> DataFrame:
    """A DataFrame that keeps each value's type: an integer in a column of rates stays an integer."""
    from pandas import DataFrame  # takes half a second: imported only for a download

    columns = [*COMPARISON.columns, "gap"]
    lines = [[safe(record.get(name)) for name in columns] for record in records]
    return DataFrame(lines, columns=columns, dtype=object)
