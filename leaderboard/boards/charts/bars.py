"""A rate by group, a bar each; on a page of a board a bar a system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evaluation import frames
from evaluation.core.plugin import Bars
from leaderboard.boards.charts.figure import Figure, Subject, irrelevant, rate_axis, value_of
from leaderboard.boards.charts.marks import literal, trace
from leaderboard.submissions.scores.score_tables import label

if TYPE_CHECKING:
    from pandas import DataFrame

PER_BAR, FRAME = 28, 110  # pixels of a bar, and of what is around all of them


def draw(plot: Bars, subject: Subject) -> Figure:
    """The groups of a system that report the rate, in their order.

    Args:
        plot: What the suite declares: the rate and the grouping.
        subject: The system, the version and the submission.

    Returns:
        A bar a group; an irrelevant figure where none reports the rate.
    """
    groups = subject.groups(plot.grouping).items()
    lines = ((label(name), *value_of(group, plot.rate.metric)) for name, group in groups)
    bars = frames.tidy(lines, ["name", "value", "low", "high"]).dropna(subset="value")
    return _figure(plot, plot.groups, bars, whiskers="x", role="blue") if len(bars) else irrelevant()


def draw_board(
    plot: Bars, lines: Sequence[tuple[str, Mapping[str, float | None]]], references: Mapping[str, str]
) -> Figure:
    """The systems of a board, the best on top.

    Args:
        plot: What the suite declares: the rate, and which way it is better.
        lines: The name and the metrics of each system.
        references: The role of each that is a reference, by name: its bar is hatched, and says it.

    Returns:
        A bar a system that reports the rate; where none does, a figure that says so.
    """
    names = {name: f"{name} ({references[name]})" if name in references else name for name, _ in lines}
    rates = ((names[name], metrics.get(plot.rate.metric)) for name, metrics in lines)
    bars = frames.tidy(rates, ["name", "value"]).dropna(subset="value")
    if bars.empty:
        return Figure(empty="No system here reports this figure.")
    bars = bars.sort_values("value", ascending=plot.rate.better == "lower", kind="stable")
    hatched = set(names.values()) - set(names)
    patterns = ["/" if name in hatched else "" for name in bars["name"]]
    return _figure(plot, "System", bars, role="gold", marker={"pattern": {"shape": patterns}})


def _figure(plot: Bars, heading: str, bars: DataFrame, **style: Any) -> Figure:
    bars = bars.assign(bar=bars["name"].map(literal))
    tip = "%{y}: %{x:.1%}"
    return Figure(
        caption=plot.help,
        marks=bars,
        headings={"name": heading, "value": plot.rate.label},
        draw=lambda: [trace(bars, {"x": "value", "y": "bar"}, type="bar", orientation="h", tip=tip, **style)],
        layout={
            "xaxis": rate_axis(plot.rate.title or plot.rate.label),
            "yaxis": {"type": "category", "autorange": "reversed", "automargin": True},
            "showlegend": False,
            "height": FRAME + PER_BAR * max(len(bars), 5),
        },
    )
