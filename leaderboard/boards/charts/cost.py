"""What quality costs: tokens per query against the headline, with the Pareto line of the board."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from evaluation.core.suite import Suite
from leaderboard.boards.charts.figure import (
    RATES,
    Figure,
    Subject,
    irrelevant,
    literal,
    named_dots,
    rate_axis,
)
from leaderboard.boards.labels import Canvas
from leaderboard.submissions.models import Submission
from leaderboard.submissions.services import headline_of

TITLE = "Cost against quality"
TIP = "%{y:.3f} for %{x:,.0f} tokens"
MOST_TICKS = 10  # of the axis; of more, those at twice a power of ten are left out


def draw(subject: Subject) -> Figure:
    engine = subject.version.suite
    if subject.system.kind in engine.unranked:
        return irrelevant()
    headline = headline_of(engine)
    reported = Submission.objects.on_board(subject.version).exclude(score__headline=None)
    reported = reported.exclude(system__kind__in=engine.unranked)
    columns = ("system__name", "efficiency__tokens_per_query", "score__headline", "system_id")
    points = [point for point in reported.values_list(*columns) if point[1]]
    if not points:
        return irrelevant()
    front = pareto([(cost, value) for _, cost, value, _ in points], higher=headline.better == "higher")
    ticks = _ticks([point[1] for point in points])
    return Figure(
        caption=f"Every system of this board that reports its tokens{_but(engine)}. {_about(front)} "
        "This system is highlighted.",
        columns=["System", "Tokens per query", headline.label],
        rows=[[name, cost, value] for name, cost, value, _ in sorted(points, key=lambda p: p[1])],
        traces=_traces(points, front, subject.system.pk, ticks["range"]),
        layout={
            "xaxis": {"title": {"text": "Tokens per query"}, "type": "log", **ticks},
            "yaxis": rate_axis(headline.label),
            "showlegend": False,
        },
    )


def _but(engine: Suite) -> str:
    """Whom the picture leaves out: systems whose figure is none of the headline's."""
    return "".join(f", except {unranked.title.lower()}" for unranked in engine.unranked.values())


def _about(front: Sequence[tuple[float, float]]) -> str:
    """What the line says; one point makes none."""
    if len(front) == 1:
        return "No more expensive one scores higher than the cheapest."
    return "The dotted line joins those that no cheaper one outscores; they are named where there is room."


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


def _traces(
    points: list[Any], front: list[tuple[float, float]], own: int, across: tuple[float, float]
) -> list[Any]:
    """The line, the systems off it, those on it by name, and this one with those that share its place."""
    this = sorted(
        (point for point in points if _place(point) in {_place(p) for p in points if p[3] == own}),
        key=lambda point: point[3] != own,
    )
    on_line = [point for point in points if point not in this and (point[1], point[2]) in front]
    canvas = Canvas(across, RATES, logarithmic=True)
    canvas.add_dots((cost, value) for _, cost, value, _ in points)
    canvas.add_steps(front)
    own_dots, dots_on_line = (
        named_dots([point[:3] for point in found], role=role, tip=TIP, canvas=canvas)
        for found, role in ((this, "gold"), (on_line, "soft"))  # this one's name comes first to its room
    )
    off_line = [point for point in points if point not in on_line and point not in this]
    return [_line(front), _dots(off_line), dots_on_line, own_dots]


def _place(point: Any) -> tuple[float, float]:
    return round(point[1], 4), round(point[2], 4)


def _dots(points: list[Any]) -> Any:
    return go.Scatter(
        x=[cost for _, cost, _, _ in points],
        y=[value for _, _, value, _ in points],
        text=[literal(name) for name, *_ in points],
        mode="markers",
        marker={"size": 9},
        meta={"role": "soft"},
        hovertemplate=f"%{{text}}<br>{TIP}<extra></extra>",
    )


def _ticks(costs: list[float]) -> dict[str, Any]:
    """Marks of a logarithmic axis at 1, 2 and 5 times the powers of ten, one beyond the points on either side."""
    low, high = math.floor(math.log10(min(costs))), math.ceil(math.log10(max(costs)))
    marks = [step * 10.0**power for power in range(low - 1, high + 1) for step in (1, 2, 5)]
    first = max(at for at, mark in enumerate(marks) if mark <= min(costs))
    last = min((at for at, mark in enumerate(marks) if mark >= max(costs)), default=len(marks) - 1)
    shown = marks[max(0, first - (first == last)) : last + 1 + (first == last)]
    room = 0.06 * math.log10(shown[-1] / shown[0])
    if len(shown) > MOST_TICKS:  # powers of ten and halves of them are enough over many of them
        shown = [mark for mark in shown if not f"{mark:e}".startswith("2")]
    return {
        "tickvals": shown,
        "ticktext": [f"{mark:,g}" if mark < 1 else f"{mark:,.0f}" for mark in shown],
        "range": (math.log10(shown[0]) - room, math.log10(shown[-1]) + room),
    }
