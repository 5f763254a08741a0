"""Chart of the tokens per query against the headline of every system, with the Pareto front."""

from __future__ import annotations

from leaderboard.boards.charts.cost import TIP
from leaderboard.boards.charts.figure import Figure
from leaderboard.boards.figures import against
from leaderboard.boards.figures.data import FiguresBoard

TITLE = "Cost against quality"
TOKENS = against.Axis(
    value=lambda system: system.reported.tokens,
    heading="Tokens per query",
    tip=TIP,
    reports="its tokens",
    amount=lambda tokens: f"{tokens:,.0f} a query",
    within="with as many tokens or fewer",
    less="takes fewer tokens",
)


def draw(board: FiguresBoard) -> Figure:
    return against.draw(board, TOKENS)
