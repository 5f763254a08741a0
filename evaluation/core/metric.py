"""A metric is defined once, by two functions of rows: which rows count, and the value of each row.

The two functions determine the metric over all rows, in a group and for one row, its interval, and its sums by unit for
paired tests.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.core import statistics
from evaluation.core.statistics import Contrast, FloatArray, UnitSums

Array = NDArray[Any]
Columns = Mapping[str, Array]  # findings by name, [rows] each
RowFunction = Callable[[Columns], Array]  # -> [rows]
#: From the rates of all parts [..., parts] and their labels to one figure [...]. NaN: the part has no rate.
Reducer = Callable[[FloatArray, Sequence[str]], FloatArray]
#: From the labels of the parts to families: index lists of parts that are compared with each other.
Families = Callable[[Sequence[str]], Sequence[Sequence[int]]]


class Reduction(StrEnum):
    """Kind of a reducer, which determines the method of its interval."""

    SMOOTH = "smooth"  # differentiable in the rates, such as a difference
    WORST = "worst"  # the lowest rate
    SPREAD = "spread"  # the largest distance between two rates of a family


def every(columns: Columns) -> Array:
    """A mask that counts every row: an array of ones, [rows].

    Args:
        columns: [rows] each.
    """
    return np.ones(len(next(iter(columns.values()))), dtype=np.int8)


def both(first: RowFunction, second: RowFunction) -> RowFunction:
    """Combine two row functions that return masks [rows] with a logical and."""
    return lambda columns: first(columns) & second(columns)


@dataclass(frozen=True, slots=True, eq=False)
class Metric:
    """A rate: sum(value) / sum(weight) over the counted rows. A metric is equal only to itself.

    With a `reducer` the metric combines several rates: the rates of the metrics in `of`, or the metric's own rate in
    every group of a `grouping`. For a single row it is always value / weight.
    """

    name: str  # key in Report.metrics
    label: str
    help: str
    counted: RowFunction  # mask of the rows in the denominator (or 0 and 1)
    value: RowFunction  # numerator of each row
    _: KW_ONLY
    weight: RowFunction | None = None  # denominator of each row; None: 1
    #: True if the weight is an importance (a cost) and not a number of things asked.
    is_importance: bool = False
    better: str = "higher"  # or "lower"
    #: The suite's name of the split that the figure of a whole report covers; groups have their own.
    split: str = "headline"
    empty: float | None = None  # figure if no row counts; 0 in some released graders
    is_complement: bool = False  # computed as 1 - (missing / all), to round as a released grader does
    of: tuple[str, ...] = ()
    grouping: str = ""
    reducer: Reducer | None = None
    reduction: Reduction = Reduction.SMOOTH
    families: Families | None = None  # families of parts; None: one family of all
    in_groups: bool = True  # reported for groups, too
    headline: bool = False
    format: str = "ratio"  # ratio | count | seconds
    section: str = ""  # heading on pages; empty: not listed
    by_split: bool = False  # shown in the short table of a system by split
    first: bool = False  # among the dozen that a page shows first
    neutral: bool = False  # descriptive: neither direction is better
    counts: tuple[str, str] | None = None  # noun for the denominator, singular and plural; None: rows
    chance: str = ""  # name of the metric with the chance level of the same rows; empty: unknown

    @property
    def has_denominator(self) -> bool:
        """True if the denominator counts rows: the metric has neither a reducer nor importance weights."""
        return self.reducer is None and not self.is_importance


def row_figures(metric: Metric, columns: Columns) -> FloatArray:
    """Compute the metric of each single row, value / weight [rows]. Rows that are not counted have NaN.

    Args:
        columns: [rows] each.
    """
    added, weight = (side.astype(np.float64) for side in Evaluated(columns).sides(metric))
    return statistics.rates(added, weight)


class RowFigures(Mapping[str, FloatArray]):
    """Metric name -> the metric's result for each row of a report [rows], computed on access."""

    def __init__(self, *tables: tuple[Iterable[Metric], Columns]) -> None:
        self._metrics = {metric.name: (metric, columns) for metrics, columns in tables for metric in metrics}

    def __getitem__(self, name: str) -> FloatArray:
        return row_figures(*self._metrics[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._metrics)

    def __len__(self) -> int:
        return len(self._metrics)


def figure(metric: Metric, sums: UnitSums) -> float | None:
    """Compute a metric over all units. Returns `Metric.empty` if no row counts."""
    return number_of(metric, float(_figures_of(metric, sums.parts)(sums.sums.sum(axis=0))))


def figures(metrics: Iterable[Metric], columns: Columns) -> dict[str, float | None]:
    """Compute metrics that have no reducer over the given rows, by name. If no row counts, the value is `Metric.empty`.

    Args:
        columns: [rows] each.
    """
    arrays = Evaluated(columns)
    by_name = {}
    for metric in metrics:
        sums = np.array([side.sum(dtype=np.float64) for side in arrays.sides(metric)])
        by_name[metric.name] = number_of(metric, float(rates_of(metric, sums)))
    return by_name


def paired_difference(metric: Metric, first: UnitSums, second: UnitSums) -> Contrast | None:
    """Subtract the second system's metric from the first's, with an interval over paired units.

    Both sums must be over the same units in the same order. The interval is not adjusted for the number of comparisons.
    Returns None if fewer than two units have rows of both systems, or the metric is undefined. Raises ValueError if the
    numbers of units or the rates differ.
    """
    if first.parts != second.parts or first.sums.shape != second.sums.shape:
        raise ValueError(f"cannot compare {metric.name!r}: the two systems have different units or parts")
    strata = second.strata if first.strata is None else first.strata
    if metric.reducer is None:
        return statistics.paired_contrast(first.sums[:, 0], second.sums[:, 0], strata)
    if metric.reduction is Reduction.WORST and (members := worst_members(metric, first.parts)):
        return statistics.worst_contrast(first.sums[:, members], second.sums[:, members], strata)
    return statistics.composite_contrast(
        first.sums, second.sums, figure_of_rates(metric, first.parts), strata
    )


def worst_members(metric: Metric, labels: Sequence[str]) -> list[int]:
    """Indices of the parts that a `Reduction.WORST` metric compares. A part with no other to compare is left out."""
    families = [range(len(labels))] if metric.families is None else metric.families(labels)
    return [part for family in families if len(family) > 1 for part in family]


def number_of(metric: Metric, value: float) -> float | None:
    """Replace NaN by `Metric.empty`; return any other value unchanged."""
    return metric.empty if math.isnan(value) else value


def figure_of_rates(metric: Metric, parts: Sequence[str]) -> Callable[[FloatArray], FloatArray]:
    """Return the function that reduces rates of the metric's parts [..., parts] to values of the metric [...].

    Args:
        parts: Labels of the parts.
    """
    if (reducer := metric.reducer) is None:
        return lambda rates: rates[..., 0]
    return lambda rates: reducer(rates, parts)


def _figures_of(metric: Metric, parts: Sequence[str]) -> Callable[[FloatArray], FloatArray]:
    reduced = figure_of_rates(metric, parts)
    return lambda sums: reduced(rates_of(metric, sums))


def rates_of(metric: Metric, sums: FloatArray) -> FloatArray:
    """The rates of a metric without a reducer, [...]. A rate whose denominator is 0 is NaN.

    Args:
        sums: Numerator and denominator, [..., 2].
    """
    if metric.is_complement:
        return 1.0 - statistics.rates(sums[..., 1] - sums[..., 0], sums[..., 1])
    return statistics.rates(sums[..., 0], sums[..., 1])


Side = tuple[str, RowFunction, RowFunction | None]  # key of a sum: metrics share denominators


def sides_of(metric: Metric) -> tuple[Side, Side]:
    """Return the keys of a metric's numerator and denominator. Metrics with equal denominators share the second key."""
    return ("value", metric.counted, metric.value), ("weight", metric.counted, metric.weight)


class Evaluated:
    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._known: dict[Hashable, Array] = {}

    def sides(self, metric: Metric) -> tuple[Array, Array]:
        """Numerator and denominator of each row for a metric, [rows] each. Rows that are not counted have 0 in both.

        Args:
            metric: Defines counted rows, values and weights.
        """
        value, weight = sides_of(metric)
        return self.side(value), self.side(weight)

    def side(self, side: Side) -> Array:
        """A numerator or denominator of each row, [rows]. Rows that are not counted have 0.

        Args:
            side: Key from `sides_of`.
        """
        if side not in self._known:
            _, counted, function = side
            mask = self._column(counted)
            self._known[side] = mask if function is None else self._column(function) * mask
        return self._known[side]

    def _column(self, function: RowFunction) -> Array:
        if function not in self._known:
            self._known[function] = function(self._columns)
        return self._known[function]
