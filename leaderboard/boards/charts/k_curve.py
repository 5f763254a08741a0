"""More candidates, more rivals: selection rate and accuracy over k."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from leaderboard.boards.charts.conditions import conditions, family
from leaderboard.boards.charts.figure import Figure, Subject, irrelevant, rate_axis, whiskers
from leaderboard.submissions.score_tables import interval

TITLE = "Selection over the number of candidates"


def draw(subject: Subject) -> Figure:
    by_family: dict[str, dict[int, dict[str, Any] | None]] = {}
    for condition, group in conditions(subject):
        by_family.setdefault(family(condition, without="k"), {})[condition["k"]] = group
    by_family = {name: points for name, points in by_family.items() if len(points) > 1}
    if not by_family:
        return irrelevant()
    traces, rows = [], []
    for name, points in by_family.items():
        line = [(k, group) for k, group in sorted(points.items()) if group]
        values = [group["metrics"].get("selection_rate") for _, group in line]
        intervals = [interval(group.get("intervals") or {}, "selection_rate") for _, group in line]
        rows += [
            [name, k, v, *(i or (None, None))] for (k, _), v, i in zip(line, values, intervals, strict=True)
        ]
        if any(value is not None for value in values):
            marks = whiskers(values, intervals)
            traces.append(
                go.Scatter(x=[k for k, _ in line], y=values, error_y=marks, mode="lines+markers", name=name)
            )
    if not traces:
        return Figure(empty="No predictions were uploaded for the conditions that differ in k.")
    ks = sorted({k for points in by_family.values() for k in points})
    return Figure(
        caption="Of the candidate rows that show the gold line: those whose first citation is it, as more ledger lines "
        "of the same key are shown.",
        columns=["Condition", "k", "Selection rate", "Low", "High"],
        rows=rows,
        traces=traces,
        layout={
            "yaxis": rate_axis("Selection rate"),
            "xaxis": {
                "title": {"text": "Candidates shown (k)"},
                "type": "log",
                "tickvals": ks,
                "ticktext": ks,
            },
        },
    )
