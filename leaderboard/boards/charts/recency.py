"""How far back does it remember: accuracy by distance since the last update, a panel for each measure of it."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from leaderboard.boards.charts.figure import Figure, Subject, irrelevant, rate_axis, whiskers
from leaderboard.submissions import score_tables

TITLE = "Accuracy by recency"
GROUPINGS = {
    "tokens_since_update": "Tokens since the update",
    "distractors_since_update": "Distractors since the update",
    "writes_to_key": "Writes to the key",
}
PER_PANEL = 165  # pixels, with its title above and the ranges below
GAP = 0.5  # of a panel: its ranges, and the title of the next


def draw(subject: Subject) -> Figure:
    panels = {label: found for name, label in GROUPINGS.items() if (found := _buckets(subject, name))}
    if not panels:
        return irrelevant()
    return Figure(
        caption="Value accuracy on the rows of the headline, by how much lies between the last update of a key and the "
        "question, and by how often the key was written: nearest and fewest on the left. Whiskers are 95% intervals.",
        columns=["Measured in", "Range", "Value accuracy", "Low", "High"],
        rows=[
            [label, _range(name), value, *(interval or (None, None))]
            for label, buckets in panels.items()
            for name, value, interval in buckets
        ],
        traces=[_trace(at, label, buckets) for at, (label, buckets) in enumerate(panels.items(), 1)],
        layout=_layout(list(panels)),
    )


def _buckets(subject: Subject, grouping: str) -> list[tuple[str, Any, Any]]:
    """(range, value accuracy, interval) from near to far; empty where nothing is reported."""
    found = [
        (
            name,
            group["metrics"].get("value_acc"),
            score_tables.interval(group.get("intervals") or {}, "value_acc"),
        )
        for name, group in subject.group(grouping).items()
        if name not in ("None", "unknown")
    ]
    return found if any(value is not None for _, value, _ in found) else []


def _range(name: str) -> str:
    """`200-399` with the dash of a range; `1600+` stays."""
    return name.replace("-", "\N{EN DASH}")


def _trace(at: int, label: str, buckets: list[tuple[str, Any, Any]]) -> go.Scatter:
    number = "" if at == 1 else str(at)
    values, intervals = [value for _, value, _ in buckets], [interval for *_, interval in buckets]
    return go.Scatter(
        x=[_range(name) for name, *_ in buckets],
        y=values,
        error_y=whiskers(values, intervals),
        mode="lines+markers",
        name=label,
        xaxis=f"x{number}",
        yaxis=f"y{number}",
        meta={"role": "blue"},
        hovertemplate=f"{label} %{{x}}: %{{y:.3f}}<extra></extra>",
    )


def _layout(labels: list[str]) -> dict[str, Any]:
    """The panels under each other, the first on top."""
    height = 1 / (len(labels) + GAP * (len(labels) - 1))
    layout: dict[str, Any] = {"showlegend": False, "height": 60 + PER_PANEL * len(labels), "annotations": []}
    layout["margin"] = {"l": 48, "r": 12, "t": 32, "b": 32}
    for at, label in enumerate(labels):
        number, top = str(at + 1) if at else "", 1 - at * height * (1 + GAP)
        # Text like "2–3" is no date and "1" no number here: every range is a place on the axis.
        layout[f"xaxis{number}"] = {"type": "category", "anchor": f"y{number}"}
        layout["annotations"].append(_heading(label, top))
        layout[f"yaxis{number}"] = {
            **rate_axis("Accuracy"),
            "domain": [max(0.0, top - height), min(1.0, top)],
            "anchor": f"x{number}",
            "nticks": 3,
        }
    return layout


def _heading(label: str, top: float) -> dict[str, Any]:
    """What a panel measures, above it."""
    return {
        "text": label,
        "font": {"size": 12},
        "showarrow": False,
        "xref": "paper",
        "yref": "paper",
        "x": 0,
        "y": min(1.0, top),
        "xanchor": "left",
        "yanchor": "bottom",
        "yshift": 4,
    }
