"""StateBench: the trade-off between bringing back what is dead and deciding well, track by track."""

from __future__ import annotations

from typing import Any

from evaluation.core.terminal.wording import number_of
from leaderboard.boards.charts.figure import RATES, Figure, Subject, irrelevant, named_dots, rate_axis
from leaderboard.boards.charts.tradeoff import ACROSS, TIP, UP
from leaderboard.boards.labels import Canvas
from leaderboard.submissions.score_tables import label

TITLE = "Resurfacing against deciding, by track"
Point = tuple[str, Any, Any]  # track, SFRR, decision accuracy


def draw(subject: Subject) -> Figure:
    if subject.system.kind in subject.version.suite.unranked:
        return irrelevant()  # what it "decides" in a track is what its text happens to say
    tracks: list[Point] = [
        (name, group["metrics"].get(ACROSS), group["metrics"].get(UP))
        for name, group in subject.group("track").items()
    ]
    points = [point for point in tracks if point[1] is not None and point[2] is not None]
    if not points:
        return irrelevant()
    canvas = Canvas(RATES, RATES)
    canvas.add_dots((across, up) for _, across, up in points)
    names = [(label(name), *values) for name, *values in points]
    return Figure(
        caption="Each point is a track; tracks that share a place share a label. Up is better decisions, left is "
        f"fewer superseded facts that come back.{_left_out(tracks)}",
        columns=["Track", "SFRR", "Decision accuracy"],
        rows=[list(point) for point in points],
        traces=[named_dots(names, role="blue", tip=TIP, canvas=canvas)],
        layout={
            "xaxis": rate_axis("Superseded facts that resurface (SFRR)"),
            "yaxis": rate_axis("Decision accuracy"),
            "showlegend": False,
        },
    )


def _left_out(tracks: list[Point]) -> str:
    """How many tracks have no place, and why: silence would look like all of them."""
    silent = sum(up is None for _, _, up in tracks)
    without = sum(across is None and up is not None for _, across, up in tracks)
    reasons = [
        f"{without} because no answered query there could bring a superseded fact back" if without else "",
        f"{silent} because nothing was answered there" if silent else "",
    ]
    told = ", ".join(reason for reason in reasons if reason)
    return f" Left out of {number_of(len(tracks), 'track')}: {told}." if told else ""
