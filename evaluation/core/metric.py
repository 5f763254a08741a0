"""A metric is one definition: which rows it counts, and what each of them adds.

Its figure, the interval over units, the figures of groups, the figure of one row and the sums by unit that a paired
test takes all come from those two arrays, here, for every suite.
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
Columns = Mapping[str, Array]  # what was found in each row, by name: [rows] each
RowFunction = Callable[[Columns], Array]  # -> [rows]
#: From the rates of all parts [..., parts], with the labels of the parts, to one figure [...]. NaN is no rate.
Reducer = Callable[[FloatArray, Sequence[str]], FloatArray]
#: From the labels of the parts to the numbers of those that are compared with each other, family by family.
Families = Callable[[Sequence[str]], Sequence[Sequence[int]]]


class Reduction(StrEnum):
    """What kind of figure a reducer makes, which decides how its interval is found."""

    SMOOTH = "smooth"  # such as a difference: small changes of the rates change it little
    WORST = "worst"  # the lowest rate
    SPREAD = "spread"  # the widest distance between two rates of a family


def every(columns: Columns) -> Array:
    """A mask of all rows.

    Args:
        columns: What was found in each row, [rows] each.

    Returns:
        1 for each row, [rows].
    """
    return np.ones(len(next(iter(columns.values()))), dtype=np.int8)


def both(first: RowFunction, second: RowFunction) -> RowFunction:
    """Whether two things hold of a row.

    Args:
        first: One of them.
        second: The other.

    Returns:
        The function of a mask, [rows].
    """
    return lambda columns: first(columns) & second(columns)


@dataclass(frozen=True, slots=True, eq=False)
class Metric:
    """One rate: sum(value) / sum(weight) over the rows that are counted. Two are equal where they are the same object.

    With a `reducer` it is instead what that makes of several rates: those of the metrics named in `of`, or its own
    in every part of a `grouping`. The figure of a row is value / weight all the same.
    """

    name: str  # key in Report.metrics
    label: str
    help: str
    counted: RowFunction  # the rows that it is over: a mask, or 0 and 1
    value: RowFunction  # what a row adds
    _: KW_ONLY
    weight: RowFunction | None = None  # how much a row counts; None: all the same
    #: Whether the weight says how much a row matters, and not how many things it asks.
    is_importance: bool = False
    better: str = "higher"  # or "lower"
    #: The split of the rows that the figure of a whole report is over, as the suite calls it; groups have their own.
    split: str = "headline"
    empty: float | None = None  # the figure over no row, for graders that call that 0
    is_complement: bool = False  # computed as 1 - (what is missing / all), where a released grader rounds so
    of: tuple[str, ...] = ()
    grouping: str = ""
    reducer: Reducer | None = None
    reduction: Reduction = Reduction.SMOOTH
    families: Families | None = None  # the parts that a reducer looks at, by family; None: all are one
    in_groups: bool = True  # whether groups report it, too
    headline: bool = False
    format: str = "ratio"  # ratio | count | seconds
    section: str = ""  # the heading under which a page lists it; empty: in no table of columns
    by_split: bool = False  # whether the short table of a system, a line a split, has it
    first: bool = False  # whether it is among the dozen that a page shows before all others
    neutral: bool = False  # whether neither way is better: it describes, as a share of rows of some kind does
    counts: tuple[str, str] | None = None  # what the weights count, one and several; None: rows
    chance: str = ""  # the metric of the same rows that says what choosing at random gets; empty: not known

    @property
    def has_denominator(self) -> bool:
        """Whether it is a share of things that can be counted: no figure of several rates, and weighed by no cost."""
        return self.reducer is None and not self.is_importance


def row_figures(metric: Metric, columns: Columns) -> FloatArray:
    """The figure of each row by itself.

    Args:
        metric: The definition.
        columns: What was found in each row, [rows] each.

    Returns:
        value / weight, [rows]; NaN where a row is not counted.
    """
    added, weight = (side.astype(np.float64) for side in Evaluated(columns).sides(metric))
    return statistics.rates(added, weight)


class RowFigures(Mapping[str, FloatArray]):
    """name -> the figure of each row of a report [rows], computed when it is asked for."""

    def __init__(self, *tables: tuple[Iterable[Metric], Columns]) -> None:
        """Nothing is computed yet.

        Args:
            *tables: Metrics, each time with the columns that they read, [rows] each.
        """
        self._metrics = {metric.name: (metric, columns) for metrics, columns in tables for metric in metrics}

    def __getitem__(self, name: str) -> FloatArray:
        return row_figures(*self._metrics[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._metrics)

    def __len__(self) -> int:
        return len(self._metrics)


def figure(metric: Metric, sums: UnitSums) -> float | None:
    """The figure over all units.

    Args:
        metric: The definition.
        sums: The sums of its parts by unit.

    Returns:
        The figure; `Metric.empty` where no row counts.
    """
    return number_of(metric, float(_figures_of(metric, sums.parts)(sums.sums.sum(axis=0))))


def figures(metrics: Iterable[Metric], columns: Columns) -> dict[str, float | None]:
    """The figures of metrics without reducers over some rows, without intervals.

    Args:
        metrics: The definitions.
        columns: What was found in each row, [rows] each.

    Returns:
        name -> figure; `Metric.empty` where no row counts.
    """
    arrays = Evaluated(columns)
    by_name = {}
    for metric in metrics:
        sums = np.array([side.sum(dtype=np.float64) for side in arrays.sides(metric)])
        by_name[metric.name] = number_of(metric, float(rates_of(metric, sums)))
    return by_name


def paired_difference(metric: Metric, first: UnitSums, second: UnitSums) -> Contrast | None:
    """How far the first system is above the second, paired by unit. It is adjusted for no other comparison.

    Args:
        metric: The definition that both were measured by.
        first: Its sums by unit.
        second: The same of the other system, over the same units in the same order.

    Returns:
        The difference of the figures over the units that both report; None where those are fewer than two.

    Raises:
        ValueError: Units or parts of the two are not the same.
    """
    if first.parts != second.parts or first.sums.shape != second.sums.shape:
        raise ValueError(f"the two sides of {metric.name!r} are not over the same units and parts")
    strata = second.strata if first.strata is None else first.strata
    if metric.reducer is None:
        return statistics.paired_contrast(first.sums[:, 0], second.sums[:, 0], strata)
    if metric.reduction is Reduction.WORST and (members := worst_members(metric, first.parts)):
        return statistics.worst_contrast(first.sums[:, members], second.sums[:, members], strata)
    return statistics.composite_contrast(first.sums, second.sums, of_rates(metric, first.parts), strata)


def worst_members(metric: Metric, labels: Sequence[str]) -> list[int]:
    """The parts of which a metric with `Reduction.WORST` takes the lowest rate.

    Args:
        metric: The definition.
        labels: Of the parts.

    Returns:
        Their numbers: of families of two and more, in their order.
    """
    families = [range(len(labels))] if metric.families is None else metric.families(labels)
    return [part for family in families if len(family) > 1 for part in family]


def number_of(metric: Metric, value: float) -> float | None:
    """A figure as reports have it.

    Args:
        metric: The definition.
        value: The figure, NaN where no row counts.

    Returns:
        The figure; `Metric.empty` for NaN.
    """
    return metric.empty if math.isnan(value) else value


def of_rates(metric: Metric, parts: Sequence[str]) -> Callable[[FloatArray], FloatArray]:
    """How a metric's figures come of the rates of its parts.

    Args:
        metric: The definition.
        parts: The labels of its parts.

    Returns:
        From rates [..., parts] to figures [...].
    """
    reducer = metric.reducer
    return _first if reducer is None else lambda rates: reducer(rates, parts)


def _first(rates: FloatArray) -> FloatArray:
    """The rate of the only part."""
    return rates[..., 0]


def _figures_of(metric: Metric, parts: Sequence[str]) -> Callable[[FloatArray], FloatArray]:
    """From sums of all parts [..., parts, 2] to figures [...]."""

    reduced = of_rates(metric, parts)
    return lambda sums: reduced(rates_of(metric, sums))


def rates_of(metric: Metric, sums: FloatArray) -> FloatArray:
    """The rates of a metric without a reducer.

    Args:
        metric: The definition.
        sums: Of its numerator and denominator, [..., 2].

    Returns:
        [...], NaN where the denominator is 0.
    """
    if metric.is_complement:
        return 1.0 - statistics.rates(sums[..., 1] - sums[..., 0], sums[..., 1])
    return statistics.rates(sums[..., 0], sums[..., 1])


Side = tuple[str, RowFunction, RowFunction | None]  # what is added up: metrics share denominators


def sides_of(metric: Metric) -> tuple[Side, Side]:
    """What a metric's numerator and denominator are sums of.

    Args:
        metric: The definition.

    Returns:
        Both, as keys: metrics of one denominator share it.
    """
    return ("value", metric.counted, metric.value), ("weight", metric.counted, metric.weight)


class Evaluated:
    """The functions of metrics over some rows, each called once."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._known: dict[Hashable, Array] = {}

    def sides(self, metric: Metric) -> tuple[Array, Array]:
        """What each row adds to numerator and denominator.

        Args:
            metric: The definition.

        Returns:
            Both, [rows] each; 0 where a row is not counted.
        """
        value, weight = sides_of(metric)
        return self.side(value), self.side(weight)

    def side(self, side: Side) -> Array:
        """What each row adds to one of them.

        Args:
            side: Its key, of `sides_of`.

        Returns:
            [rows]; 0 where a row is not counted.
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


def arrays(metric: Metric, columns: Columns) -> tuple[Array, Array]:
    """What each row adds to the numerator and the denominator of a metric.

    Args:
        metric: The definition.
        columns: What was found in each row, [rows] each.

    Returns:
        Numerator and denominator, [rows] each; 0 where a row is not counted.
    """
    return Evaluated(columns).sides(metric)
