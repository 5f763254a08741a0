"""The decomposition of a suite: was the evidence there, was it chosen, was it read."""

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

LABEL_WIDTH = 8  # characters: the longest word


def draw(plot: Waterfall, subject: Subject) -> Figure:
    """The steps of `Display.decomposition`, or of the system's own retrieval.

    Args:
        plot: What the suite declares: its words for the axis, for what comes back at the end, and for a score
            that lacks a step.
        subject: The system, the version and the submission.

    Returns:
        A bar a step. An irrelevant figure before the grading and where the suite has no steps; where the score does not
        report all of them, a figure that says so.
    """
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
    """The falling steps, what comes back on top of the last of them, and their sum."""
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
    """A label in short lines, so that all of them fit beside each other on a phone."""
    return "<br>".join(wrap(label, LABEL_WIDTH))
