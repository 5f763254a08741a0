"""What went wrong with answers, most frequent first."""

from __future__ import annotations

import plotly.graph_objects as go

from leaderboard.boards.charts.figure import Figure, Subject
from leaderboard.submissions.score_tables import label

TITLE = "Why answers fail"


def draw(subject: Subject) -> Figure:
    failures = subject.score.failures if subject.score else {}
    if not failures:
        return Figure(empty="Not a single row failed.")
    counted = sorted(failures.items(), key=lambda pair: pair[1])
    trace = go.Bar(
        x=[count for _, count in counted],
        y=[label(code) for code, _ in counted],
        orientation="h",
        meta={"role": "bad"},
        hovertemplate="%{y}: %{x} rows<extra></extra>",
    )
    return Figure(
        caption="Rows by the gravest thing that went wrong with them.",
        columns=["Reason", "Rows"],
        rows=[[label(code), count] for code, count in reversed(counted)],
        traces=[trace],
        layout={"xaxis": {"title": {"text": "Rows"}}, "yaxis": {"automargin": True}, "showlegend": False},
    )
