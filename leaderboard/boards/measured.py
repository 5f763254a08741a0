"""Measures of systems that give no answers, such as memories: the quality of the context that they select."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from evaluation.core.suite import Column, Suite, Unranked
from evaluation.core.terminal.wording import number_of
from evaluation.frames.board import measures_table
from evaluation.frames.schema import Table
from leaderboard.benchmarks.models import Version
from leaderboard.boards import charts
from leaderboard.boards import rows as boards
from leaderboard.boards.charts.figure import Figure
from leaderboard.boards.exports import Value
from leaderboard.boards.placements.ranking import Placement
from leaderboard.boards.rows import BoardRow
from leaderboard.submissions.models import Submission

Measures = Mapping[str, Any]  # a row of `Unranked.measure`
#: Endings of the fields of a measure: its value, interval and denominator.
ENDS = ("", "_low", "_high", "_of")


class MeasuredCell(NamedTuple):
    """One measure of the quality of a context. `value` is None if not measured. Old scores have no interval."""

    column: Column
    value: float | None
    low: float | None
    high: float | None
    rows: int | None  # denominator of a rate

    @property
    def denominator(self) -> str:
        """Text such as "of 108 phrases"; empty if the measure is a mean, or if the number is unknown."""
        if self.rows is None or self.value is None:
            return ""
        return f"of {number_of(self.rows, *(self.column.counts or ('row', 'rows')))}"


@dataclass(frozen=True, slots=True)
class MeasuredTable:
    """The unranked systems of one kind at one token budget. The best in the first measure of the kind is first."""

    kind: Unranked
    name: str  # `System.kind`
    budgets: list[int]  # measured ones, ascending
    budget: int
    lines: list[tuple[BoardRow, list[MeasuredCell]]]
    count: int  # of systems, of which the first are shown
    figure: Figure | None


def tables(version: Version, ordered: Sequence[Placement], budget: str, most: int) -> list[MeasuredTable]:
    """Make tables of systems without a rank, one table per reason, with at most `most` systems each.

    `budget` is the token budget that the reader chose. If it is not a measured budget, tables show the largest budget.
    """
    made = []
    for name, kind in apart(version.suite):
        of_kind = [
            each for each in ordered if each.apart and not each.reference and each.reason == kind.reason
        ]
        if of_kind:
            made.append(_table(version, kind, name, of_kind, budget, most))
    return made


def apart(suite: Suite) -> list[tuple[str, Unranked]]:
    """The tables beside the ranking, as (kind of system, its description).

    Kinds that are unranked for the same reason share a table, which is listed under the first of these kinds.
    """
    first: dict[str, tuple[str, Unranked]] = {}
    for name, kind in suite.unranked.items():
        first.setdefault(kind.reason, (name, kind))
    return list(first.values())


def _table(
    version: Version, kind: Unranked, name: str, placed: Sequence[Placement], budget: str, most: int
) -> MeasuredTable:
    measures = _measures(placed)
    budgets = sorted({int(row["budget"]) for rows in measures.values() for row in rows})
    chosen = next((each for each in budgets if str(each) == budget), budgets[-1] if budgets else 0)
    at_budget = {key: _at(rows, chosen) for key, rows in measures.items()}
    best_first = sorted(placed, key=lambda place: _order(kind, at_budget.get(place.key, {}), place.name))
    rows = boards.rows(version, best_first[:most])
    points = [(place.name, dict(at_budget.get(place.key, {}))) for place in best_first]
    return MeasuredTable(
        kind=kind,
        name=name,
        budgets=budgets,
        budget=chosen,
        lines=[(row, cells(kind, at_budget.get(row.placement.key, {}))) for row in rows],
        count=len(placed),
        figure=_figure(kind, points, chosen) if chosen else None,
    )


def _measures(placed: Iterable[Placement]) -> dict[Any, list[Measures]]:
    keys = [place.key for place in placed]
    return dict(Submission.objects.filter(pk__in=keys).order_by().values_list("pk", "score__measures"))


def _at(rows: Iterable[Measures], budget: int) -> Measures:
    return next((row for row in rows if row["budget"] == budget), {})


def _order(kind: Unranked, measures: Measures, name: str) -> tuple[Any, ...]:
    keys: list[tuple[bool, float]] = []
    for column in kind.measures:
        value = measures.get(column.name)
        keys.append((value is None, (value or 0.0) * (1 if column.better == "lower" else -1)))
    return *keys, name.lower()


def cells(kind: Unranked, measures: Measures) -> list[MeasuredCell]:
    """The cells of a system at one budget. `measures` is empty if the system was not measured at this budget."""
    return [
        MeasuredCell(column, *(measures.get(f"{column.name}{end}") for end in ENDS))
        for column in kind.measures
    ]


def _figure(kind: Unranked, points: Sequence[tuple[str, Measures]], budget: int) -> Figure | None:
    if kind.plot is None:
        return None
    return charts.draw_board(kind.plot, points, where=f"{budget:,} tokens")


def records(version: Version, ordered: Sequence[Placement]) -> list[dict[str, Value]]:
    """One record per system and budget, with the columns of `table`, the best system at the largest budget first."""
    facts = {"benchmark": version.benchmark.slug, "version": version.slug, "version_sha256": version.sha256}
    flat: list[dict[str, Value]] = []
    for measured in tables(version, ordered, "", len(ordered)):
        for row, _ in measured.lines:
            about: dict[str, Value] = {
                "system": row.system.name,
                "owner": row.system.owner.get_username(),
                "kind": row.system.kind,
                "submission": str(row.submission.pk),
                "statistics": row.score.statistics,
            }
            for measures in sorted(row.score.measures, key=lambda each: each["budget"]):
                flat.append(about | {"budget": measures["budget"]} | _flat(measured.kind, measures) | facts)
    return flat


def _flat(kind: Unranked, measures: Measures) -> dict[str, Value]:
    names = [f"{column.name}{end}" for column in kind.measures for end in ENDS]
    return {name: measures.get(name) for name in names}


def columns(version: Version) -> list[Column]:
    return list(dict.fromkeys(column for kind in version.suite.unranked.values() for column in kind.measures))


def table(version: Version) -> Table:
    return measures_table(columns(version))
