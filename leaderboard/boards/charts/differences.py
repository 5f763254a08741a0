"""Chart of the differences between submissions, metric by metric: each contender minus the first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation import frames
from evaluation.core.statistics import Contrast
from evaluation.core.suite import Column
from leaderboard.boards.charts.figure import Figure
from leaderboard.boards.charts.marks import Trace, literal, trace
from leaderboard.boards.comparison.comparison import Cell, Comparison

if TYPE_CHECKING:
    from pandas import DataFrame

TITLE = "Differences"
#: Pixels of a point, a line of points and the frame; share of free space beside the outermost whiskers.
PER_POINT, PER_LINE, FRAME, MARGIN = 14, 14, 110, 0.06
LEAST = 320  # pixels of the whole chart
HEADINGS = {
    "figure": "Figure",
    "letter": "Contender",
    "difference": "Difference from A",
    "low": "Low",
    "high": "High",
    "p": "p",
}


def draw(comparison: Comparison) -> Figure:
    """Draw the paired differences of all rates. Other metrics are only in the table of the page."""
    first, *others = comparison.contenders
    points, version = _points(comparison), comparison.version
    unit = version.drawn.unit
    made = "from the shown figures and their intervals" if version.shown_step else f"paired by {unit}"
    figure = Figure(
        caption=f"Each point is a difference from A, {first.submission.system.name}, with its 95% interval "
        f"{made}, not adjusted for multiple comparisons. An arrow down marks a figure where "
        "lower is better.",
        marks=points,
        headings=HEADINGS,
        draw=lambda: [
            _trace(f"{each.letter} {each.submission.system.name}", points[points["letter"] == each.letter])
            for each in others
        ],
        layout=_layout(points, len(others)),
        empty="No figure of these submissions has a paired difference." if points.empty else "",
    )
    figure.name, figure.title = "differences", TITLE
    return figure


def _points(comparison: Comparison) -> DataFrame:
    lines = (
        [line.column.label, _label(line.column), each.letter, *_figures(cell, cell.difference)]
        for line in comparison.paired
        if line.column.format == "ratio"
        for each, cell in zip(comparison.contenders, line.cells, strict=True)
        if cell.difference
    )
    return frames.tidy(lines, ["figure", "label", "letter", "difference", "low", "high", "p", "range"])


def _figures(cell: Cell, difference: Contrast) -> list[Any]:
    low, high = cell.range or (None, None)
    return [difference.value, low, high, cell.p, _range(cell)]


def _trace(name: str, points: DataFrame) -> Trace:
    return trace(
        points,
        {"x": "difference", "y": "label", "customdata": "range"},
        whiskers="x",
        tip="%{y}: %{x:+.1%} (%{customdata})",
        mode="markers",
        orientation="h",
        marker={"size": 8},
        name=literal(name),
    )


def _range(cell: Cell) -> str:
    return f"{cell.range[0]:+.1%} to {cell.range[1]:+.1%}" if cell.range else "no interval"


def _label(column: Column) -> str:
    return f"{column.label} ↓" if column.better == "lower" else column.label


def _layout(points: DataFrame, contenders: int) -> dict[str, object]:
    ends = [float(end) for name in ("low", "high") for end in points[name].fillna(points["difference"])]
    low, high = min([0.0, *ends]), max([0.0, *ends])  # zero must be visible: it means "no difference"
    room = MARGIN * (high - low) or MARGIN
    return {
        "xaxis": {
            "title": {"text": "Difference from A"},
            "range": [low - room, high + room],
            "zeroline": True,
            "zerolinewidth": 1.5,
            "tickformat": "+.0%",
        },
        "yaxis": {"autorange": "reversed", "automargin": True},
        "scattermode": "group",
        "scattergap": 0.4,
        "showlegend": contenders > 1,
        "height": max(LEAST, FRAME + (PER_LINE + PER_POINT * contenders) * points["label"].nunique()),
    }
