"""Pictures of a system and of a board: rows -> Plotly figures, each with a table twin.

One module a picture, all of one shape: `TITLE` and `draw(subject) -> Figure`. The figure carries its table, so that a
reader without a screen gets the same numbers.
"""

from __future__ import annotations

from importlib import import_module

from leaderboard.boards.charts.figure import Figure, Subject
from leaderboard.submissions.models import Submission, System

#: name -> module, in the order a system page shows them.
FIGURES: dict[str, str] = {
    "decomposition": "leaderboard.boards.charts.decomposition",
    "order-bias": "leaderboard.boards.charts.order_bias",
    "k-curve": "leaderboard.boards.charts.k_curve",
    "recency": "leaderboard.boards.charts.recency",
    "notes": "leaderboard.boards.charts.notes",
    "tracks": "leaderboard.boards.charts.tracks",
    "budgets": "leaderboard.boards.charts.budgets",
    "failures": "leaderboard.boards.charts.failures",
    "cost": "leaderboard.boards.charts.cost",
    "history": "leaderboard.boards.charts.history",
}


def draw(name: str, subject: Subject) -> Figure:
    """One figure of a system on a version. Raises KeyError for an unknown name."""
    module = import_module(FIGURES[name])
    figure: Figure = module.draw(subject)
    figure.name, figure.title = name, module.TITLE
    return figure


def of_submission(system: System, submission: Submission) -> list[Figure]:
    """The figures that say something about this submission; those with nothing to draw keep their reason."""
    subject = Subject(system=system, version=submission.version, submission=submission)
    drawn = [draw(name, subject) for name in FIGURES]
    return [figure for figure in drawn if not figure.irrelevant]
