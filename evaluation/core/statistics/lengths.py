"""Accuracy as texts grow: the effective length of a system, and the area under its curve.

The same units are asked at several text lengths, called *rungs*, so the rates of two rungs are paired. A system *holds*
at a rung if it stays accurate enough there. The effective length is an interval. Its low end is the last rung for
which tests show that the system holds there and at all shorter rungs. Its high end is the last rung before the first at
which a test shows that the system does not hold. The tests for the high end are adjusted for the number of rungs. For
the low end all tests must succeed, so that no adjustment is needed (Berger's intersection-union test).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.core.statistics.composite import Parts, error_correlation, linear_limits
from evaluation.core.statistics.design import CONFIDENCE, FloatArray, linearized, rates
from evaluation.core.statistics.intervals import ICC_PRIOR, Limits, rate_limits
from evaluation.core.statistics.repeats import run_variance, widened

#: Share of the shortest rung's accuracy that a rung must keep: docs/statistics.md.
KEEP = 0.8
AREA_DIGITS = 12

Ends = tuple[float, float]


class LengthFigures(NamedTuple):
    """Metrics of one system at each rung (length of text), from the shortest to the longest."""

    rates: tuple[float | None, ...]  # None for an unanswered length
    intervals: tuple[Ends | None, ...]
    ratios: tuple[float | None, ...]  # to the rate of the shortest rung; None if this is 0
    ratio_intervals: tuple[Ends | None, ...]
    shown: int  # number of rungs shown to hold: the low end of the effective length
    possible: int  # number of rungs that are not refuted, at least `shown`: the high end
    #: Area under the curve over log2 of the length, from 0 to 1; None if a rung is not answered.
    area: float | None
    area_interval: Ends | None

    @property
    def answered(self) -> int:
        """Number of lengths before the first length at which the system has no answers."""
        return next((at for at, rate in enumerate(self.rates) if rate is None), len(self.rates))


def area_weights(tokens: Sequence[int]) -> FloatArray:
    """The weight of each length in the area under the curve over log2 of the length: [lengths], trapezoidal, sum 1.

    Args:
        tokens: The lengths, ascending. A single length has weight 1: the area is its rate.
    """
    if len(tokens) < 2:
        return np.ones(len(tokens))
    steps = np.diff(np.log2(np.asarray(tokens, dtype=np.float64)))
    weights: FloatArray = (np.append(steps, 0.0) + np.append(0.0, steps)) / (2 * steps.sum())
    return weights


def length_figures(
    tokens: Sequence[int],
    table: NDArray[Any],
    strata: NDArray[Any] | None = None,
    *,
    floors: Sequence[NDArray[Any]] = (),
    guessing: float | Sequence[float] = 0.0,
    runs: Sequence[Sequence[float]] = (),
    icc: float = ICC_PRIOR,
) -> LengthFigures:
    """Accuracy of one system by text length: the curve, the effective length, and the area under the curve.

    Args:
        tokens: The text lengths, ascending. Each is a rung.
        table: [rungs, units, 2], the sum of a metric over the rows of a unit, and the number of these rows.
        strata: [units], stratum numbers; None is one stratum.
        floors: Like `table`, for baselines that read nothing, over the same units. A rung holds only above all floors.
        guessing: Rate of guessing, as one number or [rungs], without error. A rung holds only above this rate.
        runs: For an average of repeats, the rates [rungs] of each run; their variance widens every interval.
        icc: Prior of the correlation within a unit.

    Returns:
        The metrics with 95% intervals. Three intervals decide about a rung: its rate against `guessing`, its ratio to
        the shortest rung against `KEEP`, and its difference from each floor against 0. A rung is shown to hold if all
        of these intervals are above their bounds, and all shorter rungs are shown to hold. It is shown not to hold if
        one of these intervals, adjusted for the number of tests, is below its bound. An unanswered rung is neither.

    Source: the ratio of paired rates by the method of variance estimates recovery, Donner and Zou, "Closed-form
    confidence intervals for functions of the normal mean and standard deviation", Statistical Methods in Medical
    Research 21 (2012), with the correlation over units. In simulations it is reliable for few units and rates near
    0 or 1, where Fieller's interval is not (`make calibrate`). Berger, "Multiparameter hypothesis testing and
    acceptance sampling", Technometrics 24 (1982).
    """
    sums = np.asarray(table, dtype=np.float64)
    known = np.zeros(sums.shape[1]) if strata is None else np.asarray(strata)
    values, of_runs = _rates(sums), [np.asarray(run, dtype=np.float64) for run in runs]
    missing = np.flatnonzero(np.isnan(values))
    answered = int(missing[0]) if missing.size else len(values)
    guesses = np.broadcast_to(np.asarray(guessing, dtype=np.float64), len(values))[:answered]
    tables = [each[:answered] for each in (sums, *(np.asarray(floor, dtype=np.float64) for floor in floors))]
    ladder = _Ladder(tables, [run[:answered] for run in of_runs], known, guesses, icc)
    ratios, ratio_ends = ladder.ratios(CONFIDENCE)
    unanswered = [None] * (len(values) - answered)
    is_whole = answered == len(values) > 0
    possible = ladder.possible()
    return LengthFigures(
        rates=tuple(map(_number, values)),
        intervals=tuple(_curve(sums, known, of_runs, icc)),
        ratios=(*map(_number, ratios), *unanswered),
        ratio_intervals=(*(_ends(*ends) for ends in ratio_ends), *unanswered),
        shown=ladder.shown(),
        possible=possible if possible < answered else len(values),
        area=_area(tokens, values) if is_whole else None,
        area_interval=_area_ends(sums, area_weights(tokens), known, of_runs, icc) if is_whole else None,
    )


def _area(tokens: Sequence[int], values: FloatArray) -> float:
    """The area under a curve, rounded so that rates of 1 give an area of exactly 1."""
    return round(float(area_weights(tokens) @ values), AREA_DIGITS)


def _area_ends(
    sums: FloatArray, weights: FloatArray, strata: NDArray[Any], runs: Sequence[FloatArray], icc: float
) -> Ends | None:
    """The interval of the area, computed as the interval of a rate whose rows are weighted by rung."""
    rows = sums[..., 1].sum(axis=1)
    scale = weights * rows.sum() / rows
    # pooled rather than combined from the intervals of the rungs, which by simulation do not cover when almost
    # no row is wrong
    pooled = np.einsum("r,ruk->uk", scale, sums)
    low, high = rate_limits(pooled[None], strata, icc=icc)
    areas = [float(weights @ run) for run in runs]
    value = float(pooled[:, 0].sum() / pooled[:, 1].sum())
    return _over_runs(value, _ends(float(low[0]), float(high[0])), areas, (0.0, 1.0), CONFIDENCE)


def _rates(sums: FloatArray) -> FloatArray:
    # [rungs] from [rungs, units, 2]
    return rates(sums[..., 0].sum(axis=1), sums[..., 1].sum(axis=1))


def _curve(
    sums: FloatArray, strata: NDArray[Any], runs: Sequence[FloatArray], icc: float
) -> Iterator[Ends | None]:
    limits = rate_limits(sums, strata, icc=icc)
    for at, (value, low, high) in enumerate(zip(_rates(sums), *limits, strict=True)):
        of_runs = [float(run[at]) for run in runs]
        yield _over_runs(float(value), _ends(low, high), of_runs, (0.0, 1.0), CONFIDENCE)


class _Ladder:
    """The rates of one system, and of floors, at the rungs that the system answered; all errors are correlated."""

    def __init__(
        self,
        tables: Sequence[FloatArray],
        runs: Sequence[FloatArray],
        strata: NDArray[Any],
        guesses: FloatArray,
        icc: float,
    ) -> None:
        """Compute the rates and their errors.

        Args:
            tables: One array [rungs, units, 2] for the system, then one per floor: sum of the metric, number of rows.
            runs: [rungs] each, the rates of the system's repeats.
            strata: [units], stratum numbers.
            guesses: [rungs], rates of guessing.
            icc: Prior of the correlation within a unit.
        """
        self._rungs, self._floors = len(tables[0]), len(tables) - 1
        self._runs, self._guesses = runs, guesses
        sums = np.concatenate(tables)
        parts = linearized(sums, strata)

        @cache
        def limits(level: float) -> Limits:
            # A floor without rows at a length is no bound there.
            ends = rate_limits(sums, strata, confidence=level, icc=icc)
            return Limits(*(np.where(np.isnan(parts.rates), 0.0, end) for end in ends))

        self._parts = Parts(np.nan_to_num(parts.rates), parts.scores, parts.df, limits)

    def shown(self) -> int:
        """Number of leading rungs (text lengths) at which the system is shown to stay accurate, without adjustment."""
        _, ratios = self.ratios(CONFIDENCE)
        return _leading(
            [low > guess for (low, _), guess in zip(self._intervals(CONFIDENCE), self._guesses, strict=True)],
            [low >= KEEP for low, _ in ratios],
            [low > 0 for low, _ in self._above_floors(CONFIDENCE)],
        )

    def possible(self) -> int:
        """Number of rungs (text lengths) before the first refuted rung, with Bonferroni's adjustment."""
        if not self._rungs:
            return 0
        # half of the level is for the ratios, all but the first; the other half for the bounds of each rung, which
        # are guessing and every floor
        level = (1 - CONFIDENCE) / 2
        of_ratios = 1 - level / max(self._rungs - 1, 1)
        of_bounds = 1 - level / (self._rungs * (self._floors + 1))
        _, ratios = self.ratios(of_ratios)
        rates = self._intervals(of_bounds)
        return _leading(
            [not high <= guess for (_, high), guess in zip(rates, self._guesses, strict=True)],
            [not high < KEEP for _, high in ratios],
            [not high <= 0 for _, high in self._above_floors(of_bounds)],
        )

    def ratios(self, confidence: float) -> tuple[FloatArray, list[Ends]]:
        """Rate of each rung (text length) over the rate of the shortest, with intervals. NaN if the shortest has 0."""
        if not self._rungs:
            return np.empty(0), []
        correlation, limits = error_correlation(self._parts), self._parts.limits(confidence)
        lines = zip(self._parts.rates.tolist(), limits.low.tolist(), limits.high.tolist(), strict=True)
        sides = [_Side(*line) for line in lines][: self._rungs]
        ends = [
            _ratio_ends(side, sides[0], float(row[0])) for side, row in zip(sides, correlation, strict=False)
        ]
        if sides[0].rate > 0:
            ends[0] = 1.0, 1.0
        ratios = _over_first(self._parts.rates[: self._rungs])
        return ratios, self._widened(ratios, ends, [_over_first(run) for run in self._runs], confidence)

    def _intervals(self, confidence: float) -> list[Ends]:
        limits = self._parts.limits(confidence)
        ends = list(zip(limits.low.tolist(), limits.high.tolist(), strict=True))[: self._rungs]
        return self._widened(self._parts.rates[: self._rungs], ends, self._runs, confidence)

    def _above_floors(self, confidence: float) -> list[Ends]:
        """Intervals by text length of the rate minus the best baseline's rate, which is 0 if there are no baselines."""
        if not self._rungs:
            return []
        slopes = np.zeros((max(self._floors, 1), self._rungs, len(self._parts.rates)))
        rung = np.arange(self._rungs)
        slopes[:, rung, rung] = 1.0
        for floor in range(self._floors):
            slopes[floor, rung, (floor + 1) * self._rungs + rung] = -1.0
        ends = self._combined(slopes.reshape(-1, slopes.shape[-1]), confidence)
        low, high = np.array(ends).reshape(-1, self._rungs, 2).min(axis=0).T.tolist()
        return list(zip(low, high, strict=True))

    def _combined(self, slopes: FloatArray, confidence: float) -> list[Ends]:
        """Intervals, one for each row of `slopes` [figures, parts], of linear combinations of the rates."""
        low, high = linear_limits(slopes, self._parts, confidence=confidence)
        values, floors = slopes @ self._parts.rates, self._parts.rates[self._rungs :]
        of_runs = [slopes @ np.append(run, floors) for run in self._runs]
        return self._widened(values, list(zip(low.tolist(), high.tolist(), strict=True)), of_runs, confidence)

    @staticmethod
    def _widened(
        values: FloatArray, ends: list[Ends], runs: Sequence[FloatArray], confidence: float
    ) -> list[Ends]:
        if len(runs) < 2:
            return ends
        nothing, anywhere = (math.nan, math.nan), (-math.inf, math.inf)
        return [
            _over_runs(float(value), end, [float(run[at]) for run in runs], anywhere, confidence) or nothing
            for at, (value, end) in enumerate(zip(values, ends, strict=True))
        ]


class _Side(NamedTuple):
    rate: float
    low: float
    high: float


def _ratio_ends(upper: _Side, lower: _Side, correlation: float) -> Ends:
    if math.isnan(upper.low) or math.isnan(lower.low) or not lower.rate:
        return math.nan, math.nan
    below = _root(upper.rate, lower.rate, upper.rate - upper.low, lower.high - lower.rate, correlation)
    above = _root(lower.rate, upper.rate, lower.rate - lower.low, upper.high - upper.rate, correlation)
    return below, 1 / above if above > 0 else math.inf


def _root(top: float, bottom: float, falls: float, rises: float, correlation: float) -> float:
    """Lower end of the interval of top / bottom: the ratio at which the interval of top - ratio * bottom touches 0.

    The interval of `top` begins `falls` below it, the interval of `bottom` ends `rises` above it.
    """
    a = top**2 - falls**2
    b = top * bottom - correlation * falls * rises
    c = bottom**2 - rises**2
    whole = b + math.sqrt(max(b * b - a * c, 0.0))
    return max(a / whole, 0.0) if whole > 0 else 0.0


def _over_first(values: FloatArray) -> FloatArray:
    return rates(values, np.full_like(values, values[0]))


def _over_runs(
    value: float, ends: Ends | None, runs: Sequence[float], within: Ends, confidence: float
) -> Ends | None:
    """Widen an interval by the variance between `runs`, if there are several runs, and clip it to `within`."""
    if ends is None or any(map(math.isnan, runs)):
        return None
    low, high = ends
    if len(runs) > 1:
        low, high = widened(value, ends, run_variance(runs), len(runs), confidence=confidence)
    return max(float(low), within[0]), min(float(high), within[1])


def _ends(low: float, high: float) -> Ends | None:
    return None if math.isnan(low) or math.isnan(high) else (float(low), float(high))


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _leading(*conditions: Sequence[bool]) -> int:
    rungs = zip(*conditions, strict=True)
    return next((at for at, holds in enumerate(rungs) if not all(holds)), len(conditions[0]))
