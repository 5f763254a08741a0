"""Pictures of a system and of a board: tidy DataFrames, shown as a table and drawn by Plotly.

A suite declares its own (`Display.plots`); a module here draws a kind of them: `draw(plot, subject) -> Figure`. Those
that every suite has (`EVERY`) have a module each: `TITLE` and `draw(subject) -> Figure`. The table holds what is drawn,
so that a reader without a screen gets the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module

from evaluation.core.plugin import AcrossVersions, Bars, Buckets, Curves, Lines, Plot, Scatter, Waterfall
from evaluation.core.suite import Suite
from leaderboard.boards.charts.figure import Figure, Subject
from leaderboard.submissions.models import Submission, System

#: name -> module, in the order a system page shows them, behind the suite's own.
EVERY: dict[str, str] = {
    "failures": "leaderboard.boards.charts.failures",
    "cost": "leaderboard.boards.charts.cost",
    "history": "leaderboard.boards.charts.history",
}
#: Kind of a suite's plot -> module.
KINDS: dict[type[Plot], str] = {
    AcrossVersions: "leaderboard.boards.charts.across_versions",
    Bars: "leaderboard.boards.charts.bars",
    Buckets: "leaderboard.boards.charts.buckets",
    Curves: "leaderboard.boards.charts.curves",
    Lines: "leaderboard.boards.charts.lines",
    Scatter: "leaderboard.boards.charts.scatter",
    Waterfall: "leaderboard.boards.charts.waterfall",
}


def names(suite: Suite) -> Iterator[str]:
    """The pictures of a suite, in the order a system page shows them."""
    yield from (plot.name for plot in suite.display.plots)
    yield from EVERY


def draw(name: str, subject: Subject) -> Figure:
    """One figure of a system on a version.

    Args:
        name: One of `names` of the version's suite.
        subject: The system, the version and the submission.

    Returns:
        The figure, with its name and title.

    Raises:
        KeyError: The suite has no figure of that name.
    """
    plot = next((each for each in subject.version.suite.display.plots if each.name == name), None)
    if plot is None:
        module = import_module(EVERY[name])
        figure: Figure = module.draw(subject)
        figure.name, figure.title = name, module.TITLE
        return figure
    figure = _drawing(plot, "draw")(plot, subject)
    figure.name, figure.title = plot.name, plot.title
    return figure


def draw_board(
    plot: Plot,
    lines: Sequence[tuple[str, Mapping[str, float | None]]],
    *,
    where: str = "",
    empty: str = "",
    references: Mapping[str, str] | None = None,
) -> Figure:
    """A picture of several systems.

    Args:
        plot: What the suite declares for a page of a board.
        lines: The name and the metrics of each system.
        where: The group that the metrics are of; empty for all rows.
        empty: Why there are no systems, where there are none.
        references: The role of each system that is a reference, by name.
    """
    figure: Figure = _drawing(plot, "draw_board")(plot, lines, references or {})
    if figure.empty and empty:
        figure.empty = empty
    figure.name, figure.title = plot.name, f"{plot.title}: {where}" if where else plot.title
    return figure


def _drawing(plot: Plot, function: str) -> Callable[..., Figure]:
    drawing: Callable[..., Figure] = getattr(import_module(KINDS[type(plot)]), function)
    return drawing


def of_submission(system: System, submission: Submission) -> list[Figure]:
    """The figures that say something about a submission.

    Args:
        system: Of the submission.
        submission: What is drawn, graded or not.

    Returns:
        The figures in the order of `names`. Those with nothing to draw keep their reason.
    """
    subject = Subject(system=system, version=submission.version, submission=submission)
    drawn = [draw(name, subject) for name in names(submission.version.suite)]
    return [figure for figure in drawn if not figure.irrelevant]
