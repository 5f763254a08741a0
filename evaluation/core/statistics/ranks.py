"""Significant differences on a leaderboard: paired differences of all systems, adjusted for the number of pairs.

All systems answer the same rows, so two systems are compared unit by unit. The whole board uses one adjustment over all
pairs (the largest statistic under sign flips). In at least 95% of versions, no two equal systems are ranked apart and
all ranges of ranks are right. The comparison page agrees with the board about every pair.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.core.statistics import design
from evaluation.core.statistics.composite import RateFunction, gradient, may_be_worst
from evaluation.core.statistics.design import (
    CONFIDENCE,
    BoolArray,
    FloatArray,
    Linearized,
    centered,
    linearized,
)
from evaluation.core.statistics.flips import FlippedPairs, count_above
from evaluation.core.statistics.student import t_quantile, t_tail

#: Flips of all units' signs; the 95% quantile of the largest statistic is then exact to about ±0.03.
FLIPS = 1000
SEED = 0x7A6E
#: Name of the method of ranking. Change it whenever a rank may change: stored ranks are then computed again.
RANKING = "max-t over pairs within strata, 4"
ROWS = 32  # of a matrix of pairs at a time
#: Below this variance of units a difference cannot be tested: the two systems answer alike.
LEAST_VARIANCE = 1e-18
#: Statistics under flips are single precision: smaller differences are ties, which are common when units are few.
ROUNDING = 1e-4


class Contrast(NamedTuple):
    """The metric of one system minus the metric of another, with its 95% interval and a two-sided p.

    Not adjusted for the number of comparisons or for the selection of the two systems.
    """

    value: float
    low: float
    high: float
    p: float
    units: int  # reported by both
    df: float

    @property
    def excludes_zero(self) -> bool:
        """True if p < .05. The 95% interval then excludes 0."""
        return self.p < 1 - CONFIDENCE


class Board(NamedTuple):
    """Ranks of systems, adjusted for all comparisons. `apart[i, j]`: system i is significantly better than system j."""

    rates: FloatArray  # [systems], NaN without rows
    apart: BoolArray  # [systems, systems]
    best: BoolArray  # [systems] True if the system may be the best
    low: NDArray[np.int64]  # [systems] best possible rank, from 1
    high: NDArray[np.int64]  # [systems] worst possible rank
    critical: float  # two are apart if their statistic exceeds this


def paired_contrast(
    first: NDArray[Any],
    second: NDArray[Any],
    strata: NDArray[Any] | None = None,
    *,
    confidence: float = CONFIDENCE,
) -> Contrast | None:
    """The difference of two systems over the units that both report; None if fewer than two units are shared.

    Args:
        first: [units, 2], the sum of a metric over the rows of a unit, and the number of these rows.
        second: The same for the other system, over the same units.
        strata: [units], stratum numbers; None is one stratum.

    Source: the linearized difference of two ratios, with a stratified cluster variance and t (Lohr, "Sampling: Design
    and Analysis", 3rd edition, 9.1).
    """
    one, other = (np.asarray(sums)[:, None] for sums in (first, second))
    contrast = composite_contrast(one, other, lambda rates: rates[..., 0], strata, confidence=confidence)
    if contrast is None or not (_are_shares(first) and _are_shares(second)):
        return contrast
    return contrast._replace(low=max(contrast.low, -1.0), high=min(contrast.high, 1.0))


def composite_contrast(
    first: NDArray[Any],
    second: NDArray[Any],
    figure: RateFunction,
    strata: NDArray[Any] | None = None,
    *,
    confidence: float = CONFIDENCE,
) -> Contrast | None:
    """The difference of two systems in a metric of several rates, over the units that both report.

    Args:
        first: [units, parts, 2], the sum and number of rows of each part in a unit.
        second: The same for the other system, over the same units.
        figure: Function from rates of the parts [..., parts] to metrics [...]; NaN if undefined.
        strata: [units], stratum numbers; None is one stratum.

    Returns:
        The difference; None if fewer than two units are shared, or the metric is undefined for one system.

    Source: as `paired_contrast`, with the metrics linearized by their gradients.
    """
    shared = (first[..., 1] > 0).any(axis=1) & (second[..., 1] > 0).any(axis=1)
    if (units := int(np.count_nonzero(shared))) < 2:
        return None
    # [2, parts, units, 2]
    sides = np.stack([first[shared], second[shared]]).astype(np.float64).swapaxes(1, 2)
    known = np.zeros(units) if strata is None else np.asarray(strata)[shared]
    rates = design.rates(sides[..., 0].sum(axis=-1), sides[..., 1].sum(axis=-1))
    value = float(np.subtract(*figure(rates)))
    if math.isnan(value):
        return None
    errors = np.stack(
        [gradient(figure, each) @ _errors(side, each) for side, each in zip(sides, rates, strict=True)]
    )
    scores, df = centered(errors[:1] - errors[1:], np.ones((1, units), dtype=np.bool_), known)
    return _contrast(value, float((scores**2).sum()), units, float(df[0]), confidence)


def _contrast(value: float, variance: float, units: int, df: float, confidence: float) -> Contrast:
    value = 0.0 if abs(value) < LEAST_VARIANCE**0.5 else value
    if variance <= LEAST_VARIANCE:  # all units differ by the same amount: a sign test remains
        return Contrast(value, value, value, 1.0 if value == 0 else 2.0 ** (1 - units), units, df)
    half = t_quantile((1 + confidence) / 2, df) * variance**0.5
    return Contrast(value, value - half, value + half, _two_sided(abs(value) / variance**0.5, df), units, df)


def _errors(table: FloatArray, rates: FloatArray) -> FloatArray:
    """Contribution of each unit to the error of each rate, [parts, units]; 0 for a part without rows."""
    total = np.maximum(table[..., 1].sum(axis=1, keepdims=True), 1e-300)
    errors: FloatArray = (table[..., 0] - np.nan_to_num(rates)[:, None] * table[..., 1]) / total
    return errors


def _are_shares(sums: NDArray[Any]) -> bool:
    """True if the sums [units, 2] are sums of a rate (0 ≤ value ≤ rows), so that no difference exceeds 1."""
    return bool(((sums[:, 0] >= 0) & (sums[:, 0] <= sums[:, 1])).all())


def board(
    systems: Sequence[NDArray[Any]],
    strata: NDArray[Any] | None = None,
    *,
    better: str = "higher",
    confidence: float = CONFIDENCE,
) -> Board:
    """Test all pairs of systems over the same units, and compute ranges of their ranks.

    Args:
        systems: [units, 2] each, the sum of a metric over the rows of a unit, and the number of these rows. Or
            [units, parts, 2] each, to rank systems by the lowest rate of their parts, such as several orders.
        strata: [units], stratum numbers; None is one stratum.
        better: "higher" or "lower"; for parts only "higher".
        confidence: Share of versions in which all statements hold.

    Sources: All pairs are tested by their largest statistic (Westfall and Young, "Resampling-Based Multiple Testing",
    1993), a self-normalized difference. Its distribution if systems are equal comes from random sign flips of units,
    the same for all systems. Ranges of ranks follow Mogstad, Romano, Shaikh and Wilhelm, "Inference for Ranks", Review
    of Economic Studies 91 (2024). The systems that can be best follow Hsu's multiple comparisons with the best. By
    parts, a system is ahead of another if each of its rates is above some rate of the other: an intersection-union
    test (Berger, "Multiparameter hypothesis testing and acceptance sampling", Technometrics 24 (1982)) over the rates
    that may be the lowest (`composite.may_be_worst`), adjusted over all pairs of these rates.
    """
    rates, scores, signed, owners = _parts_of(systems, strata, better)
    first = np.flatnonzero(np.diff(owners, prepend=-1))  # [systems] where the parts of each begin
    statistic, factors = _statistics(scores, signed, owners, first)
    pairs, count = FlippedPairs.from_flips(_flipped(scores, signed), factors), count_above(FLIPS, confidence)
    critical = pairs.largest(count)
    apart = statistic > critical + ROUNDING
    ahead = statistic.max(axis=0)  # lead of each system's best rival
    # The largest lead over one system is at most the largest over any: only systems within `critical` need the test.
    can_be_best = ahead <= critical + ROUNDING
    ends = np.append(first[1:], len(owners))
    for system in np.flatnonzero(can_be_best):
        own = slice(int(first[system]), int(ends[system]))
        can_be_best[system] = pairs.is_reached(own, float(ahead[system]), count, within=ROUNDING)
    low, high = 1 + np.count_nonzero(apart, axis=0), len(systems) - np.count_nonzero(apart, axis=1)
    return Board(rates, apart, can_be_best, low, high, critical)


def among(board: Board, kept: Sequence[int]) -> Board:
    """Restrict a board to the systems with indices `kept`, with new ranks. The test of differences is not repeated."""
    apart = board.apart[np.ix_(kept, kept)]
    low, high = 1 + np.count_nonzero(apart, axis=0), len(kept) - np.count_nonzero(apart, axis=1)
    return board._replace(rates=board.rates[kept], apart=apart, best=board.best[kept], low=low, high=high)


def is_above(
    value: float | None, ends: tuple[float, float] | None, guessing: float | None, better: str
) -> bool:
    """True if the whole interval `ends` is better than `guessing`. Without an interval, `value` is compared.

    Also True if `value` or `guessing` is None.
    """
    if guessing is None or value is None:
        return True
    low, high = ends or (value, value)
    return low > guessing if better == "higher" else high < guessing


def adjusted_difference(
    first: NDArray[Any], second: NDArray[Any], critical: float, strata: NDArray[Any] | None = None
) -> tuple[float, float] | None:
    """The interval of the difference of two systems that agrees with the test of their board.

    Args:
        first: [units, 2], the sum of a metric over the rows of a unit, and the number of these rows.
        second: The same for the other system, over the same units.
        critical: `Board.critical`.
        strata: [units], stratum numbers; None is one stratum.

    Returns:
        (low, high), which excludes 0 if and only if the two are apart on the board; None if there are too few units.
        The confidence is simultaneous for all intervals of a board.
    """
    units = len(first)
    known = np.zeros(units) if strata is None else np.asarray(strata)
    rates, scores, _ = linearized(np.stack([first, second]).astype(np.float64), known)
    room, value = 1 - critical**2 / units, float(rates[0] - rates[1])
    if room <= 0 or math.isnan(value):
        return None
    half = critical * math.sqrt(max(float(((scores[0] - scores[1]) ** 2).sum()), LEAST_VARIANCE) / room)
    return max(value - half, -1.0), min(value + half, 1.0)


def _parts_of(
    systems: Sequence[NDArray[Any]], strata: NDArray[Any] | None, better: str
) -> tuple[FloatArray, FloatArray, FloatArray, NDArray[np.int64]]:
    """The rates of systems, and the parts that may have the worst rate of their system.

    Returns:
        Rates [systems]; for the parts: scores [parts, units], signed rates [parts] (higher is better) and index of the
        system [parts], ascending.
    """
    tables = np.stack([np.asarray(system, dtype=np.float64) for system in systems])
    tables = tables[:, None] if tables.ndim == 3 else tables.swapaxes(1, 2)  # [systems, parts, units, 2]
    count, parts, units = tables.shape[:3]
    if parts > 1 and better != "higher":
        raise ValueError(f"systems with several parts need better='higher', not {better!r}")
    known = np.zeros(units) if strata is None else np.asarray(strata)
    rates, scores, df = linearized(tables.reshape(-1, units, 2), known)
    chosen = np.arange(count * parts) if parts == 1 else _worst_parts(rates, scores, df, parts)
    sign = 1.0 if better == "higher" else -1.0
    signed = np.nan_to_num(sign * rates, nan=-np.inf)
    return rates.reshape(-1, parts).min(axis=1), sign * scores[chosen], signed[chosen], chosen // parts


def _worst_parts(rates: FloatArray, scores: FloatArray, df: FloatArray, parts: int) -> NDArray[np.int64]:
    """Indices of the parts that may be the worst of their system. A part without rows counts as the worst."""
    chosen: list[int] = []
    for start in range(0, len(rates), parts):
        of_system = slice(start, start + parts)
        without = np.flatnonzero(np.isnan(rates[of_system]))[:1].tolist()
        system = Linearized(rates[of_system], scores[of_system], df[of_system])
        chosen += [start + part for part in without or may_be_worst(system, range(parts))]
    return np.array(chosen, dtype=np.int64)


def _statistics(
    scores: FloatArray, rates: FloatArray, owners: NDArray[np.int64], first: NDArray[np.int64]
) -> tuple[FloatArray, NDArray[np.float32]]:
    """The test statistic of each system's lead over each other system, and the factors to compute statistics of parts.

    The statistic of two parts is the difference of their rates times their factor.

    Args:
        scores: [parts, units].
        rates: [parts], higher is better.
        owners: [parts], index of the system of each part.
        first: [systems], index of the first part of each system.

    Returns:
        Statistics [systems, systems] and factors [parts, parts]. A factor is 0 for two parts of one system, and for
        parts whose scores hardly differ. The scale does not subtract the mean difference: if two systems are equal it
        is 0, and only then may signs be flipped.
    """
    units, known = scores.shape[1], np.where(np.isfinite(rates), rates, 0.0)
    products = scores @ scores.T
    own = np.diag(products).copy()
    # 9,000 parts (1,000 systems by the worst of 9 orders) have 650 MB of products: the factors overwrite them, and
    # everything else is computed in blocks of rows.
    inverse = products.view(np.float32)[:, : len(owners)]
    above_some = np.empty((len(owners), len(first)))
    for start in range(0, len(owners), ROWS):
        some = slice(start, start + ROWS)
        squares = own[some, None] + own
        squares -= np.multiply(products[some], 2, out=products[some])
        np.maximum(squares, 0.0, out=squares)
        squares += (known[some, None] - known) ** 2 / units
        differs = (squares > LEAST_VARIANCE) & (owners[some, None] != owners)
        factors = np.divide(differs, np.sqrt(np.maximum(squares, LEAST_VARIANCE, out=squares), out=squares))
        inverse[some] = factors
        above_some[some] = np.maximum.reduceat(_statistic(rates, factors, some), first, axis=1)
    return np.minimum.reduceat(above_some, first, axis=0), inverse


def _statistic(rates: FloatArray, factors: FloatArray, some: slice) -> FloatArray:
    """Statistics of the leads of `some` parts over all parts, [some, parts]. Parts without a rate come last."""
    with np.errstate(invalid="ignore"):
        ahead = rates[some, None] - rates
        ahead *= factors
    if not np.isfinite(rates).all():
        ahead[np.isnan(ahead)] = 0.0
    return ahead


def _flipped(scores: FloatArray, rates: FloatArray) -> NDArray[np.float32]:
    """[flips, parts], the rates under flips of the signs of units, the same flips for all parts."""
    units = scores.shape[1]
    known = np.where(np.isfinite(rates), rates, 0.0)
    flipped: NDArray[np.float32] = (_signs(FLIPS, units) @ (scores + known[:, None] / units).T).astype(
        np.float32
    )
    return flipped


def _signs(count: int, size: int) -> FloatArray:
    """[count, size] of -1 and 1, the same in every run: the highest bits of a seeded generator's raw numbers."""
    raw = np.random.PCG64(SEED).random_raw(count * size)
    return (1.0 - 2.0 * (raw >> np.uint64(63)).astype(np.float64)).reshape(count, size)


def _two_sided(t: float, df: float) -> float:
    return min(1.0, 2 * t_tail(t, df))
