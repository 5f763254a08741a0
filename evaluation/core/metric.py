"""A metric is one definition: which rows it counts, and what each of them adds.

Its figure, the interval over units, the figures of groups, the figure of one row and the sums by unit that a paired
test takes all come from those two arrays, here, for every suite.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.core import statistics
from evaluation.core.statistics import Difference, FloatArray, UnitSums
from evaluation.core.suite import Column

Array = NDArray[Any]
Columns = Mapping[str, Array]  # what was found in each row, by name: [rows] each
RowFunction = Callable[[Columns], Array]  # -> [rows]
#: From the rates of all parts [..., parts], with the labels of the parts, to one figure [...]. NaN is no rate.
Reducer = Callable[[FloatArray, Sequence[str]], FloatArray]
Figures = dict[str, Any]  # {"metrics": …, "intervals": …}

#: Units that are drawn apart. Of more, several share a bin and are drawn together: bins are sums of independent units
#: too, so the width of an interval stays as it is, and memory stays bounded.
MAX_BINS = 1024


def every(columns: Columns) -> Array:
    """A mask of all rows, [rows]."""
    return np.ones(len(next(iter(columns.values()))), dtype=np.int8)


@dataclass(frozen=True, slots=True)
class Metric:
    """One rate: sum(value) / sum(weight) over the rows that are counted.

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
    better: str = "higher"  # or "lower"
    #: The split of the rows that the figure of a whole report is over, as the suite calls it; groups have their own.
    split: str = "headline"
    empty: float | None = None  # the figure over no row, for graders that call that 0
    is_complement: bool = False  # computed as 1 - (what is missing / all), where a released grader rounds so
    of: tuple[str, ...] = ()
    grouping: str = ""
    reducer: Reducer | None = None
    in_groups: bool = True  # whether groups report it, too
    headline: bool = False
    format: str = "ratio"  # ratio | count | seconds
    section: str = ""  # the heading under which a page lists it
    per_row: str = ""  # the field of a verdict that holds the figure of its row, where one does ...
    where: tuple[str, bool] | None = None  # ... and what a verdict that is counted says besides


def row_figures(metric: Metric, columns: Columns) -> FloatArray:
    """The figure of each row by itself.

    Args:
        metric: The definition.
        columns: What was found in each row, [rows] each.

    Returns:
        value / weight, [rows]; NaN where a row is not counted.
    """
    added, weight = (side.astype(np.float64) for side in _Evaluated(columns).sides(metric))
    return statistics.rates(added, weight)


class RowFigures(Mapping[str, FloatArray]):
    """name -> the figure of each row of a report [rows], computed when it is asked for."""

    def __init__(self, *tables: tuple[Iterable[Metric], Columns]) -> None:
        """`tables`: metrics, each with the columns that they read."""
        self._metrics = {metric.name: (metric, columns) for metrics, columns in tables for metric in metrics}

    def __getitem__(self, name: str) -> FloatArray:
        return row_figures(*self._metrics[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._metrics)

    def __len__(self) -> int:
        return len(self._metrics)


def figure(metric: Metric, sums: UnitSums) -> float | None:
    """The figure over all units; `Metric.empty` where no row counts."""
    return _number(metric, float(_figures_of(metric, sums.parts)(sums.sums.sum(axis=0))))


def figures(metrics: Iterable[Metric], columns: Columns) -> dict[str, float | None]:
    """The figures of metrics without reducers over some rows, without intervals."""
    arrays = _Evaluated(columns)
    found = {}
    for metric in metrics:
        sums = np.array([side.sum(dtype=np.float64) for side in arrays.sides(metric)])
        found[metric.name] = _number(metric, float(_rates(metric, sums)))
    return found


def paired_difference(metric: Metric, first: UnitSums, second: UnitSums) -> Difference | None:
    """How far the first system is above the second, by the paired bootstrap over units.

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
    return statistics.paired_difference_of(first.sums, second.sums, _figures_of(metric, first.parts))


class Rows(NamedTuple):
    """Some rows: the numbers of their units and strata [rows], what was found in them, and what to measure there."""

    units: Array
    strata: Array
    columns: Columns
    metrics: Sequence[Metric]


class Grouping(NamedTuple):
    """Which group each stratum is in: `codes` [strata] index `labels`, -1 is in none."""

    labels: list[str]
    codes: Array


class Measured:
    """What `measure` finds; each figure is computed when it is asked for."""

    def __init__(self, binned: _Table, whole: _Table) -> None:
        self._binned, self._whole = binned, whole

    @cached_property
    def whole(self) -> Figures:
        """Every metric over its split: {"metrics": …, "intervals": …}, None where not applicable."""
        return self._binned.whole()

    @cached_property
    def groups(self) -> dict[str, dict[str, Figures]]:
        """grouping -> group -> the same of the metrics that groups report, without those that do not apply."""
        return self._binned.groups()

    @cached_property
    def rows(self) -> dict[str, dict[str, int]]:
        """grouping -> group -> how many rows the headline counts there."""
        return self._binned.headline_rows()

    @cached_property
    def sums(self) -> dict[str, UnitSums]:
        """name -> sums by unit over the metric's split, of the metrics that apply."""
        return self._whole.unit_sums()


def measure(
    metrics: Sequence[Metric],
    blocks: Iterable[Rows],
    units: int,
    groupings: Mapping[str, Grouping],
    *,
    bins: int | None = None,
) -> Measured:
    """The figures of all metrics in all groups.

    Args:
        metrics: All that some block measures. Each split of them is a grouping with one group of its name.
        blocks: The rows, some at a time.
        units: How many units there are; all are drawn for every interval.
        groupings: How the strata divide.
        bins: How many units are drawn apart; None is `MAX_BINS`.

    Returns:
        Figures, 95% intervals over units (None where fewer than two report) and the sums by unit.
    """
    bins = min(units, bins or MAX_BINS)
    binned, whole = _Sums(bins, groupings), None
    if units > bins:
        whole = _Sums(units, {name: of for name, of in groupings.items() if _is_needed(name, metrics)})
    for rows in blocks:
        arrays = _Evaluated(rows.columns)
        for target in filter(None, (binned, whole)):
            target.add(rows, arrays)
    table = _Table(metrics, binned)
    return Measured(table, _Table(metrics, whole) if whole else table)


def _is_needed(grouping: str, metrics: Iterable[Metric]) -> bool:
    return any(grouping in (metric.split, metric.grouping) for metric in metrics)


def _number(metric: Metric, value: float) -> float | None:
    return metric.empty if math.isnan(value) else value


def _figures_of(metric: Metric, parts: Sequence[str]) -> Callable[[FloatArray], FloatArray]:
    """From sums of all parts [..., parts, 2] to figures [...]."""

    def figures(sums: FloatArray) -> FloatArray:
        rates = _rates(metric, sums)
        return rates[..., 0] if metric.reducer is None else metric.reducer(rates, parts)

    return figures


def _rates(metric: Metric, sums: FloatArray) -> FloatArray:
    """[..., 2] -> [...]"""
    if metric.is_complement:
        return 1.0 - statistics.rates(sums[..., 1] - sums[..., 0], sums[..., 1])
    return statistics.rates(sums[..., 0], sums[..., 1])


Side = tuple[str, RowFunction, RowFunction | None]  # what is added up: metrics share denominators


def _sides(metric: Metric) -> tuple[Side, Side]:
    """What a metric's numerator and denominator are sums of."""
    return ("value", metric.counted, metric.value), ("weight", metric.counted, metric.weight)


class _Evaluated:
    """The functions of metrics over some rows, each called once."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._known: dict[Hashable, Array] = {}

    def sides(self, metric: Metric) -> tuple[Array, Array]:
        """What each row adds to numerator and denominator: [rows] each, 0 where a row is not counted."""
        value, weight = _sides(metric)
        return self.side(value), self.side(weight)

    def side(self, side: Side) -> Array:
        """One of them, [rows]."""
        if side not in self._known:
            _, counted, function = side
            mask = self._of(counted)
            self._known[side] = mask if function is None else self._of(function) * mask
        return self._known[side]

    def _of(self, function: RowFunction) -> Array:
        if function not in self._known:
            self._known[function] = function(self._columns)
        return self._known[function]


class _Sums:
    """What is added up by unit and group: [bins, groups of all groupings] for each side of a metric."""

    def __init__(self, bins: int, groupings: Mapping[str, Grouping]) -> None:
        self.bins, self.groupings = bins, groupings
        self.groups = sum(len(grouping.labels) for grouping in groupings.values())
        self.by_side: dict[Side, FloatArray] = {}

    def add(self, rows: Rows, arrays: _Evaluated) -> None:
        """Add some rows. A metric that counts none of them adds nothing."""
        places = list(self._places(rows))
        added: dict[Side, bool] = {}
        for metric in rows.metrics:
            value, weight = _sides(metric)
            if weight not in added:
                added[weight] = bool(arrays.side(weight).any())
                if added[weight]:
                    self._add(weight, arrays.side(weight), places)
            if added[weight] and value not in added:
                added[value] = True
                self._add(value, arrays.side(value), places)

    def _places(self, rows: Rows) -> Iterator[NDArray[np.int64]]:
        """Of each grouping, where every row is added: bin * (groups + 1) + group, the last for no group."""
        bin_of = rows.units.astype(np.int64) % self.bins
        for labels, codes in self.groupings.values():
            group = np.where(codes < 0, len(labels), codes)[rows.strata]
            yield bin_of * (len(labels) + 1) + group

    def _add(self, side: Side, array: Array, places: Iterable[NDArray[np.int64]]) -> None:
        weights = array.astype(np.float64)
        if side not in self.by_side:
            self.by_side[side] = np.zeros((self.bins, self.groups))
        total, start = self.by_side[side], 0
        for place, (labels, _) in zip(places, self.groupings.values(), strict=True):
            sums = np.bincount(place, weights, self.bins * (len(labels) + 1)).reshape(self.bins, -1)
            total[:, start : start + len(labels)] += sums[:, :-1]
            start += len(labels)


class _Table:
    """Sums of all metrics in all groups, and what is read from them."""

    def __init__(self, metrics: Sequence[Metric], sums: _Sums) -> None:
        self._metrics = metrics
        self._by_name = {metric.name: metric for metric in metrics}
        self._places = [(name, label) for name, of in sums.groupings.items() for label in of.labels]
        known = [_sides(metric) for metric in metrics if _sides(metric)[1] in sums.by_side]
        self._pairs = {pair: number for number, pair in enumerate(dict.fromkeys(known))}
        columns = [sums.by_side[side] for pair in self._pairs for side in pair]
        shape = (sums.bins, sums.groups, len(self._pairs), 2)
        self._sums = (np.stack(columns, axis=-1) if columns else np.zeros(shape)).reshape(shape)

    def whole(self) -> Figures:
        """Every metric over its split, None where not applicable."""
        values, low, high = self._figures
        metrics: dict[str, float | None] = {}
        intervals: dict[str, tuple[float, float] | None] = {}
        for number, metric in enumerate(self._metrics):
            place = self._split(metric), number
            metrics[metric.name] = _number(metric, float(values[place]))
            intervals[metric.name] = _interval(float(low[place]), float(high[place]))
        return {"metrics": metrics, "intervals": intervals}

    def groups(self) -> dict[str, dict[str, Figures]]:
        """grouping -> group -> the figures that apply there, of metrics that groups report."""
        values, low, high = (array.tolist() for array in self._figures)
        groups: dict[str, dict[str, Figures]] = {}
        shown = [(number, metric.name) for number, metric in enumerate(self._metrics) if metric.in_groups]
        for place, (grouping, label) in enumerate(self._places):
            known = [(number, name) for number, name in shown if not math.isnan(values[place][number])]
            groups.setdefault(grouping, {})[label] = {
                "metrics": {name: values[place][number] for number, name in known},
                "intervals": {
                    name: _interval(low[place][number], high[place][number]) for number, name in known
                },
            }
        return groups

    def headline_rows(self) -> dict[str, dict[str, int]]:
        """grouping -> group -> how many rows the headline counts."""
        pairs = [self._pairs.get(_sides(metric)) for metric in self._metrics if metric.headline]
        rows: dict[str, dict[str, int]] = {}
        for place, (grouping, label) in enumerate(self._places):
            counted = [int(self._totals[place, pair, 1]) for pair in pairs if pair is not None]
            rows.setdefault(grouping, {})[label] = sum(counted)
        return rows

    def unit_sums(self) -> dict[str, UnitSums]:
        """name -> sums by unit over the metric's split; those of no row are left out."""
        found = {}
        for metric in self._metrics:
            parts, cells = self._parts(metric, self._split(metric))
            if cells and all(pair is not None for _, pair in cells):
                sums = np.stack([self._sums[:, place, pair] for place, pair in cells], axis=1)
                if sums[..., 1].any():
                    found[metric.name] = UnitSums(parts, sums)
        return found

    def _split(self, metric: Metric) -> int:
        return self._places.index((metric.split, metric.split))

    def _parts(self, metric: Metric, place: int) -> tuple[tuple[str, ...], list[tuple[int, int | None]]]:
        """The labels of a metric's parts in a group, and where each is in the table: (group, pair)."""
        if metric.grouping:
            pair = self._pairs.get(_sides(metric))
            places = [(n, label) for n, (name, label) in enumerate(self._places) if name == metric.grouping]
            return tuple(label for _, label in places), [(n, pair) for n, _ in places]
        names = metric.of or (metric.name,)
        return names, [(place, self._pairs.get(_sides(self._by_name[name]))) for name in names]

    @cached_property
    def _totals(self) -> FloatArray:
        """[groups, pairs, 2]"""
        totals: FloatArray = self._sums.sum(axis=0)
        return totals

    @cached_property
    def _figures(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """(values, low, high), [groups, metrics] each; NaN for none."""
        values = self._reduced(statistics.rates(self._totals[..., 0], self._totals[..., 1]))
        for number, metric in enumerate(self._metrics):
            pair = self._pairs.get(_sides(metric))
            if metric.is_complement and pair is not None:
                values[:, number] = _rates(metric, self._totals[:, pair])
        low, high = np.full_like(values, np.nan), np.full_like(values, np.nan)
        samples = self._samples()
        if samples is not None:
            wanted = ~np.isnan(values)
            low[wanted], high[wanted] = statistics.percentile_interval(self._reduced(samples)[:, wanted])
        return values, low, high

    def _samples(self) -> FloatArray | None:
        """The rates of every resample [resamples, groups, pairs]; None without any.

        NaN where only one unit reports: it cannot tell how much units differ.
        """
        bins, groups, pairs, _ = self._sums.shape
        telling = np.count_nonzero(self._sums[..., 1], axis=0) > 1
        if not telling.any():
            return None
        sums = statistics.resampled_sums(self._sums[:, telling].reshape(bins, -1))
        samples = np.full((len(sums), groups, pairs), np.nan)
        samples[:, telling] = statistics.rates(sums[:, 0::2], sums[:, 1::2])
        return samples

    def _reduced(self, rates: FloatArray) -> FloatArray:
        """From the rates of pairs [..., groups, pairs] to the figures of metrics [..., groups, metrics]."""
        figures = np.full((*rates.shape[:-1], len(self._metrics)), np.nan)
        for number, metric in enumerate(self._metrics):
            split = self._split(metric)
            _, cells = self._parts(metric, split)
            pairs = [pair for _, pair in cells if pair is not None]
            if not pairs or len(pairs) < len(cells):
                continue
            if metric.reducer is None:
                chosen = slice(None) if metric.in_groups else [split]
                figures[..., chosen, number] = rates[..., chosen, pairs[0]]
            elif metric.grouping:
                parts = rates[..., [place for place, _ in cells], pairs[0]]
                figures[..., split, number] = metric.reducer(parts, self._parts(metric, split)[0])
            else:
                figures[..., number] = metric.reducer(rates[..., pairs], metric.of)
        return figures


def _interval(low: float, high: float) -> tuple[float, float] | None:
    return None if math.isnan(low) else (low, high)


def arrays(metric: Metric, columns: Columns) -> tuple[Array, Array]:
    """What each row adds to the numerator and the denominator: [rows] each, 0 where a row is not counted."""
    return _Evaluated(columns).sides(metric)


def column(metric: Metric) -> Column:
    """What a board shows of a metric."""
    return Column(
        metric.name,
        metric.label,
        metric.help,
        metric.better,
        metric.headline,
        metric.format,
        metric.section,
        metric.per_row,
        metric.where,
    )
