"""Chart of the tokens per query against the headline, with the Pareto line of the systems of a board."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypedDict

from evaluation import frames
from evaluation.core.suite import Suite
from leaderboard.boards.charts.figure import RATES, Figure, Subject, irrelevant, rate_axis
from leaderboard.boards.charts.marks import (
    Trace,
    front,
    leading_to,
    literal,
    named_dots,
    pairs,
    reference_dots,
    rounded,
    steps,
    trace,
)
from leaderboard.boards.labels import Canvas
from leaderboard.submissions.models import Submission

if TYPE_CHECKING:
    from pandas import DataFrame

TITLE = "Cost against quality"
TIP = "%{y:.1%} for %{x:,.0f} tokens"
MOST_TICKS = 10  # of the axis; with more, ticks at twice a power of ten are dropped


def draw(subject: Subject) -> Figure:
    engine = subject.version.suite
    if subject.system.kind in engine.unranked:
        return irrelevant()
    headline = subject.version.headline
    reported = Submission.objects.on_board(subject.version).exclude(score__headline=None)
    reported = reported.exclude(system__kind__in=engine.unranked)
    columns = (
        "system__name",
        "efficiency__tokens_per_query",
        "score__headline",
        "system_id",
        "system__reference",
    )
    points = frames.tidy(
        (point for point in reported.values_list(*columns) if point[1]),
        ["name", "x", "y", "system", "reference"],
    )
    if points.empty:
        return irrelevant()
    line = front(points[points["reference"] == ""], across="lower", up=headline.better)
    ticks = axis_ticks(points["x"].tolist())
    return Figure(
        caption=f"Every system of this board that reports its tokens{_but(engine)}. {_about(line)}"
        f"{_about_references(points)} This system is highlighted.",
        marks=points.sort_values("x", kind="stable"),
        headings={"name": "System"}
        | ({"reference": "Reference"} if (points["reference"] != "").any() else {})
        | {"x": "Tokens per query", "y": headline.label},
        draw=lambda: _traces(points, line, subject.system.pk, ticks["range"]),
        layout=layout(ticks, headline.label),
    )


class Ticks(TypedDict):
    """Plotly's attributes for the ticks of a logarithmic axis."""

    tickvals: list[float]
    ticktext: list[str]
    range: tuple[float, float]  # powers of ten


def layout(ticks: Ticks, figure: str) -> dict[str, object]:
    """Plotly layout of a chart of costs; `figure` is the title of the y axis."""
    return {
        "xaxis": {"title": {"text": "Tokens per query"}, "type": "log", **ticks},
        "yaxis": rate_axis(figure),
        "showlegend": False,
    }


def _but(engine: Suite) -> str:
    """Clause that excludes the tables of systems without a headline, such as ", except those under “Memories”"."""
    titles = dict.fromkeys(unranked.title for unranked in engine.unranked.values())
    return "".join(f", except those under “{title}”" for title in titles)


def _about_references(points: DataFrame) -> str:
    return (
        " Rings are reference systems, which the line leaves out."
        if (points["reference"] != "").any()
        else ""
    )


def _about(line: DataFrame) -> str:
    if line.empty:
        return "No system is ranked on this board yet."
    if len(line) == 1:
        return "No more expensive system scores higher than the cheapest."
    return (
        "The dotted line joins the systems that no cheaper system outscores; names are shown where they fit."
    )


def _traces(points: DataFrame, line: DataFrame, own: int, across: tuple[float, float]) -> list[Trace]:
    places = points.assign(place=pairs(points), dot=pairs(rounded(points)))
    is_here = places["dot"].isin(places.loc[points["system"] == own, "dot"])
    is_here &= (points["reference"] == "") | (points["system"] == own)
    bounds = (points["reference"] != "") & ~is_here
    on_line = places["place"].isin(pairs(line)) & ~is_here & ~bounds
    canvas = Canvas(across, RATES, logarithmic=True)
    canvas.add_dots(pairs(points))
    canvas.add_steps(pairs(line))
    this = points[is_here].sort_values("system", key=lambda systems: systems != own, kind="stable")
    # before the others: its name gets the free room first
    own_dots = named_dots(this, role="gold", tip=TIP, canvas=canvas)
    rings = [reference_dots(points[bounds], tip=TIP, canvas=canvas)] if bounds.any() else []
    dots_on_line = named_dots(points[on_line], role="soft", tip=TIP, canvas=canvas)
    return [
        steps(line, shape="hv"),
        dots(points[~is_here & ~on_line & ~bounds]),
        *rings,
        dots_on_line,
        own_dots,
    ]


def dots(points: DataFrame, tip: str = TIP) -> Trace:
    """Trace of points of systems, named only in tooltips. `points` has `name`, `x`, `y` and optionally `url`."""
    return trace(
        points.assign(text=points["name"].map(literal)),
        {"x": "x", "y": "y", "text": "text"},
        role="soft",
        tip=f"%{{text}}<br>{tip}",
        mode="markers",
        marker={"size": 9},
        **(leading_to(points["url"]) if "url" in points else {}),
    )


def axis_ticks(costs: list[float]) -> Ticks:
    """Ticks at 1, 2 and 5 times powers of ten that enclose the costs, all of which must be above 0."""
    low, high = math.floor(math.log10(min(costs))), math.ceil(math.log10(max(costs)))
    marks = [step * 10.0**power for power in range(low - 1, high + 1) for step in (1, 2, 5)]
    first = max(at for at, mark in enumerate(marks) if mark <= min(costs))
    last = min((at for at, mark in enumerate(marks) if mark >= max(costs)), default=len(marks) - 1)
    shown = marks[max(0, first - (first == last)) : last + 1 + (first == last)]
    room = 0.06 * math.log10(shown[-1] / shown[0])
    if len(shown) > MOST_TICKS:  # over many decades, 1 and 5 times a power of ten are enough
        shown = [mark for mark in shown if not f"{mark:e}".startswith("2")]
    return {
        "tickvals": shown,
        "ticktext": [f"{mark:,g}" if mark < 1 else f"{mark:,.0f}" for mark in shown],
        "range": (math.log10(shown[0]) - room, math.log10(shown[-1]) + room),
    }
