"""Chart of the price of 1,000 questions against the headline, with the Pareto front."""

from __future__ import annotations

from leaderboard.boards import prices
from leaderboard.boards.charts.figure import Figure
from leaderboard.boards.figures import against
from leaderboard.boards.figures.data import BoardSystem, FiguresBoard

TITLE = "Price against quality"


def _price(system: BoardSystem) -> float | None:
    price = system.facts.price
    return None if price is None else price * prices.QUESTIONS


PRICE = against.Axis(
    value=_price,
    heading="US dollars for 1,000 questions",
    tip="%{y:.1%} for $%{x:,.3~g}",
    reports="a price",
    amount=lambda price: f"${price:,.2f} for 1,000 questions",
    within="at the same price or less",
    less="costs less",
    least=2,
)


def draw(board: FiguresBoard) -> Figure:
    return against.draw(board, PRICE)
