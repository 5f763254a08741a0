"""Rounding of the metrics of sealed versions to steps no finer than their intervals justify.

An exact rate would reveal how many rows changed between two uploads, and so which guesses were right.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

#: A step is 1, 2 or 5 times a power of ten.
NICE = (5.0, 2.0, 1.0)
#: Largest step of a rate: a coarser one would leave only 0 and 1.
COARSEST = 0.5
#: A figure over fewer rows is not shown: even a step as wide as its interval would reveal single rows.
LEAST_ROWS = 50


def rounding_step(half_width: float) -> float:
    """Return the largest of the steps …, 0.1, 0.05, 0.02, 0.01, … that is at most half the width of a 95% interval."""
    # log10 of a zero width is infinite
    allowed = max(half_width, 1e-6)
    place = 10.0 ** math.floor(math.log10(allowed) + 1e-9)
    # rounding then moves a figure by at most half of the half width
    return next(round(nice * place, 12) for nice in NICE if nice * place <= allowed * (1 + 1e-9))


@lru_cache(maxsize=4096)
def expected_step(units: int, rows: int) -> float:
    """Compute the rounding step of a rate, in (0, `COARSEST`], from the numbers of units and rows alone."""
    from evaluation.core.statistics.power import version_power  # imports numpy, which `--help` does without

    return min(COARSEST, rounding_step(version_power(min(units, rows), rows).plus_minus))


def own_step(units: int, rows: float | None, ends: Sequence[float] | None, *, at_least: float) -> float:
    """Rounding step of one metric: the coarsest of three steps.

    They are the step of the version's headline (`at_least`), the step for the number of rows, and the step for the
    metric's 95% interval (`ends`). A step is left out if `rows` or `ends` is None.
    """
    # the interval alone is not enough: near 0 and 1 it is narrow, and a fine step there reveals each right row
    by_rows = 0.0 if rows is None else expected_step(units, int(rows))
    own = (ends[1] - ends[0]) / 2 if ends else 0.0
    return max(at_least, by_rows, rounding_step(own) if own > 0 else 0.0)


def rounded(value: float, step: float) -> float:
    """Round a rate to a multiple of `step`, within [0, 1]."""
    return min(1.0, max(0.0, round(round(value / step) * step, 12)))


def count_levels(step: float) -> int:
    """Number of values that a rounded rate can have."""
    return round(1 / step) + 1


def rounded_interval(low: float, high: float, step: float) -> tuple[float, float]:
    """Round an interval outward to multiples of `step`, so that it contains the exact interval."""
    return (round(math.floor(low / step + 1e-9) * step, 12), round(math.ceil(high / step - 1e-9) * step, 12))


def rounded_number(value: float, step: float) -> float:
    """Round a number to a multiple of `step`."""
    return round(round(value / step) * step, 12)
