"""Charts of a whole board: one module each, with `TITLE` and `draw(board) -> Figure`.

`draw` returns `irrelevant()` if the board lacks the data. Systems are read through `data`.
"""

from __future__ import annotations

from importlib import import_module

from leaderboard.boards.charts.figure import Figure
from leaderboard.boards.figures.data import FiguresBoard

#: name -> module, in the order of the page. The name is part of the addresses of the chart and its file.
KINDS: dict[str, str] = {
    "price": "leaderboard.boards.figures.price",
    "cost": "leaderboard.boards.figures.cost",
    "released": "leaderboard.boards.figures.released",
    "harnesses": "leaderboard.boards.figures.harnesses",
    "lengths": "leaderboard.boards.figures.lengths",
    "context": "leaderboard.boards.figures.context",
    "order": "leaderboard.boards.figures.order",
    "splits": "leaderboard.boards.figures.splits",
    "requirements": "leaderboard.boards.figures.requirements",
    "failures": "leaderboard.boards.figures.failures",
    "items": "leaderboard.boards.figures.items",
}
#: Least number of systems for the chart of items: with fewer, most items are right or wrong for all.
ITEMS_FROM = 10


def draw(name: str, board: FiguresBoard) -> Figure:
    """Draw one chart of a board. Raises KeyError for an unknown name."""
    module = import_module(KINDS[name])
    figure: Figure = module.draw(board)
    figure.name, figure.title = name, module.TITLE
    return figure


def drawn(board: FiguresBoard) -> list[Figure]:
    """All charts of a board that apply to it, in the order of `KINDS`. Some may be empty."""
    kinds = [name for name in KINDS if name != "items" or len(board.systems) >= ITEMS_FROM]
    return [figure for name in kinds if not (figure := draw(name, board)).irrelevant]
