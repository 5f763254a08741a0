"""A rate over ordered groups, a panel a grouping: how far back does it remember."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluation import frames
from evaluation.core.plugin import Buckets
from leaderboard.boards.charts.figure import Figure, Subject, irrelevant, rate_axis, value_of
from leaderboard.boards.charts.marks import Trace, trace

if TYPE_CHECKING:
    from pandas import DataFrame

PER_PANEL = 165  # pixels, with its title above and the ranges below
GAP = 0.5  # of a panel: its ranges, and the title of the next


def draw(plot: Buckets, subject: Subject) -> Figure:
    """The groupings of which a score reports the rate.

    Args:
        plot: What the suite declares: the rate, and the groupings with the titles of their panels.
        subject: The system, the version and the submission.

    Returns:
        A panel a grouping that reports the rate, under each other; an irrelevant figure where none does.
    """
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
    """The ordered groups of the groupings that report the rate, each with its panel and its range."""
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
    """The panels under each other, the first on top."""
    height = 1 / (len(labels) + GAP * (len(labels) - 1))
    annotations = list[dict[str, object]]()
    layout = {"showlegend": False, "height": 60 + PER_PANEL * len(labels), "annotations": annotations}
    layout["margin"] = {"l": 48, "r": 12, "t": 32, "b": 32}
    for at, label in enumerate(labels):
        number, top = str(at + 1) if at else "", 1 - at * height * (1 + GAP)
        # Text like "2–3" is no date and "1" no number here: every range is a place on the axis.
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
