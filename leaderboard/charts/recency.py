"""How far back does it remember: accuracy by distance since the last update."""

from __future__ import annotations

import plotly.graph_objects as go

from leaderboard.charts.figure import Figure, Subject, irrelevant, rate_axis, whiskers

TITLE = "Accuracy by recency"
GROUPINGS = {
    "tokens_since_update": "tokens since the update",
    "distractors_since_update": "distractors since the update",
    "writes_to_key": "writes to the key",
}


def draw(subject: Subject) -> Figure:
    traces, rows = [], []
    for grouping, label in GROUPINGS.items():
        buckets = {
            name: group for name, group in subject.group(grouping).items() if name not in ("None", "unknown")
        }
        values = [group["metrics"].get("value_acc") for group in buckets.values()]
        if not any(value is not None for value in values):
            continue
        intervals = [(group.get("intervals") or {}).get("value_acc") for group in buckets.values()]
        rows += [
            [label, name, v, *(i or (None, None))]
            for name, v, i in zip(buckets, values, intervals, strict=True)
        ]
        positions = list(range(len(buckets)))
        traces.append(
            go.Scatter(
                x=positions,
                y=values,
                error_y=whiskers(values, intervals),
                mode="lines+markers",
                name=label,
                customdata=list(buckets),
                hovertemplate=f"%{{customdata}} {label}: %{{y:.3f}}<extra></extra>",
            )
        )
    if not traces:
        return irrelevant()
    longest = max(len(trace.x) for trace in traces)
    ticks = {"tickvals": list(range(longest)), "ticktext": [f"bucket {n + 1}" for n in range(longest)]}
    return Figure(
        caption="Value accuracy by how much lies between the last update and the question: nearest bucket first.",
        columns=["Measured in", "Bucket", "Value accuracy", "Low", "High"],
        rows=rows,
        traces=traces,
        layout={
            "yaxis": rate_axis("Value accuracy"),
            "xaxis": {"title": {"text": "Nearest → farthest"}, **ticks},
        },
    )
