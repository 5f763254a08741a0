"""The lowest of several rates of a system, such as its rates by order: its interval, and differences of two systems.

The part with the lowest observed rate need not be the truly worst: all parts that may be the worst are considered.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.core.statistics.composite import Parts, may_be_worst, worst_limits
from evaluation.core.statistics.design import CONFIDENCE, FloatArray, linearized
from evaluation.core.statistics.intervals import rate_limits
from evaluation.core.statistics.ranks import Contrast, paired_contrast


def worst_with_interval(
    table: NDArray[Any], strata: NDArray[Any] | None = None
) -> tuple[float, tuple[float, float] | None]:
    """The lowest of the rates of one system, with its 95% interval.

    Args:
        table: [units, parts, 2], the sum and number of rows of each part in a unit.
        strata: [units], stratum numbers; None is one stratum.

    Returns:
        (rate, interval or None); the rate is NaN if a part has no rows.
    """
    sums = np.asarray(table, dtype=np.float64).swapaxes(0, 1)
    known = np.zeros(sums.shape[1]) if strata is None else np.asarray(strata)
    of_parts = linearized(sums, known)
    value = float(of_parts.rates.min())
    if np.isnan(value):
        return value, None
    parts = Parts(*of_parts, lambda confidence: rate_limits(sums, known, confidence=confidence))
    low, high = worst_limits(lambda rates: rates.min(axis=-1), parts, range(len(sums)))
    return value, None if np.isnan(low) else (min(float(low), value), max(float(high), value))


def worst_contrast(
    first: NDArray[Any], second: NDArray[Any], strata: NDArray[Any] | None = None
) -> Contrast | None:
    """The difference of the lowest rates of two systems over the units that both report.

    Args:
        first: [units, parts, 2], the sum and number of rows of each part in a unit.
        second: The same for the other system, over the same units.
        strata: [units], stratum numbers; None is one stratum.

    Returns:
        The difference; None if a part of either system has no rows, or fewer than two units are shared.

    Source: the lowest rate of the first system exceeds the lowest rate of the second by x if each part of the first
    exceeds some part of the second by x: an intersection-union test over the parts that may be the worst, as in
    `ranks.board`, with Bonferroni's adjustment for the number of such parts of the second system.
    """
    sides = [np.asarray(side, dtype=np.float64) for side in (first, second)]
    known = np.zeros(len(sides[0])) if strata is None else np.asarray(strata)
    rates = [linearized(side.swapaxes(0, 1), known) for side in sides]
    if any(np.isnan(each.rates).any() for each in rates):
        return None
    rows, columns = (may_be_worst(each, range(len(each.rates))) for each in rates)
    pairs = _pairs(sides, (rows, columns), known)
    if pairs is None:
        return None
    value = float(rates[0].rates.min() - rates[1].rates.min())
    above, below = pairs.above.min(axis=1).max(), pairs.below.min(axis=0).max()
    low, high = pairs.low.max(axis=1).min(), pairs.high.min(axis=0).max()
    p = min(1.0, 2 * float(min(above * len(columns), below * len(rows))))
    return Contrast(value, min(float(low), value), max(float(high), value), p, pairs.units, pairs.df)


class _Pairs(NamedTuple):
    """Differences of parts of two systems, [parts of the first, parts of the second] each."""

    low: FloatArray
    high: FloatArray
    above: FloatArray  # one-sided p for the first being higher
    below: FloatArray
    units: int
    df: float


def _pairs(
    sides: Sequence[FloatArray], members: tuple[list[int], list[int]], strata: NDArray[Any]
) -> _Pairs | None:
    """Differences of all pairs of parts that may be the worst, adjusted for the number of parts of the other system."""
    shape = len(members[0]), len(members[1])
    low, high, above = np.empty((3, *shape))
    units, df = 0, 0.0
    for (i, j), (one, other) in zip(np.ndindex(*shape), product(*members), strict=True):
        pair = sides[0][:, one], sides[1][:, other]
        ends = [paired_contrast(*pair, strata, confidence=1 - (1 - CONFIDENCE) / n) for n in shape[::-1]]
        if ends[0] is None or ends[1] is None:
            return None
        low[i, j], high[i, j] = ends[0].low, ends[1].high
        above[i, j] = ends[0].p / 2 if ends[0].value > 0 else 1 - ends[0].p / 2
        units, df = ends[0].units, ends[0].df
    return _Pairs(low, high, above, 1 - above, units, df)
