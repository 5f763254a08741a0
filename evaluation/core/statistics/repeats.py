"""Repeats (one system answers the same rows k times): their mean, the variance between runs, an interval of the mean.

Runs of one system differ in two ways: independently in each row, and as a whole. The second kind (a sampling seed, a
server's build, a changed prompt) moves all rows of a run together. Only the spread of the runs' rates shows it, no
matter how many rows there are. The interval includes both kinds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.core.statistics.design import CONFIDENCE, FloatArray, rates
from evaluation.core.statistics.intervals import rate_limits
from evaluation.core.statistics.student import t_quantile

#: Fewest runs that show how much runs differ: t with one degree of freedom is 12.7, so two runs give a wide interval.
ENOUGH_REPEATS = 3


class RepeatedRate(NamedTuple):
    """The mean of repeats with its 95% interval, and the variance between runs."""

    value: float
    low: float
    high: float
    repeats: int
    run_variance: float  # of the rates of the runs, with repeats - 1 degrees of freedom
    df: int

    @property
    def run_sd(self) -> float:
        """Standard deviation between runs, in the unit of the rate."""
        return math.sqrt(self.run_variance)


def few_repeats(repeats: int) -> str:
    """A caveat about the interval if there are fewer than `ENOUGH_REPEATS` runs. Empty for more runs."""
    if repeats >= ENOUGH_REPEATS:
        return ""
    return "two runs are too few to estimate the variance between runs well, so the interval is wide"


def mean_of_repeats(sums: NDArray[Any]) -> FloatArray:
    """Average the repeats within each unit, for ranks and paired differences: [units, ..., 2].

    Args:
        sums: [repeats, units, ..., 2], the sum of a metric over the rows of a unit, and the number of these rows.
    """
    mean: FloatArray = np.asarray(sums, dtype=np.float64).mean(axis=0)
    return mean


def run_variance(values: Sequence[float]) -> float:
    """The variance of a metric between k runs, with k - 1 degrees of freedom. Raises ValueError for k < 2."""
    if len(values) < 2:
        raise ValueError("The variance between runs needs at least two runs.")
    return float(np.var(np.asarray(values, dtype=np.float64), ddof=1))


def repeated_rate(sums: NDArray[Any], strata: NDArray[Any] | None = None) -> RepeatedRate | None:
    """The mean rate of repeats over the same rows. Its 95% interval accounts for the choice of rows and of runs.

    Args:
        sums: [repeats, units, 2], the sum of a metric over the rows of a unit, and the number of these rows.
        strata: [units], stratum numbers; None is one stratum.

    Returns:
        The mean; None if a run has no rows, or fewer than two units report.

    Source: see `widened`, which widens the interval that `rate_limits` gives for the averaged units.
    """
    table = np.asarray(sums, dtype=np.float64)
    of_runs = rates(table[..., 0].sum(axis=1), table[..., 1].sum(axis=1))
    if np.isnan(of_runs).any():
        return None
    mean = mean_of_repeats(table)
    low, high = (float(end[0]) for end in rate_limits(mean[None], strata))
    if math.isnan(low):
        return None
    value = float(mean[:, 0].sum() / mean[:, 1].sum())
    variance = run_variance(of_runs.tolist())
    ends = widened(value, (low, high), variance, len(of_runs))
    low, high = max(ends[0], 0.0), min(ends[1], 1.0)
    return RepeatedRate(value, low, high, len(of_runs), variance, len(of_runs) - 1)


def widened(
    value: float, ends: tuple[float, float], variance: float, repeats: int, *, confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """An interval over rows, widened by the variance between runs.

    Args:
        value: The mean of the repeats.
        ends: Interval of the mean over rows, for these runs.
        variance: Variance between runs, see `run_variance`.
        confidence: Level of the interval over rows.

    Returns:
        The ends. Each arm is hypot(a, b): a is the arm over rows, b is t with `repeats` - 1 degrees of freedom times
        the standard error of the mean over runs. Both include the noise of single rows, so coverage is slightly above
        the level.

    Source: Banerjee, "Approximate confidence interval for linear functions of means of k populations when the
    population variances are not equal", Sankhya 22 (1960): adding squares of half widths never covers too little.
    """
    of_runs = t_quantile((1 + confidence) / 2, repeats - 1) * math.sqrt(variance / repeats)
    return value - math.hypot(value - ends[0], of_runs), value + math.hypot(ends[1] - value, of_runs)
