"""The headline over time: every public graded submission of the system on this version."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import plotly.graph_objects as go

from leaderboard.boards.charts.figure import Figure, Subject, rate_axis, whiskers
from leaderboard.submissions.models import Submission
from leaderboard.submissions.services import headline_of

TITLE = "Submissions over time"


def draw(subject: Subject) -> Figure:
    headline = headline_of(subject.version.suite)
    graded = (
        Submission.objects.public()
        .filter(system=subject.system, version=subject.version, score__headline__isnull=False)
        .with_names()
        .order_by("created_at")
    )
    points = [(s.created_at, s.score.headline, s.score.interval(headline.name), s) for s in graded if s.score]
    if not points:
        return Figure(empty="No public submission has been graded yet.")
    values = [value for _, value, _, _ in points]
    trace = go.Scatter(
        x=[at.isoformat() for at, *_ in points],
        y=values,
        error_y=whiskers(values, [(i[0], i[1]) if i else None for _, _, i, _ in points]),
        mode="lines+markers",
        meta={"role": "gold"},
        hovertemplate="%{x|%d %b %Y %H:%M}: %{y:.3f}<extra></extra>",
    )
    return Figure(
        caption=f"{headline.label} of every public submission, with 95% intervals. The board shows the best of them.",
        columns=["Submitted", headline.label, "Status"],
        rows=[[f"{at:%Y-%m-%d %H:%M}", value, s.get_status_display()] for at, value, _, s in points],
        traces=[trace],
        layout={
            "yaxis": rate_axis(headline.label),
            "xaxis": _days(points[0][0], points[-1][0]),
            "showlegend": False,
        },
    )


def _days(first: datetime, last: datetime) -> dict[str, Any]:
    """An axis of time that leaves a day on either side: a single point has no span of its own."""
    day = timedelta(days=1)
    return {"type": "date", "range": [(first - day).isoformat(), (last + day).isoformat()]}
