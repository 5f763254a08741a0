"""Intervals of what attackers reach in these very rows: those over units say less where a unit's rows are copies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from evaluation.core.report import Report
from evaluation.core.statistics import ICC_PRIOR, rates_with_intervals
from evaluation.core.suite import Suite, unit_icc_of


def by_rows(suite: Suite, report: Report, metrics: Iterable[str]) -> Report:
    """The report of an attacker with the intervals by which it is judged.

    Args:
        suite: Whose rows were answered.
        report: What the attacker reaches.
        metrics: Those that it is measured by; rates.

    Returns:
        The report as it is where rows of a unit are no copies; else with intervals as if each row were drawn by itself.
    """
    if unit_icc_of(suite) <= ICC_PRIOR:
        return report
    intervals = dict(report.intervals)
    for name in metrics:
        if (sums := report.sums.get(name)) is not None:
            right, rows = sums.sums.reshape(-1, 2).sum(axis=0)
            table = np.zeros((round(rows), 2))
            table[:, 1], table[: round(right), 0] = 1, 1
            [(_, intervals[name])] = rates_with_intervals([table])
    return replace(report, intervals=intervals)
