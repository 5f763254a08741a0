"""Pictures of a system and of a board: rows -> Plotly figures, each with a table twin.

One module a picture, all of one shape: `TITLE` and `draw(subject) -> Figure`. The figure carries its table, so that a
reader without a screen gets the same numbers.
"""

from __future__ import annotations

from importlib import import_module

from leaderboard.charts.figure import Figure, Subject
from leaderboard.models import Submission, System

#: name -> module, in the order a system page shows them.
FIGURES: dict[str, str] = {
    "decomposition": "leaderboard.charts.decomposition",
    "order-bias": "leaderboard.charts.order_bias",
    "k-curve": "leaderboard.charts.k_curve",
    "recency": "leaderboard.charts.recency",
    "notes": "leaderboard.charts.notes",
    "tracks": "leaderboard.charts.tracks",
    "budgets": "leaderboard.charts.budgets",
    "failures": "leaderboard.charts.failures",
    "cost": "leaderboard.charts.cost",
    "history": "leaderboard.charts.history",
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
