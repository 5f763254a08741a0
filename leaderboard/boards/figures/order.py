"""Chart of order bias: the rate of each system with the evidence at the start, in the middle and at the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle
from typing import TYPE_CHECKING

from evaluation import frames
from evaluation.core.terminal.wording import noun, number_of
from leaderboard.boards.charts.figure import Figure, irrelevant, rate_axis
from leaderboard.boards.charts.marks import Trace, leading_to, literal, trace
from leaderboard.boards.figures.data import BoardSystem, FiguresBoard
from leaderboard.boards.figures.lines import axis_of_names, height, lines_of, margin, why_empty
from leaderboard.boards.figures.words import WHOLE_VERSION, in_sentence
from leaderboard.submissions.scores.score_tables import label

if TYPE_CHECKING:
    from pandas import DataFrame

TITLE = "Order bias of all systems"
WITHOUT = "rates in two orders"


def draw(board: FiguresBoard) -> Figure:
    dots = board.version.suite.display.dots
    if dots is None or not (any(map(_answered, board.systems)) or _has_orders(board)):
        return irrelevant()
    lines = lines_of(board, _answered, lambda each: each.reported.orders)
    shown, everybody = lines.shown, lines.everybody
    if not shown:
        return Figure(empty=why_empty(board, WITHOUT))
    orders = list(dict.fromkeys(order for each in everybody for order, _ in each.reported.orders))
    return Figure(
        sentence=_about(lines.systems) if lines.systems else why_empty(board, WITHOUT),
        caption=f"{dots.figure or 'Rate'} by order, one line per system. The bar joins its lowest and highest rate."
        f"{WHOLE_VERSION if board.part else ''}"
        f"{lines.left_out(WITHOUT)}{lines.words}",
        marks=_table(shown, orders),
        headings={"name": "System"}
        | ({"reference": "Reference"} if lines.bounds else {})
        | {order: label(order) for order in orders}
        | {"distance_low": "Distance, low", "distance_high": "Distance, high"},
        links={"name": "url"},
        whole=lambda: _table(everybody, orders).drop(columns=["url"]),
        draw=lambda: _traces(shown, orders, hollow=dots.apart),
        layout={
            "xaxis": rate_axis(dots.figure or "Rate") | {"automargin": False},
            "yaxis": axis_of_names(shown),
            "margin": margin(shown),
            "height": height(shown),
        },
    )


def _answered(system: BoardSystem) -> bool:
    return sum(rate is not None for _, rate in system.reported.orders) > 1


def _has_orders(board: FiguresBoard) -> bool:
    return any(len(each.orders) > 1 for each in board.reported.values())


def _table(systems: Sequence[BoardSystem], orders: Sequence[str]) -> DataFrame:
    lines = (
        (
            each.names,
            each.reference,
            *(dict(each.reported.orders).get(order) for order in orders),
            *(each.reported.spread or (None, None)),
            each.url,
        )
        for each in systems
    )
    return frames.tidy(lines, ["name", "reference", *orders, "distance_low", "distance_high", "url"])


def _traces(systems: Sequence[BoardSystem], orders: Sequence[str], *, hollow: str) -> list[Trace]:
    points = frames.tidy(
        (
            (at, order, rate, f"{literal(each.label)}, {in_sentence(label(order))}", each.url)
            for at, each in enumerate(systems)
            for order, rate in each.reported.orders
            if rate is not None
        ),
        ["line", "order", "rate", "tip", "url"],
    )
    return [
        _bars(points),
        *(
            _dots(points[points["order"] == order], order, colour, order == hollow)
            for order, colour in _colours(orders)
        ),
    ]


def _colours(orders: Sequence[str]) -> Iterator[tuple[str, str]]:
    return zip(orders, cycle(f"series-{number}" for number in range(1, 7)), strict=False)


def _bars(points: DataFrame) -> Trace:
    ends = points.groupby("line")["rate"].agg(["min", "max"]).reset_index()
    ends = ends.assign(width=ends["max"] - ends["min"])
    places = {"x": "width", "y": "line", "base": "min"}
    return trace(
        ends,
        places,
        role="line-strong",
        hoverinfo="skip",
        type="bar",
        orientation="h",
        width=0.16,
        showlegend=False,
    )


def _dots(points: DataFrame, order: str, colour: str, is_hollow: bool) -> Trace:
    marker: dict[str, object] = {"size": 10} | (
        {"symbol": "circle-open", "line": {"width": 2}} if is_hollow else {}
    )
    places = {"x": "rate", "y": "line", "text": "tip"}
    return trace(
        points,
        places,
        tip="%{text}: %{x:.1%}",
        role=colour,
        mode="markers",
        marker=marker,
        name=label(order),
        cliponaxis=False,
        **leading_to(points["url"]),
    )


def _about(systems: Sequence[BoardSystem]) -> str:
    """Sentence on how many systems the order affects significantly: the interval of their spread is above 0."""
    known = [ends for each in systems if (ends := each.reported.spread)]
    if not known:
        return f"Without intervals it is unknown if the order affects any of {number_of(len(systems), 'system')}."
    affected = sum(ends[0] > 0 for ends in known)
    of = number_of(len(known), "system")
    if len(known) == 1:
        name = next(each.short for each in systems if each.reported.spread)
        return f"{name} is {'' if affected else 'not '}significantly affected by the order."
    if not affected:
        return (
            f"None of {of} is significantly affected by the order: every interval of the distance includes 0."
        )
    return (
        f"{affected:,} of {of} {noun(affected, 'is', 'are')} significantly affected by the order: the 95% interval of "
        f"the distance between lowest and highest rate excludes 0 (unadjusted)."
    )
