"""Does commentary mislead it: accuracy over the note rate, across the versions a system was graded on."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from leaderboard.boards.charts.figure import Figure, Subject, irrelevant, rate_axis, whiskers
from leaderboard.submissions.models import Submission

TITLE = "Accuracy over the note rate"


def draw(subject: Subject) -> Figure:
    if "note_rate" not in _generator(subject.version.settings):
        return irrelevant()
    shown = Submission.objects.filter(system=subject.system, shown=True).with_names()
    points = []
    for submission in shown:
        settings = _generator(submission.version.settings)
        if submission.score and settings.get("state_mode") == "kv_commentary" and "note_rate" in settings:
            value = submission.score.metrics.get("value_acc")
            points.append(
                (settings["note_rate"], value, submission.score.interval("value_acc"), submission.version)
            )
    points = sorted((point for point in points if point[1] is not None), key=lambda point: point[0])
    if len({rate for rate, *_ in points}) < 2:
        return irrelevant()
    values = [value for _, value, _, _ in points]
    marks = whiskers(values, [(i[0], i[1]) if i else None for _, _, i, _ in points])
    trace = go.Scatter(
        x=[rate for rate, *_ in points],
        y=values,
        error_y=marks,
        mode="lines+markers",
        text=[version.title for *_, version in points],
        hovertemplate="%{text}: %{y:.3f} at note rate %{x}<extra></extra>",
    )
    return Figure(
        caption="Value accuracy on versions that differ in how many ledger lines are NOTE commentary.",
        columns=["Version", "Note rate", "Value accuracy"],
        rows=[[version.title, rate, value] for rate, value, _, version in points],
        traces=[trace],
        layout={
            "yaxis": rate_axis("Value accuracy"),
            "xaxis": {"title": {"text": "Note rate"}},
            "showlegend": False,
        },
    )


def _generator(settings: dict[str, Any]) -> dict[str, Any]:
    """The generator's settings inside a version's, wherever the suite keeps them."""
    inner = settings.get("generator", settings)
    return inner if isinstance(inner, dict) else {}
