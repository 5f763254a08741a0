"""Does the place of the gold line decide? Selection rate by order, one line per k."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from leaderboard.boards.charts.conditions import conditions, family
from leaderboard.boards.charts.figure import Figure, Subject, irrelevant, rate_axis, whiskers
from leaderboard.submissions.score_tables import interval

TITLE = "Order bias"
ORDERS = {"gold_first": "first", "gold_middle": "middle", "gold_last": "last", "shuffle": "shuffled"}


def draw(subject: Subject) -> Figure:
    known = conditions(subject)
    by_family: dict[str, dict[str, Any]] = {}
    for condition, group in known:
        by_family.setdefault(family(condition, without="order"), {})[condition["order"]] = group
    by_family = {name: orders for name, orders in by_family.items() if len(orders) > 1}
    if not by_family:
        return irrelevant()
    if not any(_rate(group)[0] is not None for orders in by_family.values() for group in orders.values()):
        return Figure(empty="No predictions were uploaded for the conditions that differ in order.")
    return _figure(by_family)


def _figure(by_family: dict[str, dict[str, Any]]) -> Figure:
    traces, rows = [], []
    for name, orders in by_family.items():
        shown = [order for order in ORDERS if order in orders]
        rates = [_rate(orders[order]) for order in shown]
        values, intervals = [value for value, _ in rates], [between for _, between in rates]
        traces.append(
            go.Scatter(
                x=[ORDERS[order] for order in shown],
                y=values,
                error_y=whiskers(values, intervals),
                mode="lines+markers",
                name=name,
                hovertemplate=f"{name}, gold %{{x}}: %{{y:.3f}}<extra></extra>",
            )
        )
        for order, (value, between) in zip(shown, rates, strict=True):
            rows.append([name, ORDERS[order], value, *(between or (None, None))])
    return Figure(
        caption="Of the candidate rows that show the gold line: those whose first citation is it, by where it stood. "
        "A flat line at 1 is what a system should show; a slope within the whiskers (95% intervals, each by itself) "
        "may be chance.",
        columns=["Candidates", "Gold line", "Selection rate", "Low", "High"],
        rows=rows,
        traces=traces,
        layout={"yaxis": rate_axis("Selection rate"), "xaxis": {"title": {"text": "Place of the gold line"}}},
    )


def _rate(group: dict[str, Any] | None) -> tuple[float | None, Any]:
    if not group:
        return None, None
    return group["metrics"].get("selection_rate"), interval(group.get("intervals") or {}, "selection_rate")
