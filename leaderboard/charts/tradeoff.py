"""The trade-off of a whole board: bringing back what is dead against deciding well, a point a system."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from leaderboard.charts.figure import Figure, named_dots, rate_axis

TITLE = "Resurfacing against deciding"
TIP = "SFRR %{x:.3f}, decision accuracy %{y:.3f}"
ACROSS, UP = "sfrr", "decision_accuracy"

Lines = list[tuple[str, dict[str, Any]]]  # system, its metrics


def draw(lines: Lines, *, where: str = "") -> Figure:
    """The systems of a board by their metrics; `where` names the track they are of."""
    points = [(name, figures.get(ACROSS), figures.get(UP)) for name, figures in lines]
    points = [point for point in points if point[1] is not None and point[2] is not None]
    figure = Figure(
        caption="Each point is a system; systems that share a place share a label. Up decides better, left brings "
        "fewer superseded facts back. The dotted line joins those that no other one beats in both.",
        columns=["System", "SFRR", "Decision accuracy"],
        rows=[list(point) for point in sorted(points, key=lambda point: (point[1], -point[2]))],
        traces=[_front(points), named_dots(points, role="gold", tip=TIP)],
        layout={
            "xaxis": rate_axis("Superseded facts that resurface (SFRR)"),
            "yaxis": rate_axis("Decision accuracy"),
            "showlegend": False,
            "height": 420,
        },
        empty="" if points else "No system here reports both figures.",
    )
    figure.name, figure.title = "trade-off", f"{TITLE}{f': {where}' if where else ''}"
    return figure


def _front(points: list[tuple[str, Any, Any]]) -> Any:
    best: list[tuple[float, float]] = []
    for _, across, up in sorted(points, key=lambda point: (point[1], -point[2])):
        if not best or up > best[-1][1]:
            best.append((across, up))
    x, y = [across for across, _ in best], [up for _, up in best]
    return go.Scatter(
        x=x, y=y, mode="lines", line={"shape": "hv", "dash": "dot"}, hoverinfo="skip", meta={"role": "soft"}
    )
