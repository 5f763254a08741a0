"""The trade-off of a whole board: bringing back what is dead against deciding well, a point a system."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from evaluation.core.terminal.wording import noun, number_of
from leaderboard.boards.charts.figure import RATES, Figure, named_dots, rate_axis
from leaderboard.boards.labels import Canvas

TITLE = "Resurfacing against deciding"
TIP = "SFRR %{x:.3f}, decision accuracy %{y:.3f}"
ACROSS, UP = "sfrr", "decision_accuracy"

Point = tuple[str, Any, Any]  # system, SFRR, decision accuracy
Lines = list[tuple[str, dict[str, Any]]]  # system, its metrics


def draw(lines: Lines, *, where: str = "", empty: str = "No system here reports both figures.") -> Figure:
    """The systems of a board by their metrics; `where` names the track they are of, `empty` why there are none."""
    points = [
        (name, across, up)
        for name, figures in lines
        if (across := figures.get(ACROSS)) is not None and (up := figures.get(UP)) is not None
    ]
    front = _front(points)
    if not points:
        return Figure(empty=empty, name="trade-off", title=_title(where))
    figure = Figure(
        caption="Each point is a system; systems that share a place share a label. Up decides better, left brings "
        f"fewer superseded facts back.{_about(front)}{_left_out(len(lines) - len(points), len(lines))}",
        columns=["System", "SFRR", "Decision accuracy"],
        rows=[list(point) for point in sorted(points, key=lambda point: (point[1], -point[2]))],
        traces=_traces(points, front),
        layout={
            "xaxis": rate_axis("Superseded facts that resurface (SFRR)"),
            "yaxis": rate_axis("Decision accuracy"),
            "showlegend": False,
            "height": 420,
        },
    )
    figure.name, figure.title = "trade-off", _title(where)
    return figure


def _title(where: str) -> str:
    return f"{TITLE}: {where}" if where else TITLE


def _about(front: list[tuple[float, float]]) -> str:
    """What the line says; one point makes none."""
    return " The dotted line joins those that no other one outdoes in both." if len(front) > 1 else ""


def _left_out(count: int, of: int) -> str:
    have = noun(count, "does not have", "do not have")
    return (
        f" Left out: {count} of {number_of(of, 'system')}, which {have} both figures here." if count else ""
    )


def _front(points: list[Point]) -> list[tuple[float, float]]:
    """The places that no other one beats in both figures, from left to right."""
    best: list[tuple[float, float]] = []
    for _, across, up in sorted(points, key=lambda point: (point[1], -point[2])):
        if not best or up > best[-1][1]:
            best.append((across, up))
    return best


def _traces(points: list[Point], front: list[tuple[float, float]]) -> list[Any]:
    canvas = Canvas(RATES, RATES)
    canvas.add_dots((across, up) for _, across, up in points)
    canvas.add_steps(front)
    x, y = [across for across, _ in front], [up for _, up in front]
    line = go.Scatter(
        x=x, y=y, mode="lines", line={"shape": "hv", "dash": "dot"}, hoverinfo="skip", meta={"role": "soft"}
    )
    return [line, named_dots(points, role="gold", tip=TIP, canvas=canvas)]
