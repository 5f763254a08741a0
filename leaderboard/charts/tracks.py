"""StateBench: the trade-off between bringing back what is dead and deciding well, track by track."""

from __future__ import annotations

from leaderboard.charts.figure import Figure, Subject, irrelevant, named_dots, rate_axis
from leaderboard.charts.tradeoff import TIP
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
    dots = named_dots([(label(name), *values) for name, *values in points], role="blue", tip=TIP)
    return Figure(
        caption="Each point is a track; tracks that share a place share a label. Up is better decisions, left is "
        "fewer superseded facts that come back.",
        columns=["Track", "SFRR", "Decision accuracy"],
        rows=[list(point) for point in points],
        traces=[dots],
        layout={
            "xaxis": rate_axis("Superseded facts that resurface (SFRR)"),
            "yaxis": rate_axis("Decision accuracy"),
            "showlegend": False,
        },
    )
