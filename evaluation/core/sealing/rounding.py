"""To which step a figure of a sealed version is rounded: no finer than its interval can tell apart.

A rate that is told to the last row tells how many rows changed between two uploads, and so which guesses were right.
"""

from __future__ import annotations

import math

#: A step is 1, 2 or 5 of some decimal place, as readers count.
NICE = (5.0, 2.0, 1.0)
#: The step is at most half of the half width of a 95% interval: rounding moves a figure by a quarter of it at most.
SHARE = 0.5
COARSEST = 0.1


def rounding_step(half_width: float) -> float:
    """The step to which a rate is rounded whose 95% interval has this half width.

    Args:
        half_width: Of the interval, from 0 to 1. The expected one of a version, so that all its figures have one step.

    Returns:
        The largest of .1, .05, .02, .01, .005 … that is at most half of the half width.
    """
    allowed = min(COARSEST, max(half_width, 1e-6) * SHARE)
    place = 10.0 ** math.floor(math.log10(allowed))
    return next(round(nice * place, 12) for nice in NICE if nice * place <= allowed * (1 + 1e-9))


def rounded(value: float, step: float) -> float:
    """A rate on the grid of the step.

    Args:
        value: From 0 to 1.
        step: As `rounding_step` returns it.

    Returns:
        The nearest multiple of the step, from 0 to 1.
    """
    return min(1.0, max(0.0, round(round(value / step) * step, 12)))


def count_levels(step: float) -> int:
    """How many values a rounded rate can have."""
    return round(1 / step) + 1


def rounded_interval(low: float, high: float, step: float) -> tuple[float, float]:
    """An interval on the grid of the step, rounded outward: it holds whatever the exact one holds.

    Args:
        low: Its lower end.
        high: Its upper end.
        step: As `rounding_step` returns it.
    """
    return (
        round(math.floor(low / step + 1e-9) * step, 12),
        round(math.ceil(high / step - 1e-9) * step, 12),
    )


def rounded_number(value: float, step: float, rows: int) -> float:
    """A figure of any kind on the grid of the step.

    Args:
        value: A rate, a difference of rates or another mean; or a count of rows, as a whole number.
        step: As `rounding_step` returns it.
        rows: How many a count is out of: its step is that of a rate times this number, at least 1.

    Returns:
        The nearest multiple; a count stays a whole number.
    """
    if isinstance(value, int):
        of_rows = max(1, round(step * rows))
        return round(value / of_rows) * of_rows
    return round(round(value / step) * step, 12)
