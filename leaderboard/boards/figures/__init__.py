"""Figures of a whole board: each a module here, with one sentence that holds, a table, and a file of all systems.

`KINDS` is the list of them. A module has `TITLE` and `draw(board) -> Figure`; of a figure that a board has nothing of,
`irrelevant()`. What they read of systems is in `data`, read once for each state of the board.
"""

from __future__ import annotations

from importlib import import_module

from leaderboard.boards.charts.figure import Figure
from leaderboard.boards.figures.data import FiguresBoard

#: name -> module, in the order of the page. The name ends the addresses of its picture and of its file.
KINDS: dict[str, str] = {
    "cost": "leaderboard.boards.figures.cost",
    "lengths": "leaderboard.boards.figures.lengths",
    "order": "leaderboard.boards.figures.order",
    "splits": "leaderboard.boards.figures.splits",
    "failures": "leaderboard.boards.figures.failures",
    "items": "leaderboard.boards.figures.items",
}


def draw(name: str, board: FiguresBoard) -> Figure:
    """One figure of a board.

    Args:
        name: One of `KINDS`.
        board: With the systems that the filters leave.

    Returns:
        The figure, with its name and title.

    Raises:
        KeyError: There is no figure of that name.
    """
    module = import_module(KINDS[name])
    figure: Figure = module.draw(board)
    figure.name, figure.title = name, module.TITLE
    return figure


def drawn(board: FiguresBoard) -> list[Figure]:
    """The figures that this board has, in their order. Those with nothing to draw keep their reason.

    Args:
        board: With the systems that the filters leave.
    """
    return [figure for name in KINDS if not (figure := draw(name, board)).irrelevant]
