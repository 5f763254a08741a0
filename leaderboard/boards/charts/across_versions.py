"""Chart of a rate of one system by a setting that differs between the versions of a suite."""

from __future__ import annotations

from evaluation import frames
from evaluation.core.plugin import AcrossVersions
from leaderboard.boards.charts.figure import Figure, Subject, irrelevant, rate_axis, value_of
from leaderboard.boards.charts.marks import trace
from leaderboard.submissions.models import Submission


def draw(plot: AcrossVersions, subject: Subject) -> Figure:
    """Draw a rate against a setting, with one point for each version whose board shows the system.

    Irrelevant with fewer than two values of the setting.
    """
    shown = Submission.objects.filter(
        system=subject.system, version__benchmark=subject.version.benchmark_id, shown=True
    )
    columns = ("version__title", "version__settings", "score__metrics", "score__intervals")
    lines = (
        (title, plot.x(settings), *value_of({"metrics": metrics, "intervals": intervals}, plot.rate.metric))
        for title, settings, metrics, intervals in shown.filter(score__isnull=False).values_list(*columns)
    )
    points = frames.tidy(lines, ["version", "x", "value", "low", "high"]).dropna(subset=["x", "value"])
    if points["x"].nunique() < 2:
        return irrelevant()
    points = points.sort_values("x", kind="stable")
    places = {"x": "x", "y": "value", "text": "version"}
    return Figure(
        caption=plot.help,
        marks=points,
        headings={"version": "Version", "x": plot.x_title, "value": plot.rate.label},
        draw=lambda: [
            trace(points, places, whiskers="y", tip=f"%{{text}}: {plot.tip}", mode="lines+markers")
        ],
        layout={
            "yaxis": rate_axis(plot.rate.title or plot.rate.label),
            "xaxis": {"title": {"text": plot.x_title}},
            "showlegend": False,
        },
    )
