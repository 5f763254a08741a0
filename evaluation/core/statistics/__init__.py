"""Intervals, differences and ranks from sums by unit, for designs with units and strata and for many systems."""

from evaluation.core.statistics.composite import Parts, smooth_limits, spread_limits, worst_limits
from evaluation.core.statistics.design import CONFIDENCE, FloatArray, Linearized, UnitSums, linearized, rates
from evaluation.core.statistics.intervals import (
    ICC_PRIOR,
    Interval,
    Limits,
    Verdict,
    judge,
    mean_limits,
    rate_intervals,
    rate_limits,
    rates_with_intervals,
)
from evaluation.core.statistics.lengths import KEEP, LengthFigures, area_weights, length_figures
from evaluation.core.statistics.power import Power, version_power
from evaluation.core.statistics.ranks import (
    RANKING,
    Board,
    Contrast,
    adjusted_difference,
    among,
    board,
    composite_contrast,
    is_above,
    paired_contrast,
)
from evaluation.core.statistics.repeats import (
    RepeatedRate,
    few_repeats,
    mean_of_repeats,
    repeated_rate,
    run_variance,
    widened,
)
from evaluation.core.statistics.student import t_quantile
from evaluation.core.statistics.worst import worst_contrast, worst_with_interval

#: Raised whenever an interval, a difference or a gate may change. 1 was the percentile bootstrap; 2 covered only .92
#: where few units hold all errors, and too much where units are few; 3 merged all strata if any had a single unit, and
#: took StateBench's timelines for units.
VERSION = 4

__all__ = [
    "CONFIDENCE",
    "ICC_PRIOR",
    "KEEP",
    "RANKING",
    "VERSION",
    "Board",
    "Contrast",
    "FloatArray",
    "Interval",
    "LengthFigures",
    "Limits",
    "Linearized",
    "Parts",
    "Power",
    "RepeatedRate",
    "UnitSums",
    "Verdict",
    "adjusted_difference",
    "among",
    "area_weights",
    "board",
    "composite_contrast",
    "few_repeats",
    "is_above",
    "judge",
    "length_figures",
    "linearized",
    "mean_limits",
    "mean_of_repeats",
    "paired_contrast",
    "rate_intervals",
    "rate_limits",
    "rates",
    "rates_with_intervals",
    "repeated_rate",
    "run_variance",
    "smooth_limits",
    "spread_limits",
    "t_quantile",
    "version_power",
    "widened",
    "worst_contrast",
    "worst_limits",
    "worst_with_interval",
]
