"""From the verdicts of a suite's rows and its `Metric`s to a whole report: figures, intervals, groups, cells, sums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired

import numpy as np

from evaluation.core.measure import Grouping, Rows, measure
from evaluation.core.metric import Array, Columns, Metric, RowFigures, row_figures
from evaluation.core.records import Verdict
from evaluation.core.report import Report

#: What of a verdict is no figure.
_WORDS = frozenset({"id", "unit", "condition", "failure", "reason", "gold", "value"})


class PlainVerdict(Verdict):
    """The verdict on a row, and under the names that metrics read a number or None."""

    answered: bool
    value: NotRequired[Any]
    gold: NotRequired[Any]


def graded(
    metrics: Sequence[Metric],
    verdicts: Sequence[PlainVerdict],
    *,
    settings: Mapping[str, Any],
    facet: str = "",
) -> Report:
    """The report on some verdicts.

    Args:
        metrics: The definitions; the one that is the `headline` says what "correct" is.
        verdicts: One a row: `id`, `unit`, `condition` (its split), `answered`, and a number or None under every name
            that a metric reads.
        settings: What the grader was told.
        facet: The name of the grouping by split; empty: none. A split of which no row is answered is no group.

    Returns:
        Figures over all rows: one that is not answered counts as the verdict says.
    """
    columns = _columns(verdicts)
    headline = next(metric for metric in metrics if metric.headline)
    names = list(dict.fromkeys(str(verdict["unit"]) for verdict in verdicts))
    numbers = {name: number for number, name in enumerate(names)}
    units = np.array([numbers[str(verdict["unit"])] for verdict in verdicts], dtype=np.int64)
    places = np.arange(len(verdicts))
    by_split = _by_split(verdicts)
    groupings = {
        split: Grouping([split], np.zeros_like(places)) for split in {each.split for each in metrics}
    }
    measured = measure(
        metrics,
        [Rows(units, places, columns, metrics)],
        len(names),
        groupings | ({facet: by_split} if facet else {}),
    )
    values = row_figures(headline, columns)
    sums = measured.sums[headline.name].sums[:, 0, :] if headline.name in measured.sums else np.zeros((0, 2))
    return Report(
        metrics=measured.whole["metrics"],
        intervals=measured.whole["intervals"],
        groups={facet: measured.groups.get(facet, {})} if facet else {},
        rows=[_row(verdict, value) for verdict, value in zip(verdicts, values.tolist(), strict=True)],
        units={
            name: (float(total), int(rows)) for name, (total, rows) in zip(names, sums.tolist(), strict=False)
        },
        cells=_cells(by_split, values, units, names) if facet else {},
        settings=settings,
        unit_names=names,
        sums=measured.sums,
        group_rows={facet: measured.weights.get(facet, {})} if facet else {},
        row_figures=RowFigures((metrics, columns)),
    )


def _columns(verdicts: Sequence[PlainVerdict]) -> Columns:
    """What the verdicts found, [rows] each; 0 for None: what is not counted may be anything."""
    names = dict.fromkeys(name for verdict in verdicts for name in verdict if name not in _WORDS)
    return {
        name: np.array([_number(verdict.get(name)) for verdict in verdicts], dtype=np.float64)
        for name in names
    }


def _number(value: Any) -> float:
    return float(value) if isinstance(value, (bool, int, float)) else 0.0


def _by_split(verdicts: Sequence[PlainVerdict]) -> Grouping:
    answered = {str(verdict["condition"]) for verdict in verdicts if verdict["answered"]}
    labels = [
        split for split in dict.fromkeys(str(each["condition"]) for each in verdicts) if split in answered
    ]
    codes = {label: code for code, label in enumerate(labels)}
    return Grouping(labels, np.array([codes.get(str(each["condition"]), -1) for each in verdicts]))


def _row(verdict: PlainVerdict, value: float) -> PlainVerdict:
    return verdict | {"correct": None if np.isnan(value) else int(value)}


def _cells(
    by_split: Grouping, values: Array, units: Array, names: Sequence[str]
) -> dict[tuple[str, ...], dict[str, tuple[float, int]]]:
    """Of every split, unit -> (sum, rows) of the headline."""
    cells: dict[tuple[str, ...], dict[str, tuple[float, int]]] = {}
    for code, label in enumerate(by_split.labels):
        counted = (by_split.codes == code) & ~np.isnan(values)
        totals = np.bincount(units[counted], values[counted], len(names))
        rows = np.bincount(units[counted], minlength=len(names))
        pairs = zip(names, totals.tolist(), rows.tolist(), strict=True)
        cells[(label,)] = {name: (total, count) for name, total, count in pairs}
    return cells
