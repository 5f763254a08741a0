"""The difference of two figures of a version that keeps its answers: from what it shows of both, and nothing else.

The paired test of two uploads that differ in one row would say whether this row is right, and a difference to one of
many reference systems is a threshold on the exact figure. Shown figures and intervals tell nothing new.
"""

from __future__ import annotations

import math
from statistics import NormalDist

from evaluation.core.sealing.rounding import rounded_interval
from evaluation.core.statistics import CONFIDENCE, Contrast
from leaderboard.benchmarks.models import Version
from leaderboard.submissions.scores.score_tables import Interval

#: To what a p is rounded up: what is decided at the 5% level stays so.
P_STEP = 0.05
Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


def shown_difference(gap: float, first: Interval, other: Interval, step: float) -> Contrast | None:
    """How far a shown figure is from another, as if the two were independent.

    Paired systems agree on many rows, so that this interval is wider than a paired one: it claims less.

    Args:
        gap: The other figure minus the first.
        first: The shown interval of the first; None without one.
        other: That of the other.
        step: Of the grid, on which the interval is rounded outward.

    Returns:
        The difference with its interval, whose half width is the root of both squared half widths, and its p; None
        where not both figures have an interval.
    """
    if first is None or other is None:
        return None
    half = math.hypot(first[1] - first[0], other[1] - other[0]) / 2
    low, high = rounded_interval(gap - half, gap + half, step)
    p = 2 * (1 - NormalDist().cdf(abs(gap) * Z / half))
    is_level = low <= 0 <= high  # rounded outward it may hold 0, whatever p is
    least = 2 * P_STEP if is_level else P_STEP
    return Contrast(gap, low, high, max(least, rounded_interval(0.0, p, P_STEP)[1]), units=0, df=math.inf)


def refusal(version: Version) -> str:
    """Why two uploads that were not declared are not compared, and what to do instead.

    Args:
        version: That both answer, and that keeps its answers.
    """
    twin = version.public_twin
    where = (
        f" Its public twin {twin.benchmark.slug}/{twin.slug} compares any two, row by row." if twin else ""
    )
    return (
        f"{version} keeps its answers, and these uploads were not declared as entries: each shows its headline alone, "
        f"and none is set against another. Compare one of them with a declared entry or a reference system.{where}"
    )
