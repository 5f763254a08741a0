"""What a strategy shows a model at each token budget: coverage, resurrection, and the tokens it takes."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from leaderboard.boards.charts.figure import Figure, Subject, irrelevant, rate_axis

TITLE = "Contexts over the token budget"
RATES = {"coverage": ("Coverage", "--good"), "resurrection": ("Resurrection", "--bad")}
SPLIT = (0.0, 0.24), (0.36, 1.0)  # of the height: tokens below, rates above


def draw(subject: Subject) -> Figure:
    measures = subject.score.measures if subject.score else []
    if not measures:
        return irrelevant()
    return Figure(
        caption="Measured without a model. Coverage is the share of required phrases that the context holds; "
        "resurrection the share of queries whose context holds a forbidden one. Below: the tokens used, and the "
        "budget dotted.",
        columns=["Budget", "Coverage", "Resurrection", "Dead values", "Live values", "Tokens", "Over budget"],
        rows=[_cells(row) for row in measures],
        traces=[*(_rate(measures, name) for name in RATES), _tokens(measures), _limit(measures)],
        layout=_layout(measures),
    )


def _cells(row: dict[str, Any]) -> list[Any]:
    names = ("budget", "coverage", "resurrection", "dead_values", "live_values", "tokens_mean", "over_budget")
    return [row[name] for name in names]


def _budgets(measures: list[dict[str, Any]]) -> list[int]:
    return [row["budget"] for row in measures]


def _rate(measures: list[dict[str, Any]], name: str) -> Any:
    label, colour = RATES[name]
    return go.Scatter(
        x=_budgets(measures),
        y=[row[name] for row in measures],
        name=label,
        mode="lines+markers",
        meta={"role": colour.removeprefix("--")},
        yaxis="y2",
        hovertemplate=f"{label} %{{y:.3f}} at %{{x}} tokens<extra></extra>",
    )


def _tokens(measures: list[dict[str, Any]]) -> Any:
    return go.Scatter(
        x=_budgets(measures),
        y=[row["tokens_mean"] for row in measures],
        name="Tokens used",
        mode="lines+markers",
        meta={"role": "blue"},
        hovertemplate="%{y:,.1f} tokens used of %{x}<extra></extra>",
    )


def _limit(measures: list[dict[str, Any]]) -> Any:
    budgets = _budgets(measures)
    return go.Scatter(
        x=budgets,
        y=budgets,
        mode="lines",
        line={"dash": "dot"},
        meta={"role": "soft"},
        hoverinfo="skip",
        showlegend=False,
    )


def _layout(measures: list[dict[str, Any]]) -> dict[str, Any]:
    below, above = SPLIT
    budgets = _budgets(measures)
    most = max((row["tokens_mean"] or 0 for row in measures), default=0)
    return {
        "xaxis": {
            "title": {"text": "Token budget"},
            "type": "log",
            "tickvals": budgets,
            "ticktext": [str(budget) for budget in budgets],
            "anchor": "y",
        },
        "yaxis": {"domain": below, "title": {"text": "Tokens"}, "range": [0, 1.25 * most or 1], "nticks": 3},
        "yaxis2": {**rate_axis("Rate"), "domain": above},
        "height": 400,
    }
