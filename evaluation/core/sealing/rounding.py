"""To which step a figure of a sealed version is rounded: no finer than its interval can tell apart.

A rate that is told to the last row tells how many rows changed between two uploads, and so which guesses were right.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

#: A step is 1, 2 or 5 of some decimal place, as readers count.
NICE = (5.0, 2.0, 1.0)
#: Of a rate: a coarser step would leave 0 and 1.
COARSEST = 0.5
#: A figure over fewer rows is not shown: a step of its interval would still tell single rows.
LEAST_ROWS = 50


def rounding_step(half_width: float) -> float:
    """The step to which a figure is rounded whose 95% interval has this half width.

    Args:
        half_width: Of the interval, in the unit of the figure.

    Returns:
        The largest of … 1, .5, .2, .1, .05, .02, .01 … that is at most the half width: rounding moves a figure by half
        of it at most.
    """
    allowed = max(half_width, 1e-6)
    place = 10.0 ** math.floor(math.log10(allowed) + 1e-9)
    return next(round(nice * place, 12) for nice in NICE if nice * place <= allowed * (1 + 1e-9))


@lru_cache(maxsize=4096)
def expected_step(units: int, rows: int) -> float:
    """The step of a rate over so many rows, before anything is known of it.

    Args:
        units: How many units are drawn independently in the whole version.
        rows: How many rows the rate is over.

    Returns:
        The step of the half width that its interval is expected to have, from 0 to `COARSEST`.
    """
    from evaluation.core.statistics.power import version_power  # numpy is behind it, which help does without

    return min(COARSEST, rounding_step(version_power(min(units, rows), rows).plus_minus))


def own_step(units: int, rows: float | None, ends: Sequence[float] | None, *, at_least: float) -> float:
    """The step of one figure: no finer than its rows allow, nor than its own interval.

    The interval alone would not do: near 0 and 1 it is narrow, and a fine step there tells a guesser each right row.

    Args:
        units: How many units are drawn independently in the whole version.
        rows: How many rows the figure is over; None where that is not known.
        ends: Its 95% interval; None without one.
        at_least: The step of the version's headline.
    """
    by_rows = 0.0 if rows is None else expected_step(units, int(rows))
    own = (ends[1] - ends[0]) / 2 if ends else 0.0
    return max(at_least, by_rows, rounding_step(own) if own > 0 else 0.0)


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


def rounded_number(value: float, step: float) -> float:
    """A figure of any kind on the grid of the step.

    Args:
        value: A rate, a difference of rates or another mean.
        step: As `rounding_step` returns it.

    Returns:
        The nearest multiple.
    """
    return round(round(value / step) * step, 12)
