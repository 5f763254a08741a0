"""Compute all metrics and their intervals, over all rows and in all groups, from sums by unit and group."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.core import statistics
from evaluation.core.metric import (
    Array,
    Columns,
    Evaluated,
    Metric,
    Reduction,
    Side,
    figure_of_rates,
    number_of,
    rates_of,
    sides_of,
)
from evaluation.core.records import Figures
from evaluation.core.statistics import FloatArray, Limits, Linearized, Parts, UnitSums

#: Most bins. More units share bins: bins are sums of independent units too, so intervals keep their width and memory
#: stays bounded.
MAX_BINS = 1024
_ROUNDING = 1e-9  # shares of rows that are thirds add up to more than the rows by less than this


class _Kind(StrEnum):
    """Kind of a metric, which determines the formula of its interval."""

    RATE = "rate"  # a share of rows, or of things asked in them
    IMPORTANCE = "importance"  # a share of the total weight of the rows
    MEAN = "mean"  # of numbers that are not shares


class Rows(NamedTuple):
    """A block of rows, and the metrics to compute. `units` and `strata` are indices, [rows] each."""

    units: Array
    strata: Array
    columns: Columns
    metrics: Sequence[Metric]


class Grouping(NamedTuple):
    """A division of strata into groups: `codes` [strata] are indices into `labels`, -1 for no group."""

    labels: list[str]
    codes: Array


class Measured:
    """Result of `measure`. Each part is computed on first access."""

    def __init__(self, binned: _Table, whole: _Table) -> None:
        self._binned, self._whole = binned, whole

    @cached_property
    def whole(self) -> Figures:
        """Values and intervals of all metrics, each over its `Metric.split`. None stands for an inapplicable metric."""
        return self._binned.whole()

    @cached_property
    def groups(self) -> dict[str, dict[str, Figures]]:
        """Values and intervals of the applicable metrics with `in_groups`, by grouping and group."""
        return self._binned.groups()

    @cached_property
    def rows(self) -> dict[str, dict[str, int]]:
        """Number of rows that the headline metric counts, by grouping and group."""
        return self._binned.headline_rows()

    @cached_property
    def weights(self) -> dict[str, dict[str, dict[str, float]]]:
        """Denominators by grouping, group and metric. A metric of several rates has their smallest denominator."""
        return self._binned.weights()

    @cached_property
    def sums(self) -> dict[str, UnitSums]:
        """Sums by unit over the metric's split, by name of the metric. Inapplicable metrics are left out."""
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
    """Compute all metrics in all groups.

    Args:
        metrics: The metrics of all blocks. `groupings` must contain each `metric.split`, with one group of that name.
        groupings: Groups of strata, by name.
        unit_strata: [units], stratum of each unit in the design; None is one stratum.
        bins: Maximum number of bins; None is `MAX_BINS`.
        unit_icc: Prior of the correlation within a unit.

    Returns:
        Metrics, 95% intervals over units (None if fewer than two units have counted rows), and sums by unit.
    """
    sides, design = _all_sides(metrics), np.zeros(units, np.int64) if unit_strata is None else unit_strata
    apart = _Bins(np.arange(units), design)
    binned, whole = _Sums(_bins(design, bins or MAX_BINS), groupings, sides), None
    if units > len(binned.bins.strata):
        whole = _Sums(apart, {name: of for name, of in groupings.items() if _is_needed(name, metrics)}, sides)
    for rows in blocks:
        arrays = Evaluated(rows.columns)
        for target in filter(None, (binned, whole)):
            target.add(rows, arrays)
    table = _Table(metrics, binned, unit_icc)
    return Measured(table, _Table(metrics, whole, unit_icc) if whole else table)


def _is_needed(grouping: str, metrics: Iterable[Metric]) -> bool:
    return any(grouping in (metric.split, metric.grouping) for metric in metrics)


def _all_sides(metrics: Iterable[Metric]) -> dict[Side, int]:
    every_side = dict.fromkeys(side for metric in metrics for side in sides_of(metric))
    return {side: number for number, side in enumerate(every_side)}


class _Bins(NamedTuple):
    """Groups of units that are summed together."""

    codes: NDArray[np.int64]  # [units], the bin of each
    strata: NDArray[np.int64]  # [bins], the stratum of each


def _bins(strata: NDArray[np.int64], most: int) -> _Bins:
    """Divide units into about `most` bins, each within one stratum."""
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
    """Sums by unit and group, [bins, groups of all groupings, sides]; a side is a numerator or denominator."""

    def __init__(self, bins: _Bins, groupings: Mapping[str, Grouping], sides: Mapping[Side, int]) -> None:
        self.bins, self.groupings, self.sides = bins, groupings, sides
        self.groups = sum(len(grouping.labels) for grouping in groupings.values())
        self.totals: FloatArray = np.zeros((len(bins.strata), self.groups, len(sides)))
        self.added: set[Side] = set()

    def add(self, rows: Rows, arrays: Evaluated) -> None:
        """Add a block of rows. A metric that counts none of these rows is skipped."""
        counted = [pair for metric in rows.metrics if arrays.side((pair := sides_of(metric))[1]).any()]
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
        """Yield for each grouping the cell index of each row, bin * (groups + 1) + group, and the number of groups."""
        bin_of = self.bins.codes[rows.units]
        for labels, codes in self.groupings.values():
            group = np.where(codes < 0, len(labels), codes)[rows.strata]
            yield bin_of * (len(labels) + 1) + group, len(labels)


def _added_up(table: FloatArray, places: NDArray[np.int64], size: int) -> FloatArray:
    """Sum a table [rows, sides] by cell, [size, sides]; `places` [rows] is the cell index of each row."""
    sides = table.shape[1]
    # one pass for all sides
    cells = places[:, None] * sides + np.arange(sides)
    sums: FloatArray = np.bincount(cells.ravel(), table.ravel(), size * sides).astype(np.float64, copy=False)
    return sums.reshape(size, sides)


class _Table:
    """Values and intervals of all metrics in all groups, from their sums."""

    def __init__(self, metrics: Sequence[Metric], sums: _Sums, unit_icc: float) -> None:
        self._metrics, self._unit_icc = metrics, unit_icc
        self._by_name = {metric.name: metric for metric in metrics}
        self._places = [(name, label) for name, of in sums.groupings.items() for label in of.labels]
        known = [sides_of(metric) for metric in metrics if sides_of(metric)[1] in sums.added]
        self._pairs = {pair: number for number, pair in enumerate(dict.fromkeys(known))}
        numbers = [sums.sides[side] for pair in self._pairs for side in pair]
        self._sums = sums.totals[..., numbers].reshape(*sums.totals.shape[:2], len(self._pairs), 2)
        self._strata = sums.bins.strata

    def whole(self) -> Figures:
        values, low, high = self._figures
        metrics: dict[str, float | None] = {}
        intervals: dict[str, tuple[float, float] | None] = {}
        for number, metric in enumerate(self._metrics):
            place = self._split(metric), number
            metrics[metric.name] = number_of(metric, float(values[place]))
            intervals[metric.name] = _interval(float(low[place]), float(high[place]))
        return {"metrics": metrics, "intervals": intervals}

    def groups(self) -> dict[str, dict[str, Figures]]:
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
        pairs = [self._pairs.get(sides_of(metric)) for metric in self._metrics if metric.headline]
        rows: dict[str, dict[str, int]] = {}
        for place, (grouping, label) in enumerate(self._places):
            counted = [int(self._totals[place, pair, 1]) for pair in pairs if pair is not None]
            rows.setdefault(grouping, {})[label] = sum(counted)
        return rows

    def weights(self) -> dict[str, dict[str, dict[str, float]]]:
        found: dict[str, dict[str, dict[str, float]]] = {}
        for place, (grouping, label) in enumerate(self._places):
            cells = {
                metric.name: self._parts(metric, place)[1] for metric in self._metrics if metric.in_groups
            }
            found.setdefault(grouping, {})[label] = {
                name: min(weights)
                for name, parts in cells.items()
                if (weights := [float(self._totals[at, pair, 1]) for at, pair in parts if pair is not None])
            }
        return found

    def unit_sums(self) -> dict[str, UnitSums]:
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
        return {place: number for number, place in enumerate(self._places)}

    def _split(self, metric: Metric) -> int:
        return self._place_of[metric.split, metric.split]

    def _parts(self, metric: Metric, place: int) -> tuple[tuple[str, ...], list[tuple[int, int | None]]]:
        """Return the labels and table positions of the rates that a metric combines in the group with index `place`.

        A position is (group index, column index). The column index is None if the table lacks the rate.
        """
        if metric.grouping:
            pair = self._pairs.get(sides_of(metric))
            places = [(n, label) for n, (name, label) in enumerate(self._places) if name == metric.grouping]
            return tuple(label for _, label in places), [(n, pair) for n, _ in places]
        names = metric.of or (metric.name,)
        return names, [(place, self._pairs.get(sides_of(self._by_name[name]))) for name in names]

    @cached_property
    def _totals(self) -> FloatArray:
        totals: FloatArray = self._sums.sum(axis=0)  # [groups, rates, 2]
        return totals

    @cached_property
    def _figures(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """(values, low, high), [groups, metrics] each; NaN if not applicable."""
        values = self._reduced(statistics.rates(self._totals[..., 0], self._totals[..., 1]))
        for number, metric in enumerate(self._metrics):
            pair = self._pairs.get(sides_of(metric))
            if metric.is_complement and pair is not None:
                values[:, number] = rates_of(metric, self._totals[:, pair])
        low, high = self._reduced_limits(values)
        return values, np.minimum(low, values), np.maximum(high, values)

    @cached_property
    def _kinds(self) -> dict[int, _Kind]:
        kinds = {}
        for metric in self._metrics:
            if (pair := self._pairs.get(sides_of(metric))) is not None:
                kinds[pair] = _kind(metric, self._sums[:, :, pair])
        return kinds

    @cached_property
    def _limits(self) -> Limits:
        """Intervals of all rates of the table, [groups, rates]."""
        low, high = np.full((2, *self._totals.shape[:2]), np.nan)
        telling = np.count_nonzero(self._sums[..., 1], axis=0) > 1  # one unit has no variance
        for kind in _Kind:
            chosen = telling & np.array(
                [self._kinds[pair] is kind for pair in range(telling.shape[1])], dtype=np.bool_
            )
            if chosen.any():
                sums = self._sums[:, chosen].swapaxes(0, 1)
                low[chosen], high[chosen] = _limits(kind, sums, self._strata, self._unit_icc)
        return Limits(low, high)

    def _limits_at(self, places: Array, pairs: Array, confidence: float) -> Limits:
        """Intervals of the rates at group indices `places` and column indices `pairs`, which broadcast to one shape."""
        if confidence == statistics.CONFIDENCE:
            return Limits(*(end[places, pairs] for end in self._limits))
        sums, kinds = self._sums[:, places, pairs], {self._kinds[pair] for pair in pairs.ravel().tolist()}
        return _limits(kinds.pop(), sums.swapaxes(0, 1), self._strata, self._unit_icc, confidence)

    def _parts_at(self, places: Array, pairs: Array) -> Parts:
        """Rates at group indices `places` and column indices `pairs` of the table, and the data for intervals."""
        sums = np.moveaxis(self._sums[:, places, pairs], 0, -2)  # [..., parts, bins, 2]
        shape = sums.shape[:-2]
        found = statistics.linearized(sums.reshape(-1, *sums.shape[-2:]), self._strata)
        found = Linearized(
            found.rates.reshape(shape), found.scores.reshape(*shape, -1), found.df.reshape(shape)
        )
        return Parts(*found, partial(self._limits_at, places, pairs))

    def _reduced_limits(self, values: FloatArray) -> Limits:
        """Intervals of all metrics, [groups, metrics]."""
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
        """Compute metrics [..., groups, metrics] from the rates of the table [..., groups, rates]."""
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
    """Kind of a metric, from its sums [..., 2]; MEAN if any value is outside [0, weight]."""
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
    """Intervals of rates of one kind from their sums, [rates, bins, 2]."""
    if kind is _Kind.MEAN:
        return statistics.mean_limits(sums, strata, confidence=confidence)
    is_importance = kind is _Kind.IMPORTANCE
    return statistics.rate_limits(sums, strata, confidence=confidence, is_importance=is_importance, icc=icc)


def _composite(metric: Metric, labels: Sequence[str], parts: Parts) -> Limits:
    figure = figure_of_rates(metric, labels)
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
