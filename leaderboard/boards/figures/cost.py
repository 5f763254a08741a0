"""What quality costs: tokens per query against the headline of every system, with the Pareto front.

The front is a fact about figures. Which of its steps are more than chance, the ranks say, and the sentence with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from evaluation import frames
from evaluation.core.terminal.wording import noun, number_of
from leaderboard.boards.charts.cost import TIP, axis_ticks, dots, layout
from leaderboard.boards.charts.figure import RATES, Figure
from leaderboard.boards.charts.marks import Trace, front, named_dots, pairs, reference_dots, steps
from leaderboard.boards.figures.data import FiguresBoard, OfSystem
from leaderboard.boards.figures.words import NOBODY, about_shown, in_sentence
from leaderboard.boards.labels import Canvas
from leaderboard.boards.placements import ranking
from leaderboard.boards.placements.ranking import Placement

if TYPE_CHECKING:
    from pandas import DataFrame

TITLE = "Cost against quality"
#: Points of a picture beside those on the front: more hide each other, and each costs the browser its time.
MOST_POINTS = 150
MOST_ROWS = 30  # of the table
COLUMNS = ["name", "reference", "x", "y", "low", "high", "place"]


def draw(board: FiguresBoard) -> Figure:
    """The picture; one that says so where nobody reports tokens and the figure."""
    points, bounds = _points(board, board.systems), _points(board, board.references)
    if points.empty and bounds.empty:
        return Figure(empty=_why_empty(board))
    headline = board.headline
    line = front(points, across="lower", up=headline.better)
    is_on = points["place"].isin(line["place"])
    shown = _leading(points[is_on | (points["place"] < MOST_POINTS)], board.systems)
    rings = _leading(bounds, board.references)
    first = _leading(_joined(points[is_on], points[~is_on])[:MOST_ROWS], board.systems)
    return Figure(
        sentence=_sentence(board, line, points),
        caption=f"Tokens per query against {in_sentence(headline.label)}, {_over(board)}.{_left_out(board, points)}"
        f"{_about_references(bounds)}{about_shown(len(shown), len(points))}",
        marks=_joined(first, rings),
        headings={"name": "System"}
        | ({"reference": "Reference"} if len(bounds) else {})
        | {"x": "Tokens per query", "y": headline.label, "low": "Low", "high": "High"},
        links={"name": "url"},
        table="The front and the first systems on the board as a table" if len(shown) > MOST_ROWS else "",
        whole=lambda: _joined(points.assign(on_front=is_on), bounds.assign(on_front=False)).drop(
            columns="place"
        ),
        draw=lambda: _traces(shown, line, rings),
        layout=layout(axis_ticks(_joined(shown, bounds)["x"].tolist()), headline.label) | {"height": 420},
    )


def _points(board: FiguresBoard, systems: Sequence[OfSystem]) -> DataFrame:
    """The systems that report both, in board order; `place` is where they stand among these."""
    lines = (
        (each.name, each.reference, each.reported.tokens, value, *_ends(board, each), place)
        for place, each in enumerate(systems)
        if each.reported.tokens and (value := board.value(each)) is not None
    )
    return frames.tidy(lines, COLUMNS)


def _leading(points: DataFrame, systems: Sequence[OfSystem]) -> DataFrame:
    """The points with the addresses of their systems."""
    return points.assign(url=[systems[place].url for place in points["place"].tolist()])


def _ends(board: FiguresBoard, system: OfSystem) -> tuple[float | None, float | None]:
    """The interval of the whole version's figure; that of a part stands on the board."""
    return (system.reported.ends or (None, None)) if not board.part else (None, None)


def _joined(*parts: DataFrame) -> DataFrame:
    from pandas import concat

    return concat([part for part in parts if len(part)] or [*parts[:1]], ignore_index=True)


def _traces(points: DataFrame, line: DataFrame, bounds: DataFrame) -> list[Trace]:
    """The line, the systems off it, the references, and those on it by name."""
    everybody = _joined(points, bounds)
    across = axis_ticks(everybody["x"].tolist())["range"]
    canvas = Canvas(across, RATES, logarithmic=True)
    canvas.add_dots(pairs(everybody))
    canvas.add_steps(pairs(line))
    is_on = points["place"].isin(line["place"])
    named = [named_dots(points[is_on], role="gold", tip=TIP, canvas=canvas)] if is_on.any() else []
    rings = [reference_dots(bounds, tip=TIP, canvas=canvas)] if len(bounds) else []
    return [steps(line, shape="hv"), dots(points[~is_on]), *rings, *named]


def _sentence(board: FiguresBoard, line: DataFrame, points: DataFrame) -> str:
    if points.empty:
        return _why_empty(board)
    return f"{_about(line, points)} {_about_steps(board, line)}".strip()


def _about(line: DataFrame, points: DataFrame) -> str:
    """What the front is: true of the figures, whatever they are worth. References may stand anywhere beside it."""
    if len(points) == 1:
        name, tokens = points["name"].iloc[0], points["x"].iloc[0]
        return f"Of the systems that contest the board only {name} reports its tokens: {tokens:,.0f} a query."
    who = f"{len(points):,} systems that contest the board"
    if len(line) == 1:
        return f"Of {who} none scores better than {line['name'].iloc[0]} or takes fewer tokens."
    return f"The line joins {len(line):,} of {who}: none that takes no more tokens scores better."


def _about_steps(board: FiguresBoard, line: DataFrame) -> str:
    """Which steps of the front are between systems that the board shows apart."""
    if len(line) < 2:
        return ""
    if why := board.why_nobody:
        return f"Whether its steps are more than chance is not shown: {why}."
    placements = [board.systems[place].placement for place in line["place"].tolist()]
    total = len(placements) - 1
    apart = sum(_are_apart(cheaper, dearer) for cheaper, dearer in pairwise(placements))
    if not apart:
        return f"{_every(total)} may be chance: the ranks show no two neighbours on it apart."
    if apart == total:
        return f"{_every(total)} is between systems that the ranks show apart."
    others = total - apart
    return (
        f"Of its {total:,} steps {apart:,} {noun(apart, 'is', 'are')} between systems that the ranks show apart; "
        f"the {noun(others, 'other', f'other {others:,}')} may be chance."
    )


def _every(steps_: int) -> str:
    return "Its one step" if steps_ == 1 else "Each of its steps"


def _are_apart(cheaper: Placement, dearer: Placement) -> bool:
    """Whether the ranks show the dearer to be the better one."""
    if cheaper.rank is None or dearer.rank is None:
        return False
    return not ranking.are_tied(cheaper, dearer) and dearer.rank < cheaper.rank


def _over(board: FiguresBoard) -> str:
    """The rows that the figure is of."""
    return f"over {', '.join(board.part.labels)}" if board.part else "a point a system"


def _left_out(board: FiguresBoard, points: DataFrame) -> str:
    missing = len(board.systems) - len(points)
    do = noun(missing, "does not report", "do not report")
    return f" Left out: {number_of(missing, 'system')} that {do} both." if missing else ""


def _about_references(bounds: DataFrame) -> str:
    return " Rings are reference systems, which the line leaves out." if len(bounds) else ""


def _why_empty(board: FiguresBoard) -> str:
    if not board.systems:
        return NOBODY
    return f"None of {number_of(len(board.systems), 'system')} here reports its tokens per query."
