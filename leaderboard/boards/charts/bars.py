"""Bar chart of a rate, with one bar per group of a system, or per system of a board."""

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

PER_BAR, FRAME = 28, 110  # pixels: of a bar, and of the frame around all of them


def draw(plot: Bars, subject: Subject) -> Figure:
    groups = subject.groups(plot.grouping).items()
    lines = ((label(name), *value_of(group, plot.rate.metric)) for name, group in groups)
    bars = frames.tidy(lines, ["name", "value", "low", "high"]).dropna(subset="value")
    return _figure(plot, plot.groups, bars, whiskers="x", role="blue") if len(bars) else irrelevant()


def draw_board(
    plot: Bars, lines: Sequence[tuple[str, Mapping[str, float | None]]], references: Mapping[str, str]
) -> Figure:
    """Draw a bar per system that reports the rate, best on top. Bars of `references` (name -> role) are hatched."""
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
