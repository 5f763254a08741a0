"""A forest plot: how far each contender is from the first, figure by figure."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from leaderboard.boards.charts.figure import Figure, literal, whiskers
from leaderboard.boards.comparison.comparison import Cell, Comparison, Line

TITLE = "Differences"
#: Pixels of a point, a line of points and the rest of the picture; free space beside the outermost whiskers.
PER_POINT, PER_LINE, FRAME, MARGIN = 14, 14, 110, 0.06
LEAST = 320  # pixels of the whole picture


def draw(comparison: Comparison) -> Figure:
    """The rates of which differences can be paired; the page's table has the other figures."""
    lines = [line for line in comparison.paired if line.column.format == "ratio"]
    first, others = comparison.contenders[0], comparison.contenders[1:]
    traces = [
        _trace(f"{each.letter} {each.submission.system.name}", [(line, line.cells[at]) for line in lines])
        for at, each in enumerate(others, 1)
    ]
    figure = Figure(
        caption=f"Each point is a difference from A, {first.submission.system.name}, with its 95% interval "
        f"from a paired bootstrap over {comparison.suite.unit}s, adjusted for no other. An arrow down marks figures of "
        "which less is better.",
        columns=["Figure", "Contender", "Difference from A", "Low", "High", "p"],
        rows=[
            [line.column.label, each.letter, cell.difference.value, *(cell.range or (None, None)), cell.p]
            for line in lines
            for each, cell in zip(others, line.cells[1:], strict=True)
            if cell.difference
        ],
        traces=traces,
        layout=_layout(lines, len(others)),
        empty="" if lines else "No figure of these submissions can be paired.",
    )
    figure.name, figure.title = "differences", TITLE
    return figure


def _trace(name: str, points: list[tuple[Line, Cell]]) -> Any:
    known = [(line, cell.difference) for line, cell in points if cell.difference]
    values = [difference.value for _, difference in known]
    return go.Scatter(
        x=values,
        y=[_label(line) for line, _ in known],
        error_x=whiskers(values, [cell.range for _, cell in points if cell.difference]),
        customdata=[_range(cell) for _, cell in points if cell.difference],
        mode="markers",
        orientation="h",
        marker={"size": 8},
        name=literal(name),
        hovertemplate="%{y}: %{x:+.3f} (%{customdata})<extra></extra>",
    )


def _range(cell: Cell) -> str:
    """The interval of a difference in words, and whether its units are too few for it."""
    between = f"{cell.range[0]:+.3f} to {cell.range[1]:+.3f}" if cell.range else "no interval"
    return f"{between}, few" if cell.verdict == "few" else between


def _label(line: Line) -> str:
    return f"{line.column.label} ↓" if line.column.better == "lower" else line.column.label


def _layout(lines: list[Line], contenders: int) -> dict[str, Any]:
    found = [cell.difference for line in lines for cell in line.cells if cell.difference]
    low, high = min((each.low for each in found), default=0), max((each.high for each in found), default=0)
    low, high = min(low, 0.0), max(high, 0.0)  # zero is always in the picture
    room = MARGIN * (high - low) or MARGIN
    return {
        "xaxis": {
            "title": {"text": "Difference from A"},
            "range": [low - room, high + room],
            "zeroline": True,
            "zerolinewidth": 1.5,
            "tickformat": "+.2~f",
        },
        "yaxis": {"autorange": "reversed", "automargin": True},
        "scattermode": "group",
        "scattergap": 0.4,
        "showlegend": contenders > 1,
        "height": max(LEAST, FRAME + (PER_LINE + PER_POINT * contenders) * len(lines)),
    }
