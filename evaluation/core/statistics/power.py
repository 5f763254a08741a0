"""Expected precision of the metrics of a version."""

from __future__ import annotations

import math
from typing import NamedTuple

from evaluation.core.statistics.intervals import ICC_PRIOR
from evaluation.core.statistics.student import t_quantile

#: With fewer units intervals and ranks are unreliable: the version shows figures without ranks.
DIAGNOSTIC_BELOW = 40
#: Correlation of the unit means of two systems that answer the same rows, as in the simulation of docs/statistics.md.
PAIRED_CORRELATION = 0.5
POWER = 0.8
EXPECTED_RATE = 0.8
#: (units, questions of a unit at each length) for which a system that is right in .97 of the rows is shown to hold at
#: all of eight lengths in 95 of 100 versions, at an ICC of .15: docs/statistics.md, `make calibrate`.
QUESTIONS_FOR_LENGTHS = ((100, 3), (60, 4), (DIAGNOSTIC_BELOW, 12))


class Power(NamedTuple):
    """Expected precision of a rate."""

    units: int
    rows: int
    plus_minus: float  # expected half width of a 95% interval
    smallest_difference: float  # between two systems, found with power .8
    is_diagnostic: bool


def version_power(units: int, rows: int, *, icc: float = ICC_PRIOR) -> Power:
    """Expected precision of a rate in a version of this size. `icc` is the expected correlation within a unit.

    Source: the design effect of Kish, "Survey Sampling", 1965, 5.4; the sample size of a paired t test.
    """
    if units < 2 or rows < 1:
        return Power(units, rows, 1.0, 1.0, True)
    effect = 1 + (rows / units - 1) * icc
    error = math.sqrt(EXPECTED_RATE * (1 - EXPECTED_RATE) * effect / rows)
    paired = error * math.sqrt(2 * (1 - PAIRED_CORRELATION))
    df = units - 1.0
    smallest = (t_quantile(0.975, df) + t_quantile(POWER, df)) * paired
    plus_minus = t_quantile(0.975, df) * error
    return Power(units, rows, min(1.0, plus_minus), min(1.0, smallest), units < DIAGNOSTIC_BELOW)


def questions_for_lengths(units: int) -> int:
    """Number of questions per unit and length that can show that a system stays accurate at all lengths."""
    enough = (questions for least, questions in QUESTIONS_FOR_LENGTHS if units >= least)
    return next(enough, QUESTIONS_FOR_LENGTHS[-1][1])
