"""What quality costs: tokens per query against the headline, with the Pareto line of the board."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from leaderboard.charts.figure import Figure, Subject, irrelevant, rate_axis
from leaderboard.models import Submission
from leaderboard.submissions import headline_of

TITLE = "Cost against quality"


def draw(subject: Subject) -> Figure:
    headline = headline_of(subject.version.benchmark.engine)
    shown = Submission.objects.on_board(subject.version).select_related("system", "score")
    points = [
        (s.system.name, s.efficiency.get("tokens_per_query"), s.score.headline, s.system_id)
        for s in shown
        if s.score and s.score.headline is not None
    ]
    points = [point for point in points if point[1]]
    if not points:
        return irrelevant()
    front = pareto([(cost, value) for _, cost, value, _ in points], higher=headline.better == "higher")
    return Figure(
        caption="Every system of this board that reports its tokens. The line joins those that no cheaper one beats.",
        columns=["System", "Tokens per query", headline.label],
        rows=[[name, cost, value] for name, cost, value, _ in sorted(points, key=lambda p: p[1])],
        traces=[_line(front), _others(points, subject.system.pk), _this(points, subject.system.pk)],
        layout={
            "xaxis": {"title": {"text": "Tokens per query"}, "type": "log"},
            "yaxis": rate_axis(headline.label),
            "showlegend": False,
        },
    )


def pareto(points: list[tuple[float, float]], *, higher: bool) -> list[tuple[float, float]]:
    """The points that no cheaper point equals or beats, cheapest first."""
    sign = 1 if higher else -1
    front: list[tuple[float, float]] = []
    for cost, value in sorted(points, key=lambda point: (point[0], -sign * point[1])):
        if not front or sign * value > sign * front[-1][1]:
            front.append((cost, value))
    return front


def _line(front: list[tuple[float, float]]) -> Any:
    x, y = [cost for cost, _ in front], [value for _, value in front]
    return go.Scatter(
        x=x, y=y, mode="lines", line={"shape": "hv", "dash": "dot"}, hoverinfo="skip", meta={"role": "soft"}
    )


def _others(points: list[Any], own: int) -> Any:
    return _dots([point for point in points if point[3] != own], role="soft")


def _this(points: list[Any], own: int) -> Any:
    return _dots([point for point in points if point[3] == own], role="gold")


def _dots(points: list[Any], *, role: str) -> Any:
    return go.Scatter(
        x=[cost for _, cost, _, _ in points],
        y=[value for _, _, value, _ in points],
        text=[name for name, *_ in points],
        mode="markers",
        marker={"size": 9},
        meta={"role": role},
        hovertemplate="%{text}: %{y:.3f} for %{x:,.0f} tokens<extra></extra>",
    )
