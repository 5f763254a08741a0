"""Chart of the contexts that a system selects for a model to read: rates and tokens used at each token budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluation import frames
from evaluation.core.plugin import Curves
from leaderboard.boards.charts.figure import Figure, Subject, irrelevant, rate_axis
from leaderboard.boards.charts.marks import Trace, trace

if TYPE_CHECKING:
    from pandas import DataFrame

SPLIT = (0.0, 0.24), (0.36, 1.0)  # shares of the height: the amount below, rates above


def draw(plot: Curves, subject: Subject) -> Figure:
    if not subject.score or not subject.score.measures:
        return irrelevant()
    names = list(dict.fromkeys([*plot.columns, plot.x, plot.amount, *plot.rates]))
    measures = frames.tidy(([row[name] for name in names] for row in subject.score.measures), names)
    return Figure(
        caption=plot.help,
        marks=measures,
        headings=plot.columns,
        draw=lambda: [
            *(_rate(plot, measures, name) for name in plot.rates),
            _amount(plot, measures),
            _bound(plot, measures),
        ],
        layout=_layout(plot, measures),
    )


def _rate(plot: Curves, measures: DataFrame, name: str) -> Trace:
    label, role = plot.rates[name]
    tip = f"{label} %{{y:.1%}} at %{{x}} {plot.unit}"
    places = {"x": plot.x, "y": name}
    return trace(measures, places, role=role, tip=tip, name=label, mode="lines+markers", yaxis="y2")


def _amount(plot: Curves, measures: DataFrame) -> Trace:
    name, tip = f"{plot.unit.capitalize()} used", f"%{{y:,.1f}} {plot.unit} used of %{{x}}"
    places = {"x": plot.x, "y": plot.amount}
    return trace(measures, places, role="blue", tip=tip, name=name, mode="lines+markers")


def _bound(plot: Curves, measures: DataFrame) -> Trace:
    """Dotted line on which the amount used equals the budget, its upper bound."""
    return trace(
        measures,
        {"x": plot.x, "y": plot.x},
        role="soft",
        mode="lines",
        line={"dash": "dot"},
        hoverinfo="skip",
        showlegend=False,
    )


def _layout(plot: Curves, measures: DataFrame) -> dict[str, object]:
    below, above = SPLIT
    budgets = frames.plain(measures[plot.x])
    most = float(measures[plot.amount].fillna(0).max())
    return {
        "xaxis": {
            "title": {"text": plot.x_title},
            "type": "log",
            "tickvals": budgets,
            "ticktext": [str(budget) for budget in budgets],
            "anchor": "y",
        },
        "yaxis": {
            "domain": below,
            "title": {"text": plot.unit.capitalize()},
            "range": [0, 1.25 * most or 1],
            "nticks": 3,
        },
        "yaxis2": {**rate_axis("Rate"), "domain": above},
        "height": 400,
    }
