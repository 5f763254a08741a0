"""The figures of a report as a tidy DataFrame: one line a figure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from evaluation.core.report import Report
from evaluation.frames.schema import METRICS
from evaluation.frames.typed import frame_of

#: The grouping and the group of what is over the whole report.
ALL = "all"


def metrics_frame(report: Report) -> pd.DataFrame:
    """Every figure of a report with its interval, of the whole and of every group.

    Args:
        report: What a suite's `grade` returns.

    Returns:
        The DataFrame `schema.METRICS`; rates lie in [0, 1]. Of one grouping,
        `frame.pivot(index="group", columns="metric", values="value")` is the table.
    """
    return frame_of(_lines(report), METRICS)


def _lines(report: Report) -> Iterator[dict[str, Any]]:
    yield from _of_group(ALL, ALL, {"metrics": report.metrics, "intervals": report.intervals})
    for grouping, groups in report.groups.items():
        for group, figures in groups.items():
            yield from _of_group(grouping, group, figures)


def _of_group(grouping: str, group: str, figures: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    intervals = figures.get("intervals") or {}
    for name, value in figures["metrics"].items():
        low, high = intervals.get(name) or (None, None)
        place = {"grouping": grouping, "group": group, "metric": name}
        yield place | {"value": value, "low": low, "high": high}
