"""Chart of a rate over ordered groups of rows. Each grouping has its own panel, such as accuracy by age of the fact."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluation import frames
from evaluation.core.plugin import Buckets
from leaderboard.boards.charts.figure import Figure, Subject, irrelevant, rate_axis, value_of
from leaderboard.boards.charts.marks import Trace, trace

if TYPE_CHECKING:
    from pandas import DataFrame

PER_PANEL = 165  # pixels, including the title above and the ranges below
GAP = 0.5  # of a panel: room for its ranges and the title of the next


def draw(plot: Buckets, subject: Subject) -> Figure:
    buckets = _buckets(plot, subject)
    if buckets.empty:
        return irrelevant()
    titles = buckets["panel"].unique().tolist()
    headings = {
        "panel": "Measured in",
        "range": "Range",
        "value": plot.rate.label,
        "low": "Low",
        "high": "High",
    }
    return Figure(
        caption=plot.help,
        marks=buckets,
        headings=headings,
        draw=lambda: [
            _trace(at, title, panel)
            for at, (title, panel) in enumerate(buckets.groupby("panel", sort=False), 1)
        ],
        layout=_layout(titles, plot.rate.title or plot.rate.label),
    )


def _buckets(plot: Buckets, subject: Subject) -> DataFrame:
    lines = (
        (label, name.replace("-", "\N{EN DASH}"), *value_of(group, plot.rate.metric))  # `1600+` stays
        for grouping, label in plot.panels.items()
        for name, group in subject.groups(grouping).items()
        if name not in plot.left_out
    )
    buckets = frames.tidy(lines, ["panel", "range", "value", "low", "high"])
    reported = buckets["panel"][buckets["value"].notna()]
    return buckets[buckets["panel"].isin(reported)]


def _trace(at: int, label: str, marks: DataFrame) -> Trace:
    number = "" if at == 1 else str(at)
    return trace(
        marks,
        {"x": "range", "y": "value"},
        whiskers="y",
        tip=f"{label} %{{x}}: %{{y:.1%}}",
        role="blue",
        mode="lines+markers",
        name=label,
        xaxis=f"x{number}",
        yaxis=f"y{number}",
    )


def _layout(labels: list[str], rate: str) -> dict[str, object]:
    height = 1 / (len(labels) + GAP * (len(labels) - 1))
    annotations = list[dict[str, object]]()
    layout = {"showlegend": False, "height": 60 + PER_PANEL * len(labels), "annotations": annotations}
    layout["margin"] = {"l": 48, "r": 12, "t": 32, "b": 32}
    for at, label in enumerate(labels):
        number, top = str(at + 1) if at else "", 1 - at * height * (1 + GAP)
        # Plotly would read "2–3" as a date and "1" as a number: ranges are categories.
        layout[f"xaxis{number}"] = {"type": "category", "anchor": f"y{number}"}
        annotations.append(_heading(label, top))
        layout[f"yaxis{number}"] = {
            **rate_axis(rate),
            "domain": [max(0.0, top - height), min(1.0, top)],
            "anchor": f"x{number}",
            "nticks": 3,
        }
    return layout


def _heading(label: str, top: float) -> dict[str, object]:
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
