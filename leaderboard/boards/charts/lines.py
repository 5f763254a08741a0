"""Line chart of a rate over an ordered property of groups of rows, such as their length. It has a line per series."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from evaluation import frames
from evaluation.core.plugin import Lines, Place
from evaluation.core.records import Figures
from leaderboard.boards.charts.figure import Figure, Subject, irrelevant, rate_axis, value_of
from leaderboard.boards.charts.marks import Trace, trace
from leaderboard.submissions.scores.score_tables import NO_FIGURES

if TYPE_CHECKING:
    from pandas import DataFrame


def draw(plot: Lines, subject: Subject) -> Figure:
    """Draw each series with at least two x positions. Irrelevant if there is none, empty if no rate is reported."""
    places = list(_places(plot, subject))
    if not places:
        return irrelevant()
    groups = subject.groups(plot.grouping)
    whole = subject.score.metrics.get(plot.chance) if subject.score else None
    lines = (
        (
            series,
            x,
            *value_of(groups.get(group, NO_FIGURES), plot.rate.metric),
            _chance(groups.get(group), plot, whole),
        )
        for group, series, x in places
        if plot.gaps or group in groups
    )
    points = frames.tidy(lines, ["series", "x", "value", "low", "high", "chance"])
    if points["value"].isna().all():
        return Figure(empty=plot.empty)
    headings = {"series": plot.series, "x": plot.x, "value": plot.rate.label, "low": "Low", "high": "High"}
    if points["chance"].notna().any():
        headings["chance"] = "By chance"
    return Figure(
        caption=plot.help,
        marks=points,
        headings=headings,
        draw=lambda: _traces(plot, points),
        layout={"yaxis": rate_axis(plot.rate.title or plot.rate.label), "xaxis": _axis(plot, places)},
    )


def _chance(group: Figures | None, plot: Lines, whole: float | None) -> float | None:
    return None if group is None else group.get("metrics", {}).get(plot.chance, whole)


def _places(plot: Lines, subject: Subject) -> Iterator[Place]:
    """Groups of all series with at least two x positions. Of several groups at one position, keeps the last."""
    by_series: dict[str, dict[str | float, Place]] = {}
    for place in plot.places(subject.version.settings):
        by_series.setdefault(place.series, {})[place.x] = place
    return (place for places in by_series.values() if len(places) > 1 for place in places.values())


def _traces(plot: Lines, points: DataFrame) -> list[Trace]:
    return [
        trace(
            line,
            {"x": "x", "y": "value"},
            whiskers="y",
            tip=plot.tip.replace("{series}", series),
            mode="lines+markers",
            name=series,
        )
        for series, line in points.groupby("series", sort=False)
        if plot.gaps or line["value"].notna().any()
    ] + _chance_line(points)


def _chance_line(points: DataFrame) -> list[Trace]:
    """The mean over the series at each position, because chance differs if some series show fewer lines."""
    chance = points.dropna(subset="chance").groupby("x", sort=False)["chance"].mean().reset_index()
    if chance.empty:
        return []
    line, tip = {"dash": "dash"}, "by chance: %{y:.1%}"
    return [
        trace(chance, {"x": "x", "y": "chance"}, tip=tip, role="soft", mode="lines", line=line, name="Chance")
    ]


def _axis(plot: Lines, places: list[Place]) -> dict[str, object]:
    title: dict[str, object] = {"title": {"text": plot.x_title}}
    if not plot.numbers:
        return title
    ticks = sorted({place.x for place in places})
    return title | {"type": "log", "tickvals": ticks, "ticktext": ticks}
