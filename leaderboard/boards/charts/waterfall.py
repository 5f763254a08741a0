"""Waterfall chart of a rate: was the evidence in the context, was it chosen, was it read correctly."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from evaluation import frames
from evaluation.core.plugin import Waterfall
from evaluation.core.suite import Suite
from leaderboard.boards.charts.figure import Figure, Subject, irrelevant, rate_axis
from leaderboard.boards.charts.marks import Trace, trace

if TYPE_CHECKING:
    from pandas import DataFrame

LABEL_WIDTH = 8  # characters: length of the longest word


def draw(plot: Waterfall, subject: Subject) -> Figure:
    """Draw a bar per step of `Display.decomposition` or `own_decomposition`. Empty if the score lacks a step."""
    if subject.score is None:
        return irrelevant()
    steps = _steps(plot, subject.version.suite, subject.score.metrics)
    if not steps:
        return irrelevant()
    if any(value is None for _, value in steps):
        return Figure(empty=plot.empty)
    bars = _bars(plot, steps)
    return Figure(
        caption=plot.help,
        marks=bars,
        headings={"step": plot.of, "share": "Share"},
        draw=lambda: [_trace(bars)],
        layout={
            "yaxis": rate_axis(plot.axis),
            "xaxis": {"tickangle": 0, "tickfont": {"size": 10}},
            "showlegend": False,
            "bargap": 0.45,
        },
    )


def _steps(
    plot: Waterfall, suite: Suite, metrics: Mapping[str, float | None]
) -> list[tuple[str, float | None]]:
    return suite.display.own_decomposition(metrics) if plot.own else suite.display.decomposition(metrics)


def _bars(plot: Waterfall, steps: list[tuple[str, Any]]) -> DataFrame:
    """Bars of the waterfall: the steps, the answers that are right although a step failed, and the overall rate."""
    *falling, (last, overall) = steps
    read = falling[-1][1]
    lines = [
        *((step, share, 0.0, "blue") for step, share in falling),
        (plot.rest, max(0.0, overall - read), read, "soft"),
        (last, overall, 0.0, "gold"),
    ]
    return frames.tidy(lines, ["step", "share", "base", "role"])


def _trace(bars: DataFrame) -> Trace:
    return trace(
        bars.assign(label=bars["step"].map(_wrapped), text=bars["share"].map("{:.1%}".format)),
        {"x": "label", "y": "share", "base": "base", "text": "text"},
        role=list(bars["role"]),
        tip="%{x}: %{text}",
        type="bar",
        textposition="outside",
        cliponaxis=False,
    )


def _wrapped(label: str) -> str:
    """Break a label into short lines, so that all labels fit side by side on a phone."""
    return "<br>".join(wrap(label, LABEL_WIDTH))
