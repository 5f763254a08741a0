"""Was the evidence there, was it chosen, was it read: the decomposition as a waterfall over candidate rows."""

from __future__ import annotations

from textwrap import wrap

import plotly.graph_objects as go

from leaderboard.boards.charts.figure import Figure, Subject, irrelevant, rate_axis

TITLE = "Where answers are lost, on candidate rows"
OTHERWISE = "Right, not chosen"
LABEL_WIDTH = 8  # characters: the longest word


def draw(subject: Subject) -> Figure:
    if subject.score is None:
        return irrelevant()
    steps = subject.version.suite.decomposition(subject.score.metrics)
    if not steps:
        return irrelevant()
    known = [(label, value) for label, value in steps if value is not None]
    if len(known) < len(steps):
        return Figure(
            empty="The decomposition needs predictions for candidate conditions, and none were uploaded."
        )
    (last, overall), falling = known[-1], known[:-1]
    gained = max(0.0, overall - falling[-1][1])
    bars = [*falling, (OTHERWISE, gained), (last, overall)]
    return Figure(
        caption="Shares of all candidate rows. Each blue bar is a part of the one before: the gold line is shown, it "
        "is the first citation too, and the value is right too. The grey one adds answers that are right although the "
        "gold line is not their first citation; together they are the values that are right.",
        columns=["Of the candidate rows", "Share"],
        rows=[[label, value] for label, value in bars],
        traces=[_bars(bars, [*(0.0 for _ in falling), falling[-1][1], 0.0])],
        layout={
            "yaxis": rate_axis("Share of candidate rows"),
            "xaxis": {"tickangle": 0, "tickfont": {"size": 10}},
            "showlegend": False,
            "bargap": 0.45,
        },
    )


def _bars(bars: list[tuple[str, float]], bases: list[float]) -> go.Bar:
    """The falling steps, what comes back on top of the last of them, and their sum."""
    return go.Bar(
        x=[_wrapped(label) for label, _ in bars],
        y=[value for _, value in bars],
        base=bases,
        text=[f"{value:.3f}" for _, value in bars],
        textposition="outside",
        cliponaxis=False,
        meta={"role": [*("blue" for _ in bars[:-2]), "soft", "gold"]},
        hovertemplate="%{x}: %{text}<extra></extra>",
    )


def _wrapped(label: str) -> str:
    """A label in short lines, so that all of them fit beside each other on a phone."""
    return "<br>".join(wrap(label, LABEL_WIDTH))
