"""A metric is one definition: which rows it counts, and what each of them adds.

Its figure, the interval over units, the figures of groups, the figure of one row and the sums by unit that a paired
test takes all come from those two arrays, here, for every suite.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from enum import StrEnum
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.core import statistics
from evaluation.core.statistics import Contrast, FloatArray, Limits, Linearized, Parts, UnitSums

Array = NDArray[Any]
Columns = Mapping[str, Array]  # what was found in each row, by name: [rows] each
RowFunction = Callable[[Columns], Array]  # -> [rows]
#: From the rates of all parts [..., parts], with the labels of the parts, to one figure [...]. NaN is no rate.
Reducer = Callable[[FloatArray, Sequence[str]], FloatArray]
#: From the labels of the parts to the numbers of those that are compared with each other, family by family.
Families = Callable[[Sequence[str]], Sequence[Sequence[int]]]
Figures = dict[str, Any]  # {"metrics": …, "intervals": …}

#: Units that are told apart. Of more, several share a bin: bins are sums of independent units too, so the width of an
#: interval stays as it is, and memory stays bounded.
MAX_BINS = 1024
_ROUNDING = 1e-9  # shares of rows that are thirds add up to more than the rows by less than this


class Reduction(StrEnum):
    """What kind of figure a reducer makes, which decides how its interval is found."""

    SMOOTH = "smooth"  # such as a difference: small changes of the rates change it little
    WORST = "worst"  # the lowest rate
    SPREAD = "spread"  # the widest distance between two rates of a family


class _Kind(StrEnum):
    """What the sums of a figure are."""

    RATE = "rate"  # a share of rows, or of things asked in them
    IMPORTANCE = "importance"  # a share of what the rows weigh
    MEAN = "mean"  # of numbers that are no shares


def every(columns: Columns) -> Array:
    """A mask of all rows.

    Args:
        columns: What was found in each row, [rows] each.

    Returns:
        1 for each row, [rows].
    """
    return np.ones(len(next(iter(columns.values()))), dtype=np.int8)


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
    added, weight = (side.astype(np.float64) for side in _Evaluated(columns).sides(metric))
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
    return _number(metric, float(_figures_of(metric, sums.parts)(sums.sums.sum(axis=0))))


def figures(metrics: Iterable[Metric], columns: Columns) -> dict[str, float | None]:
    """The figures of metrics without reducers over some rows, without intervals.

    Args:
        metrics: The definitions.
        columns: What was found in each row, [rows] each.

    Returns:
        name -> figure; `Metric.empty` where no row counts.
    """
    arrays = _Evaluated(columns)
    by_name = {}
    for metric in metrics:
        sums = np.array([side.sum(dtype=np.float64) for side in arrays.sides(metric)])
        by_name[metric.name] = _number(metric, float(_rates(metric, sums)))
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
    return statistics.composite_contrast(first.sums, second.sums, _of_rates(metric, first.parts), strata)


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
    unit_strata: Array | None = None,
    bins: int | None = None,
    unit_icc: float = statistics.ICC_PRIOR,
) -> Measured:
    """The figures of all metrics in all groups.

    Args:
        metrics: All that some block measures. Each split of them is a grouping with one group of its name.
        blocks: The rows, some at a time.
        units: How many units there are.
        groupings: How the strata of the rows divide.
        unit_strata: [units], the number of the stratum of each unit in the design; None is one stratum.
        bins: How many units are told apart; None is `MAX_BINS`.
        unit_icc: What the correlation within a unit is taken to be before anything is known of it.

    Returns:
        Figures, 95% intervals over units (None where fewer than two report) and the sums by unit.
    """
    sides, design = _all_sides(metrics), np.zeros(units, np.int64) if unit_strata is None else unit_strata
    apart = _Bins(np.arange(units), design)
    binned, whole = _Sums(_bins(design, bins or MAX_BINS), groupings, sides), None
    if units > len(binned.bins.strata):
        whole = _Sums(apart, {name: of for name, of in groupings.items() if _is_needed(name, metrics)}, sides)
    for rows in blocks:
        arrays = _Evaluated(rows.columns)
        for target in filter(None, (binned, whole)):
            target.add(rows, arrays)
    table = _Table(metrics, binned, unit_icc)
    return Measured(table, _Table(metrics, whole, unit_icc) if whole else table)


def _is_needed(grouping: str, metrics: Iterable[Metric]) -> bool:
    return any(grouping in (metric.split, metric.grouping) for metric in metrics)


def _number(metric: Metric, value: float) -> float | None:
    return metric.empty if math.isnan(value) else value


def _of_rates(metric: Metric, parts: Sequence[str]) -> Callable[[FloatArray], FloatArray]:
    """From rates of all parts [..., parts] to figures [...]."""
    reducer = metric.reducer
    return _first if reducer is None else lambda rates: reducer(rates, parts)


def _first(rates: FloatArray) -> FloatArray:
    """The rate of the only part."""
    return rates[..., 0]


def _figures_of(metric: Metric, parts: Sequence[str]) -> Callable[[FloatArray], FloatArray]:
    """From sums of all parts [..., parts, 2] to figures [...]."""

    of_rates = _of_rates(metric, parts)
    return lambda sums: of_rates(_rates(metric, sums))


def _rates(metric: Metric, sums: FloatArray) -> FloatArray:
    """[..., 2] -> [...]"""
    if metric.is_complement:
        return 1.0 - statistics.rates(sums[..., 1] - sums[..., 0], sums[..., 1])
    return statistics.rates(sums[..., 0], sums[..., 1])


Side = tuple[str, RowFunction, RowFunction | None]  # what is added up: metrics share denominators


def _sides(metric: Metric) -> tuple[Side, Side]:
    """What a metric's numerator and denominator are sums of."""
    return ("value", metric.counted, metric.value), ("weight", metric.counted, metric.weight)


def _all_sides(metrics: Iterable[Metric]) -> dict[Side, int]:
    """The number of each, from 0."""
    every_side = dict.fromkeys(side for metric in metrics for side in _sides(metric))
    return {side: number for number, side in enumerate(every_side)}


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
            mask = self._column(counted)
            self._known[side] = mask if function is None else self._column(function) * mask
        return self._known[side]

    def _column(self, function: RowFunction) -> Array:
        if function not in self._known:
            self._known[function] = function(self._columns)
        return self._known[function]


class _Bins(NamedTuple):
    """Units that are added up apart from each other; several share a bin where there are many."""

    codes: NDArray[np.int64]  # [units], the bin of each
    strata: NDArray[np.int64]  # [bins], the stratum of each


def _bins(strata: NDArray[np.int64], most: int) -> _Bins:
    """At most about `most` bins, none of them across strata."""
    if len(strata) <= most:
        return _Bins(np.arange(len(strata)), strata)
    codes = np.zeros(len(strata), dtype=np.int64)
    of_bins: list[int] = []
    for stratum, size in zip(*np.unique(strata, return_counts=True), strict=True):
        share = max(2, int(most * size / len(strata)))
        codes[strata == stratum] = len(of_bins) + np.arange(size) % share
        of_bins += [int(stratum)] * min(share, size)
    return _Bins(codes, np.array(of_bins, dtype=np.int64))


class _Sums:
    """What is added up by unit and group: [bins, groups of all groupings, sides]."""

    def __init__(self, bins: _Bins, groupings: Mapping[str, Grouping], sides: Mapping[Side, int]) -> None:
        """`sides`: the number of each side of the metrics."""
        self.bins, self.groupings, self.sides = bins, groupings, sides
        self.groups = sum(len(grouping.labels) for grouping in groupings.values())
        self.totals: FloatArray = np.zeros((len(bins.strata), self.groups, len(sides)))
        self.added: set[Side] = set()

    def add(self, rows: Rows, arrays: _Evaluated) -> None:
        """Add some rows. A metric that counts none of them adds nothing."""
        counted = [pair for metric in rows.metrics if arrays.side((pair := _sides(metric))[1]).any()]
        present = list(dict.fromkeys(side for value, weight in counted for side in (weight, value)))
        if not present:
            return
        self.added.update(present)
        table = np.stack([arrays.side(side) for side in present], axis=1).astype(np.float64)
        numbers, start = [self.sides[side] for side in present], 0
        bins = len(self.totals)
        for place, size in self._places(rows):
            sums = _added_up(table, place, bins * (size + 1)).reshape(bins, size + 1, -1)
            self.totals[:, start : start + size, numbers] += sums[:, :-1]
            start += size

    def _places(self, rows: Rows) -> Iterator[tuple[NDArray[np.int64], int]]:
        """By grouping: where every row is added (bin * (groups + 1) + group, the last for no group), and its size."""
        bin_of = self.bins.codes[rows.units]
        for labels, codes in self.groupings.values():
            group = np.where(codes < 0, len(labels), codes)[rows.strata]
            yield bin_of * (len(labels) + 1) + group, len(labels)


def _added_up(table: FloatArray, places: NDArray[np.int64], size: int) -> FloatArray:
    """The sums of the rows of a table [rows, sides] at each of `size` places: [size, sides]. One pass for all sides."""
    sides = table.shape[1]
    cells = places[:, None] * sides + np.arange(sides)
    sums: FloatArray = np.bincount(cells.ravel(), table.ravel(), size * sides).astype(np.float64, copy=False)
    return sums.reshape(size, sides)


class _Table:
    """Sums of all metrics in all groups, and what is read from them."""

    def __init__(self, metrics: Sequence[Metric], sums: _Sums, unit_icc: float) -> None:
        self._metrics, self._unit_icc = metrics, unit_icc
        self._by_name = {metric.name: metric for metric in metrics}
        self._places = [(name, label) for name, of in sums.groupings.items() for label in of.labels]
        known = [_sides(metric) for metric in metrics if _sides(metric)[1] in sums.added]
        self._pairs = {pair: number for number, pair in enumerate(dict.fromkeys(known))}
        numbers = [sums.sides[side] for pair in self._pairs for side in pair]
        self._sums = sums.totals[..., numbers].reshape(*sums.totals.shape[:2], len(self._pairs), 2)
        self._strata = sums.bins.strata

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
        by_name = {}
        for metric in self._metrics:
            parts, cells = self._parts(metric, self._split(metric))
            if cells and all(pair is not None for _, pair in cells):
                sums = np.stack([self._sums[:, place, pair] for place, pair in cells], axis=1)
                if sums[..., 1].any():
                    by_name[metric.name] = UnitSums(parts, sums, self._strata)
        return by_name

    @cached_property
    def _place_of(self) -> dict[tuple[str, str], int]:
        """(grouping, label) -> its number."""
        return {place: number for number, place in enumerate(self._places)}

    def _split(self, metric: Metric) -> int:
        return self._place_of[metric.split, metric.split]

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
        low, high = self._reduced_limits(values)
        return values, np.minimum(low, values), np.maximum(high, values)

    @cached_property
    def _kinds(self) -> dict[int, _Kind]:
        """What the sums of each pair are."""
        kinds = {}
        for metric in self._metrics:
            if (pair := self._pairs.get(_sides(metric))) is not None:
                kinds[pair] = _kind(metric, self._sums[:, :, pair])
        return kinds

    @cached_property
    def _limits(self) -> Limits:
        """The intervals of all rates, [groups, pairs]."""
        low, high = np.full((2, *self._totals.shape[:2]), np.nan)
        telling = np.count_nonzero(self._sums[..., 1], axis=0) > 1
        for kind in _Kind:
            chosen = telling & np.array(
                [self._kinds[pair] is kind for pair in range(telling.shape[1])], dtype=np.bool_
            )
            if chosen.any():
                sums = self._sums[:, chosen].swapaxes(0, 1)
                low[chosen], high[chosen] = _limits(kind, sums, self._strata, self._unit_icc)
        return Limits(low, high)

    def _limits_at(self, places: Array, pairs: Array, confidence: float) -> Limits:
        """The intervals of the rates of some groups and pairs, of shapes that broadcast to one."""
        if confidence == statistics.CONFIDENCE:
            return Limits(*(end[places, pairs] for end in self._limits))
        sums, kinds = self._sums[:, places, pairs], {self._kinds[pair] for pair in pairs.ravel().tolist()}
        return _limits(kinds.pop(), sums.swapaxes(0, 1), self._strata, self._unit_icc, confidence)

    def _parts_at(self, places: Array, pairs: Array) -> Parts:
        """What statistics needs of the rates of some groups and pairs, of shapes that broadcast to one."""
        sums = np.moveaxis(self._sums[:, places, pairs], 0, -2)  # [..., parts, bins, 2]
        shape = sums.shape[:-2]
        found = statistics.linearized(sums.reshape(-1, *sums.shape[-2:]), self._strata)
        found = Linearized(
            found.rates.reshape(shape), found.scores.reshape(*shape, -1), found.df.reshape(shape)
        )
        return Parts.from_linearized(found, partial(self._limits_at, places, pairs))

    def _reduced_limits(self, values: FloatArray) -> Limits:
        """The intervals of all figures, [groups, metrics]."""
        low, high = np.full_like(values, np.nan), np.full_like(values, np.nan)
        for number, metric in enumerate(self._metrics):
            split = self._split(metric)
            labels, cells = self._parts(metric, split)
            pairs = np.array([-1 if pair is None else pair for _, pair in cells], dtype=np.int64)
            if not cells or (pairs < 0).any():
                continue
            groups = np.arange(len(values)) if metric.in_groups else np.array([split])
            if metric.reducer is None:
                ends = self._limits_at(groups, pairs[:1], statistics.CONFIDENCE)
            elif metric.grouping:
                groups, places = np.array([split]), np.array([place for place, _ in cells])
                ends = _composite(metric, labels, self._parts_at(places, pairs))
            else:
                ends = _composite(metric, labels, self._parts_at(groups[:, None], pairs[None, :]))
            low[groups, number], high[groups, number] = ends
        return Limits(np.where(np.isnan(values), np.nan, low), np.where(np.isnan(values), np.nan, high))

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


def _kind(metric: Metric, sums: FloatArray) -> _Kind:
    """What the sums of a metric, [..., 2], are."""
    if (
        metric.format != "ratio"
        or (sums[..., 0] < 0).any()
        or (sums[..., 0] > sums[..., 1] + _ROUNDING).any()
    ):
        return _Kind.MEAN
    return _Kind.IMPORTANCE if metric.is_importance else _Kind.RATE


def _limits(
    kind: _Kind, sums: FloatArray, strata: Array, icc: float, confidence: float = statistics.CONFIDENCE
) -> Limits:
    """The intervals of rates of one kind from their sums, [rates, bins, 2]."""
    if kind is _Kind.MEAN:
        return statistics.mean_limits(sums, strata, confidence=confidence)
    is_importance = kind is _Kind.IMPORTANCE
    return statistics.rate_limits(sums, strata, confidence=confidence, is_importance=is_importance, icc=icc)


def _composite(metric: Metric, labels: Sequence[str], parts: Parts) -> Limits:
    """The intervals of a figure of several rates."""
    figure = _of_rates(metric, labels)
    if metric.reduction is Reduction.SMOOTH:
        return statistics.smooth_limits(figure, parts)
    families = [list(range(len(labels)))] if metric.families is None else metric.families(labels)
    known = [[part for part in family if not np.isnan(parts.rates[part])] for family in families]
    known = [family for family in known if len(family) > 1] or known
    if metric.reduction is Reduction.SPREAD:
        return statistics.spread_limits(known, parts)
    members = [part for family in known for part in family]
    return statistics.worst_limits(figure, parts, members) if members else Limits(*np.full((2, 1), np.nan))


def _interval(low: float, high: float) -> tuple[float, float] | None:
    return None if math.isnan(low) else (low, high)


def arrays(metric: Metric, columns: Columns) -> tuple[Array, Array]:
    """What each row adds to the numerator and the denominator of a metric.

    Args:
        metric: The definition.
        columns: What was found in each row, [rows] each.

    Returns:
        Numerator and denominator, [rows] each; 0 where a row is not counted.
    """
    return _Evaluated(columns).sides(metric)
