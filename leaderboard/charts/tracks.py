"""StateBench: the trade-off between bringing back what is dead and deciding well, track by track."""

from __future__ import annotations

import plotly.graph_objects as go

from leaderboard.charts.figure import Figure, Subject, irrelevant, rate_axis
from leaderboard.scorecards import label

TITLE = "Resurfacing against deciding, by track"


def draw(subject: Subject) -> Figure:
    tracks = subject.group("track")
    points = [
        (name, group["metrics"].get("sfrr"), group["metrics"].get("decision_accuracy"))
        for name, group in tracks.items()
    ]
    points = [point for point in points if point[1] is not None and point[2] is not None]
    if not points:
        return irrelevant()
    trace = go.Scatter(
        x=[sfrr for _, sfrr, _ in points],
        y=[accuracy for *_, accuracy in points],
        text=[label(name) for name, *_ in points],
        mode="markers+text",
        textposition="top center",
        hovertemplate="%{text}: SFRR %{x:.3f}, decision accuracy %{y:.3f}<extra></extra>",
    )
    return Figure(
        caption="Each point is a track. Up is better decisions, left is fewer superseded facts that come back.",
        columns=["Track", "SFRR", "Decision accuracy"],
        rows=[list(point) for point in points],
        traces=[trace],
        layout={
            "xaxis": rate_axis("Superseded facts that resurface (SFRR)"),
            "yaxis": rate_axis("Decision accuracy"),
            "showlegend": False,
        },
    )
