"""Charts of a property of systems, such as their cost, against the headline, with the Pareto front.

A sentence says how many neighbours on the front differ significantly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from evaluation import frames
from evaluation.core.terminal.wording import noun, number_of
from leaderboard.boards.charts.cost import axis_ticks, dots
from leaderboard.boards.charts.figure import RATES, Figure, irrelevant, rate_axis
from leaderboard.boards.charts.marks import Trace, front, named_dots, pairs, reference_dots, steps
from leaderboard.boards.figures.data import BoardSystem, FiguresBoard
from leaderboard.boards.figures.words import EMPTY_BOARD, about_shown
from leaderboard.boards.labels import Canvas
from leaderboard.boards.placements import ranking
from leaderboard.boards.placements.ranking import Placement

if TYPE_CHECKING:
    from pandas import DataFrame

#: Points of a chart beside those on the front: more would overlap and slow the browser down.
MOST_POINTS = 150
MOST_ROWS = 30  # of the table
COLUMNS = ["name", "short", "reference", "x", "y", "low", "high", "place"]


@dataclass(frozen=True, slots=True)
class Axis:
    """The property on the x axis. Its values are above 0, and smaller values (or earlier days) are better."""

    value: Callable[[BoardSystem], float | None]
    heading: str  # "Tokens per query"
    tip: str  # Plotly's template after a name
    reports: str  # the property in a sentence: "its tokens per query"
    amount: Callable[[float], str]  # "1,240 a query"
    within: str  # "with as many tokens or fewer"
    less: str  # "takes fewer tokens"
    least: int = 0  # systems that must report it for the chart to be shown
    #: Plotly's settings of the axis, with its range, from the values of all points.
    ticks: Callable[[list[float]], Mapping[str, Any]] = lambda values: {"type": "log", **axis_ticks(values)}
    logarithmic: bool = True
    said: Callable[[float], str] | None = None  # text of a value in the table; None: the number


def draw(board: FiguresBoard, axis: Axis) -> Figure:
    """Draw the chart. Empty if no system reports the property, irrelevant if fewer than `axis.least` systems do."""
    points, bounds = _points(board, axis, board.systems), _points(board, axis, board.references)
    if len(points) < axis.least:
        return irrelevant()
    if points.empty and bounds.empty:
        return Figure(empty=_why_empty(board, axis))
    headline = board.headline
    line = front(points, across="lower", up=headline.better)
    is_on = points["place"].isin(line["place"])
    shown = _leading(points[is_on | (points["place"] < MOST_POINTS)], board.systems)
    rings = _leading(bounds, board.references)
    first = _leading(_joined(points[is_on], points[~is_on])[:MOST_ROWS], board.systems)
    return Figure(
        sentence=_sentence(board, axis, line, points),
        caption=f"{axis.heading} against “{headline.label}”, {_over(board)}.{_left_out(board, points)}"
        f"{_about_references(bounds)}{about_shown(len(shown), len(points))}",
        marks=_with_texts(_joined(first, rings), axis),
        headings={"name": "System"}
        | ({"reference": "Reference"} if len(bounds) else {})
        | {"text" if axis.said else "x": axis.heading, "y": headline.label, "low": "Low", "high": "High"},
        links={"name": "url"},
        table="The Pareto front and the first systems on the board as a table"
        if len(shown) > MOST_ROWS
        else "",
        whole=lambda: _joined(points.assign(on_front=is_on), bounds.assign(on_front=False)).drop(
            columns=["place", "short"]
        ),
        draw=lambda: _traces(shown.assign(name=shown["short"]), line, rings, axis),
        layout={
            "xaxis": {"title": {"text": axis.heading}, **axis.ticks(_joined(shown, bounds)["x"].tolist())},
            "yaxis": rate_axis(headline.label),
            "showlegend": False,
            "height": 420,
        },
    )


def _points(board: FiguresBoard, axis: Axis, systems: Sequence[BoardSystem]) -> DataFrame:
    lines = (
        (each.name, each.short, each.reference, across, value, *_ends(board, each), place)
        for place, each in enumerate(systems)
        if (across := axis.value(each)) and (value := board.value(each)) is not None
    )
    return frames.tidy(lines, COLUMNS)


def _with_texts(points: DataFrame, axis: Axis) -> DataFrame:
    return points.assign(text=[axis.said(each) for each in points["x"].tolist()]) if axis.said else points


def _leading(points: DataFrame, systems: Sequence[BoardSystem]) -> DataFrame:
    return points.assign(url=[systems[place].url for place in points["place"].tolist()])


def _ends(board: FiguresBoard, system: BoardSystem) -> tuple[float | None, float | None]:
    """The interval over the whole version; none for a part, whose intervals are only on the board."""
    return (system.reported.ends or (None, None)) if not board.part else (None, None)


def _joined(*parts: DataFrame) -> DataFrame:
    from pandas import concat

    return concat([part for part in parts if len(part)] or [*parts[:1]], ignore_index=True)


def _traces(points: DataFrame, line: DataFrame, bounds: DataFrame, axis: Axis) -> list[Trace]:
    everybody = _joined(points, bounds)
    canvas = Canvas(axis.ticks(everybody["x"].tolist())["range"], RATES, logarithmic=axis.logarithmic)
    canvas.add_dots(pairs(everybody))
    canvas.add_steps(pairs(line))
    is_on = points["place"].isin(line["place"])
    named = [named_dots(points[is_on], role="gold", tip=axis.tip, canvas=canvas)] if is_on.any() else []
    rings = [reference_dots(bounds, tip=axis.tip, canvas=canvas)] if len(bounds) else []
    return [steps(line, shape="hv"), dots(points[~is_on], axis.tip), *rings, *named]


def _sentence(board: FiguresBoard, axis: Axis, line: DataFrame, points: DataFrame) -> str:
    if points.empty:
        return _why_empty(board, axis)
    return f"{_about(axis, line, points)} {_about_steps(board, line)}".strip()


def _about(axis: Axis, line: DataFrame, points: DataFrame) -> str:
    """Sentence on the front, which does not claim that differences are significant."""
    if len(points) == 1:
        name, amount = points["short"].iloc[0], axis.amount(points["x"].iloc[0])
        return f"Of the systems on the board only {name} reports {axis.reports}: {amount}."
    who = f"{len(points):,} systems on the board"
    if len(line) == 1:
        return f"None of {who} scores better than {line['short'].iloc[0]} or {axis.less}."
    return f"The line joins {len(line):,} of {who}: no other system scores better {axis.within}."


def _about_steps(board: FiguresBoard, line: DataFrame) -> str:
    if len(line) < 2:
        return ""
    if why := board.why_no_ranks:
        return (
            "Whether neighbours on the line differ significantly is not tested, because the board has no ranks: "
            f"{why}."
        )
    placements = [board.systems[place].placement for place in line["place"].tolist()]
    total = len(placements) - 1
    apart = sum(_are_apart(cheaper, dearer) for cheaper, dearer in pairwise(placements))
    if not apart:
        return f"{_every(total)} may be chance: the ranks do not separate them."
    if apart == total:
        return f"The ranks separate {'the two systems' if total == 1 else 'all neighbours'} on the line."
    others = total - apart
    return (
        f"The ranks separate {apart:,} of the {total:,} pairs of neighbours on the line; "
        f"the {noun(others, 'other difference', f'other {others:,} differences')} may be chance."
    )


def _every(steps_: int) -> str:
    if steps_ == 1:
        return "The difference between the two systems on the line"
    return "Each difference between neighbours on the line"


def _are_apart(cheaper: Placement, dearer: Placement) -> bool:
    if cheaper.rank is None or dearer.rank is None:
        return False
    return not ranking.are_tied(cheaper, dearer) and dearer.rank < cheaper.rank


def _over(board: FiguresBoard) -> str:
    if not board.part:
        return "one point per system"
    return f"over the rows of {' and '.join(f'“{label}”' for label in board.part.labels)}"


def _left_out(board: FiguresBoard, points: DataFrame) -> str:
    missing = len(board.systems) - len(points)
    do = noun(missing, "does not report", "do not report")
    return f" Left out: {number_of(missing, 'system')} that {do} both figures." if missing else ""


def _about_references(bounds: DataFrame) -> str:
    return " Rings are reference systems, which the line leaves out." if len(bounds) else ""


def _why_empty(board: FiguresBoard, axis: Axis) -> str:
    if not board.systems:
        return EMPTY_BOARD
    return f"None of {number_of(len(board.systems), 'system')} here reports {axis.reports}."
