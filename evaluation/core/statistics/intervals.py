"""Rates and means with intervals from sums by unit, for a design with fixed strata.

*Units* are drawn independently (an episode with its twin; the template of a timeline). *Strata* are fixed by design (a
state mode, a track): another version would have the same strata, so differences between them are not noise. Rows of a
unit share a text, so they have less information than independent rows: by the design effect 1 + (m - 1) * ICC.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.core.statistics.design import CONFIDENCE, FloatArray, collapsed_strata, linearized, rates
from evaluation.core.statistics.student import t_quantiles

#: Prior of the correlation within a unit, and its weight in units. If units show no more correlation than that, the
#: prior is also worth `PRIOR_DF` degrees of freedom. They were chosen with `SKEW` by simulation (`make calibrate`):
#: intervals cover at least .93 in every cell, and at most .97 on average.
ICC_PRIOR, ICC_PRIOR_UNITS, PRIOR_DF = 0.15, 3.0, 10.0
#: Clustered units are more skewed than the independent rows that Wilson's interval assumes: the end towards 1/2 moves
#: by this share of the shift of the middle, scaled by clustering. Without it, intervals of rare errors end too early.
SKEW = 0.7
#: If rows of a unit are copies, the prior leaves the design effect almost no room, as it cannot exceed the rows of a
#: unit. Then units without a case of the rarer kind are informative too: for this share of all degrees of freedom.
#: Chosen by simulation like the others: with a half, rates of .95 were covered only .92 over 15 units.
KNOWN_SHARE = 1 / 3
#: Weight, in rows, that shrinks the rate of a stratum towards the whole rate: a stratum without errors still may err.
STRATUM_PRIOR = 1.0
#: Lower bound of the design effect, for values that vary less than independent rows (if they are not 0 or 1).
LEAST_DESIGN_EFFECT = 0.5
#: Below this, t has no variance and intervals are useless.
LEAST_DF = 2.0


class Interval(NamedTuple):
    """A rate with its 95% interval, which is one-sided for a rate of 0 or 1: one end is then the rate itself."""

    value: float
    low: float
    high: float
    units: int  # reporting
    rows: float
    effective_rows: float  # independent rows with the same information


class Limits(NamedTuple):
    """The ends of intervals, [systems] each. The ends are NaN if fewer than two units report."""

    low: FloatArray
    high: FloatArray


class _Moments(NamedTuple):
    """Summary of the rows of each system: [systems] each."""

    rate: FloatArray
    rows: FloatArray
    effective_rows: FloatArray
    df: FloatArray
    skew: FloatArray  # see `SKEW`


class _Sums(NamedTuple):
    """Sums within strata, [systems, strata] unless said otherwise."""

    table: FloatArray  # [systems, units, 2]
    members: FloatArray  # [units, strata]
    counts: FloatArray  # units that report
    rows: FloatArray
    rates: FloatArray  # 0 where a stratum has no rows
    per_unit: FloatArray  # [systems], mean over the rows of the size of their unit


class _Correlation(NamedTuple):
    """The intra-cluster correlation: [systems] each."""

    icc: FloatArray
    own_df: FloatArray  # from the units themselves
    df: FloatArray


def rate_intervals(
    sums: NDArray[Any], strata: NDArray[Any] | None = None, *, icc: float = ICC_PRIOR
) -> list[Interval | None]:
    """The rates of some systems over the same units, each with its 95% interval.

    Args:
        sums: [systems, units, 2], the sum of a metric over the rows of a unit, and the number of these rows.
        strata: [units], stratum numbers; None is one stratum.
        icc: Prior of the correlation within a unit.

    Returns:
        An interval for each system; None if it has no rows.

    Source: the effective sample size of Korn and Graubard, "Confidence intervals for proportions with small expected
    number of positive counts estimated from survey data", Survey Methodology 24 (1998), in Wilson's interval with t;
    the design effect from an intra-cluster correlation shrunk towards `icc`.
    """
    table, known = _tables(sums, strata)
    if table.shape[1] == 0:
        return [None] * len(table)
    moments = _moments(table, known, icc)
    low, high = _wilson(moments, CONFIDENCE)
    units = np.count_nonzero(table[..., 1], axis=1)
    lines = zip(moments.rate, low, high, units, moments.rows, moments.effective_rows, strict=True)
    return [Interval(*(each.item() for each in line)) if line[4] > 0 else None for line in lines]


def rates_with_intervals(
    systems: Sequence[NDArray[Any]], strata: NDArray[Any] | None = None, *, icc: float = ICC_PRIOR
) -> list[tuple[float | None, tuple[float, float] | None]]:
    """The rate of each system with its 95% interval.

    Args:
        systems: [units, 2] each, a metric's sum and number of rows per unit, all over the same units.
        strata: [units], stratum numbers; None is one stratum.
        icc: Prior of the correlation within a unit.

    Returns:
        (rate, (low, high)) of each system. The rate is None without rows, the interval if fewer than two units report.
    """
    if not systems:
        return []
    table = np.stack(systems).astype(np.float64)
    values = rates(table[..., 0].sum(axis=1), table[..., 1].sum(axis=1)).tolist()
    low, high = (end.tolist() for end in rate_limits(table, strata, icc=icc))
    return [
        (None if math.isnan(value) else value, None if math.isnan(least) else (least, most))
        for value, least, most in zip(values, low, high, strict=True)
    ]


def rate_limits(
    sums: NDArray[Any],
    strata: NDArray[Any] | None = None,
    *,
    confidence: float = CONFIDENCE,
    is_importance: bool = False,
    icc: float = ICC_PRIOR,
) -> Limits:
    """The intervals of `rate_intervals` as arrays, for many rates at once.

    Args:
        sums: [systems, units, 2], the sum of a metric over the rows of a unit, and the number of these rows.
        strata: [units], stratum numbers; None is one stratum.
        is_importance: The second sum is an importance, not a number of rows. Units then count as one row each if their
            importance is equal, else as fewer rows in total (Kish's effective sample size).
        icc: Prior of the correlation within a unit.
    """
    table, known = _tables(sums, strata)
    if is_importance:
        squares = (table[..., 1] ** 2).sum(axis=1)
        table = table * rates(table[..., 1].sum(axis=1), squares)[:, None, None]
    return _where_two_report(_wilson(_moments(table, known, icc), confidence), table)


def mean_limits(
    sums: NDArray[Any], strata: NDArray[Any] | None = None, *, confidence: float = CONFIDENCE
) -> Limits:
    """The intervals of means that are not proportions, such as words read.

    Args:
        sums: [systems, units, 2], the sum of a metric over the rows of a unit, and the number of these rows.
        strata: [units], stratum numbers; None is one stratum.

    Returns:
        The ends of t intervals from linearized scores; equal if all units have the same mean. Means of non-negative
        values are skewed: their intervals are computed on the logarithm, for correct coverage and ends above 0.
    """
    table, known = _tables(sums, strata)
    means, scores, df = linearized(table, known)
    half = t_quantiles((1 + confidence) / 2, np.maximum(df, 1)) * np.sqrt((scores**2).sum(axis=1))
    is_skewed = (table[..., 0] >= 0).all(axis=1) & (means > 0)
    ratio = np.exp(np.where(is_skewed, half / np.where(is_skewed, means, 1.0), 0.0))
    low, high = (
        np.where(is_skewed, means / ratio, means - half),
        np.where(is_skewed, means * ratio, means + half),
    )
    return _where_two_report(Limits(low, high), table)


def _tables(sums: NDArray[Any], strata: NDArray[Any] | None) -> tuple[FloatArray, NDArray[Any]]:
    table = np.asarray(sums, dtype=np.float64)
    return table, np.zeros(table.shape[1], dtype=np.int64) if strata is None else np.asarray(strata)


def _where_two_report(limits: Limits, table: FloatArray) -> Limits:
    """Replace limits by NaN if fewer than two units report, as one unit does not show how much units differ."""
    enough = np.count_nonzero(table[..., 1], axis=1) > 1
    return Limits(*(np.where(enough, end, np.nan) for end in limits))


def _wilson(moments: _Moments, confidence: float) -> Limits:
    rate, n = moments.rate, moments.effective_rows
    t2 = t_quantiles((1 + confidence) / 2, moments.df) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        middle = (rate + t2 / (2 * n)) / (1 + t2 / n)
        spread = rate * (1 - rate) / n + t2 / (4 * n**2)
        half = np.sqrt(t2 * np.maximum(spread, 0.0)) / (1 + t2 / n)
        shift = moments.skew * (1 - 2 * rate) * t2 / (2 * n) / (1 + t2 / n)
    low = np.minimum(rate, middle - half + np.minimum(shift, 0.0))
    high = np.maximum(rate, middle + half + np.maximum(shift, 0.0))
    return Limits(np.maximum(0.0, low), np.minimum(1.0, high))


def _moments(table: FloatArray, strata: NDArray[Any], prior: float) -> _Moments:
    """The moments of each system. Strata in which a single unit reports are merged."""
    moments = _Moments(*np.zeros((len(_Moments._fields), len(table))))
    for chosen, members in collapsed_strata(table[..., 1] > 0, strata):
        for whole, part in zip(moments, _stratified(table[chosen], members, prior), strict=True):
            whole[chosen] = part
    return moments


def _stratified(table: FloatArray, members: FloatArray, prior: float) -> _Moments:
    added, rows = table[..., 0], table[..., 1]
    total = rows.sum(axis=1)
    rate = rates(added.sum(axis=1), total)
    stratum_rows = rows @ members
    counts = (rows > 0) @ members
    per_unit = rates((rows**2).sum(axis=1), total)
    sums = _Sums(
        table, members, counts, stratum_rows, np.nan_to_num(rates(added @ members, stratum_rows)), per_unit
    )
    icc, own, df = _icc(sums, prior)
    effect = np.maximum(1 + (per_unit - 1) * icc, LEAST_DESIGN_EFFECT)
    # One unit with the rarer kind does not show how such units differ: then the prior alone counts.
    skew = SKEW * np.maximum(1 - 1 / effect, 0.0) * own / (own + 1)
    return _Moments(rate, total, _effective_rows(rate, sums, effect), df, skew)


def _icc(sums: _Sums, prior: float) -> _Correlation:
    added, rows = sums.table[..., 0], sums.table[..., 1]
    free = (sums.counts - (sums.counts > 0)).sum(axis=1)
    squares = _squares(added - (sums.rates @ sums.members.T) * rows, sums).sum(axis=1)
    independent = (sums.rates * (1 - sums.rates) * sums.rows).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        shown = (squares / independent - 1) / (sums.per_unit - 1)
        # of units, the share that counts
        like_sized = rows.sum(axis=1) / sums.per_unit / sums.counts.sum(axis=1)
    shown = np.where((independent > 1e-9) & (sums.per_unit > 1), shown, prior)
    # units without a case of the rarer kind do not show how such cases cluster, and units of different sizes are
    # worth as much as fewer of equal size (Kish)
    rare = np.minimum(np.count_nonzero(added > 0, axis=1), np.count_nonzero(added < rows, axis=1))
    own = np.clip(rare - 1.0, 0.0, np.maximum(free, 0.0)) * like_sized
    drawn = (own * shown + ICC_PRIOR_UNITS * prior) / (own + ICC_PRIOR_UNITS)
    is_known = _df_of_ceiling(sums.per_unit, prior) > PRIOR_DF
    known = np.maximum(own, np.where(is_known, np.maximum(free, 0.0) * like_sized * KNOWN_SHARE, 0.0))
    df = np.where(shown > prior, known, own + PRIOR_DF)
    # shrunk towards the prior, but never below the estimate: an interval that is too narrow overclaims
    return _Correlation(np.maximum(shown, drawn), known, np.maximum(np.floor(2 * df) / 2, LEAST_DF))


def _df_of_ceiling(per_unit: FloatArray, prior: float) -> FloatArray:
    """Degrees of freedom if the correlation is only known to be at least `prior` and at most 1, its ceiling."""
    with np.errstate(divide="ignore", invalid="ignore"):
        # Satterthwaite's 2 / CV², with the whole range of the design effect as its standard deviation: few if that
        # leaves the effect open, many if rows are copies, as it cannot exceed the rows of a unit
        df: FloatArray = 2 / (per_unit / (1 + (per_unit - 1) * prior) - 1) ** 2
    return np.where(per_unit > 1, df, 0.0)


def _squares(of_units: FloatArray, sums: _Sums) -> FloatArray:
    """The variance within strata [systems, strata] of the sum of values of units [systems, units]."""
    squares: FloatArray = (of_units**2 @ sums.members) * (sums.counts / np.maximum(sums.counts - 1, 1))
    return squares


def _effective_rows(rate: FloatArray, sums: _Sums, effect: FloatArray) -> FloatArray:
    """The number of independent rows with the variance of the stratified rate, [systems]."""
    total, effective = sums.rows.sum(axis=1), sums.rows / effect[:, None]
    smooth = (sums.rates * effective + STRATUM_PRIOR * rate[:, None]) / (effective + STRATUM_PRIOR)
    sizes = sums.table[..., 1]
    typical = (sums.rows / np.maximum(sums.counts, 1)) @ sums.members.T
    # if strata differ in rate and their units in size, the strata will have other shares of the rows in the next
    # version, which adds to the variance
    moved = _squares(np.where(sizes > 0, sizes - typical, 0.0), sums) * (sums.rates - rate[:, None]) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        drawn = (smooth * (1 - smooth) * sums.rows).sum(axis=1) * effect
        spread = rate * (1 - rate)
        variance = (drawn + moved.sum(axis=1)) / total**2
        rows: FloatArray = np.where(spread > 1e-12, spread / variance, total / effect)
    return rows


class Verdict(StrEnum):
    """Result of comparing an interval with a threshold."""

    PASS = "pass"
    FAIL = "fail"
    UNDECIDED = "undecided"
    NONE = "none"  # not reported


def judge(ends: tuple[float, float] | None, bar: float, *, at_least: bool) -> Verdict:
    """Compare an interval with a threshold `bar`: PASS if all of it meets the bar, FAIL if no part of it does."""
    if ends is None:
        return Verdict.NONE
    low, high = ends
    if low >= bar if at_least else high <= bar:
        return Verdict.PASS
    if high < bar if at_least else low > bar:
        return Verdict.FAIL
    return Verdict.UNDECIDED
