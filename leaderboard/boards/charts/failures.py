"""Bar chart of the reasons why answers fail, most frequent first."""

from __future__ import annotations

from evaluation import frames
from leaderboard.boards.charts.figure import Figure, Subject, irrelevant
from leaderboard.boards.charts.marks import trace
from leaderboard.submissions.scores.score_tables import label

TITLE = "Why answers fail"


def draw(subject: Subject) -> Figure:
    if subject.system.kind in subject.version.suite.unranked:
        return irrelevant()
    failures = subject.score.failures if subject.score else {}
    if not failures:
        return Figure(empty="No row failed.")
    counts = frames.tidy(((label(code), rows) for code, rows in failures.items()), ["reason", "rows"])
    counts = counts.sort_values("rows", kind="stable")
    places, style = {"x": "rows", "y": "reason"}, {"type": "bar", "orientation": "h"}
    return Figure(
        caption="Each failed row is counted once, by its most serious failure.",
        marks=counts[::-1],
        headings={"reason": "Reason", "rows": "Rows"},
        draw=lambda: [trace(counts, places, role="bad", tip="%{y}: %{x} rows", **style)],
        layout={"xaxis": {"title": {"text": "Rows"}}, "yaxis": {"automargin": True}, "showlegend": False},
    )
