"""Was the evidence there, was it chosen, was it read: the decomposition as a waterfall."""

from __future__ import annotations

import plotly.graph_objects as go

from leaderboard.charts.figure import Figure, Subject, irrelevant, rate_axis

TITLE = "Where answers are lost"


def draw(subject: Subject) -> Figure:
    if subject.score is None:
        return irrelevant()
    steps = subject.version.benchmark.engine.steps(subject.score.metrics)
    if not steps:
        return irrelevant()
    known = [(label, value) for label, value in steps if value is not None]
    if len(known) < len(steps):
        return Figure(
            empty="The decomposition needs predictions for candidate conditions, and none were uploaded."
        )
    labels, values = [_wrapped(label) for label, _ in steps], [value for _, value in steps]
    bars = go.Bar(
        x=labels,
        y=values,
        text=[f"{value:.3f}" for value in values],
        textposition="outside",
        cliponaxis=False,
        meta={"role": ["blue", "blue", "blue", "gold"]},
        hovertemplate="%{x}: %{y:.4f}<extra></extra>",
    )
    return Figure(
        caption="Share of questions whose gold line was shown; of those, whose citation is the gold line; "
        "of those shown, answered correctly; and correct over all.",
        columns=["Step", "Rate"],
        rows=[[label, value] for label, value in steps],
        traces=[bars],
        layout={"yaxis": rate_axis("Rate"), "showlegend": False, "bargap": 0.45},
    )


def _wrapped(label: str) -> str:
    """A label on two lines, so that four of them fit beside each other on a phone."""
    words = label.split()
    half = (len(words) + 1) // 2
    return "<br>".join(" ".join(part) for part in (words[:half], words[half:]) if part)
