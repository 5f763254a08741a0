"""Charts of a system and of a board: tidy DataFrames, shown as a table and drawn by Plotly.

Each kind of plot that suites may declare (`Display.plots`) has a module with `draw(plot, subject) -> Figure`. Each
chart that all suites have (`EVERY`) has a module with `TITLE` and `draw(subject) -> Figure`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module

from evaluation.core.plugin import AcrossVersions, Bars, Buckets, Curves, Lines, Plot, Scatter, Waterfall
from evaluation.core.suite import Suite
from leaderboard.boards.charts.figure import Figure, Subject
from leaderboard.submissions.models import Submission, System

#: Name of a chart -> its module. A system page shows these after the charts of the suite, in this order.
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
    """Names of the charts of a suite, in the order in which the page of a system shows them."""
    yield from (plot.name for plot in suite.display.plots)
    yield from EVERY


def draw(name: str, subject: Subject) -> Figure:
    """Draw one chart of a system on a version. Raises KeyError if the suite has no chart of that name."""
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
    """Draw a chart of several systems by their metrics over the group `where` (empty for all rows).

    `references` maps the name of each reference system to its role. If no system can be drawn, shows the text `empty`.
    """
    figure: Figure = _drawing(plot, "draw_board")(plot, lines, references or {})
    if figure.empty and empty:
        figure.empty = empty
    figure.name, figure.title = plot.name, f"{plot.title}: {where}" if where else plot.title
    return figure


def _drawing(plot: Plot, function: str) -> Callable[..., Figure]:
    drawing: Callable[..., Figure] = getattr(import_module(KINDS[type(plot)]), function)
    return drawing


def submission_charts(system: System, submission: Submission) -> list[Figure]:
    """The charts of a submission that apply to it, in the order of `names`. Some may be empty."""
    subject = Subject(system=system, version=submission.version, submission=submission)
    drawn = [draw(name, subject) for name in names(submission.version.suite)]
    return [figure for figure in drawn if not figure.irrelevant]
