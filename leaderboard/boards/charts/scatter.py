"""Scatter chart of two rates: a point per group of a system, or per system of a board with the Pareto line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from evaluation import frames
from evaluation.core.plugin import Scatter
from evaluation.core.terminal.wording import noun, number_of
from leaderboard.boards.charts.figure import RATES, Figure, Subject, irrelevant, rate_axis
from leaderboard.boards.charts.marks import Trace, best_first, front, named_dots, pairs, reference_dots, steps
from leaderboard.boards.labels import Canvas
from leaderboard.submissions.scores.score_tables import label

if TYPE_CHECKING:
    from pandas import DataFrame

Lines = Sequence[tuple[str, Mapping[str, float | None]]]  # system, its metrics


def draw(plot: Scatter, subject: Subject) -> Figure:
    """Draw a point for each group of rows that reports the rates of both axes."""
    if subject.system.kind in subject.version.suite.unranked:
        return irrelevant()
    groups = _points(
        plot, ((name, group["metrics"]) for name, group in subject.groups(plot.grouping).items())
    )
    points = groups.dropna(subset=["x", "y"])
    if points.empty:
        return irrelevant()
    return Figure(
        caption=f"{plot.help}{_silent_groups(plot, groups)}",
        marks=points,
        headings=_headings(plot, plot.noun.capitalize()),
        draw=lambda: [
            _dots(plot, points.assign(name=points["name"].map(label)), _canvas(points), role="blue")
        ],
        layout=_layout(plot),
    )


def draw_board(plot: Scatter, lines: Lines, references: Mapping[str, str]) -> Figure:
    """Draw a point per system that reports both rates, a ring per reference, and the Pareto line."""
    points = _points(plot, lines).dropna(subset=["x", "y"])
    if points.empty:
        return Figure(empty="No system here reports both figures.")
    points = points.assign(reference=[references.get(name, "") for name in points["name"]])
    contest = points[points["reference"] == ""]
    line = front(contest, across=plot.across.better, up=plot.up.better).sort_values("x", kind="stable")
    rings = " Rings are reference systems, which no line joins." if len(contest) < len(points) else ""
    return Figure(
        caption=f"{plot.help}{_about(line)}{rings}{_left_out(len(lines) - len(points), len(lines))}",
        marks=best_first(points, across=plot.across.better, up=plot.up.better),
        headings=_headings(plot, "System") | ({"reference": "Reference"} if references else {}),
        draw=lambda: _traces(plot, points, line),
        layout=_layout(plot) | {"height": 420},
    )


def _points(plot: Scatter, lines: Iterable[tuple[str, Mapping[str, float | None]]]) -> DataFrame:
    across, up = plot.across.metric, plot.up.metric
    return frames.tidy(((name, each.get(across), each.get(up)) for name, each in lines), ["name", "x", "y"])


def _traces(plot: Scatter, points: DataFrame, line: DataFrame) -> list[Trace]:
    canvas = _canvas(points)
    canvas.add_steps(pairs(line))
    shape = (
        "hv" if plot.across.better == "lower" else "vh"
    )  # the corner must be on the worse side of the front
    bounds = points[points["reference"] != ""]
    rings = [reference_dots(bounds, tip=_tip(plot), canvas=canvas)] if len(bounds) else []
    contest = _dots(plot, points[points["reference"] == ""], canvas, role="gold")
    return [steps(line, shape=shape), *rings, contest]


def _canvas(points: DataFrame) -> Canvas:
    canvas = Canvas(RATES, RATES)
    canvas.add_dots(pairs(points))
    return canvas


def _dots(plot: Scatter, points: DataFrame, canvas: Canvas, *, role: str) -> Trace:
    return named_dots(points, role=role, tip=_tip(plot), canvas=canvas)


def _tip(plot: Scatter) -> str:
    up = plot.up.label
    return f"{plot.across.label} %{{x:.1%}}, {up[:1].lower()}{up[1:]} %{{y:.1%}}"


def _headings(plot: Scatter, name: str) -> dict[str, str]:
    return {"name": name, "x": plot.across.label, "y": plot.up.label}


def _layout(plot: Scatter) -> dict[str, object]:
    return {
        "xaxis": rate_axis(plot.across.title or plot.across.label),
        "yaxis": rate_axis(plot.up.title or plot.up.label),
        "showlegend": False,
    }


def _silent_groups(plot: Scatter, groups: DataFrame) -> str:
    is_silent = groups["y"].isna()
    silent, without = is_silent.sum(), (groups["x"].isna() & ~is_silent).sum()
    everything = number_of(len(groups), plot.noun)
    reasons = [
        f"{without} of {everything} because {plot.no_across}" if without else "",
        f"{silent} of {everything} because {plot.no_up}" if silent else "",
    ]
    listed = ", ".join(reason for reason in reasons if reason)
    return f" Left out: {listed}." if listed else ""


def _about(line: DataFrame) -> str:
    return (
        " The dotted line joins the systems that no other system beats in both figures."
        if len(line) > 1
        else ""
    )


def _left_out(count: int, of: int) -> str:
    have = noun(count, "does not have", "do not have")
    return (
        f" Left out: {count} of {number_of(of, 'system')}, which {have} both figures here." if count else ""
    )
