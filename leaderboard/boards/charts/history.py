"""Chart of the headline over time: every public graded submission of the system on this version."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from evaluation import frames
from leaderboard.boards.charts.figure import Figure, Subject, irrelevant, rate_axis, value_of
from leaderboard.boards.charts.marks import Trace, trace
from leaderboard.submissions.models import Submission
from leaderboard.submissions.scores.score_tables import Interval
from leaderboard.web.formatting import minute

if TYPE_CHECKING:
    from pandas import DataFrame

TITLE = "Submissions over time"


def draw(subject: Subject) -> Figure:
    if subject.system.kind in subject.version.suite.unranked:
        return irrelevant()
    headline = subject.version.headline
    graded = list(
        Submission.objects.public()
        .filter(system=subject.system, version=subject.version, score__headline__isnull=False)
        .order_by("created_at")
        .values_list("created_at", "status", "score__headline", "score__intervals")
    )
    if not graded:
        return Figure(empty="No public submission has been graded yet.")
    (first, *_), (last, *_) = graded[0], graded[-1]
    points = frames.tidy(
        (_line(headline.name, *submission) for submission in graded),
        ["time", "submitted", "status", "value", "low", "high"],
    )
    return Figure(
        caption=f"{headline.label} of every public submission, with 95% intervals. "
        "The board shows the declared submission, else the first.",
        marks=points,
        headings={"submitted": "Submitted", "value": headline.label, "status": "Status"},
        draw=lambda: [_trace(points)],
        layout={"yaxis": rate_axis(headline.label), "xaxis": _days(first, last), "showlegend": False},
    )


def _line(
    metric: str, time: datetime, status: str, value: float | None, intervals: dict[str, Interval]
) -> list[Any]:
    figure = value_of({"metrics": {metric: value}, "intervals": intervals}, metric)
    return [time.isoformat(), minute(time), Submission.Status(status).label, *figure]


def _trace(points: DataFrame) -> Trace:
    tip = "%{x|%-d %b %Y, %H:%M} UTC: %{y:.1%}"
    places = {"x": "time", "y": "value"}
    return trace(points, places, whiskers="y", tip=tip, role="gold", mode="lines+markers")


def _days(first: datetime, last: datetime) -> dict[str, object]:
    """A time axis from a day before `first` to a day after `last`, so that a single point is in the middle."""
    day = timedelta(days=1)
    return {"type": "date", "range": [(first - day).isoformat(), (last + day).isoformat()]}
