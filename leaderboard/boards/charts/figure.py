"""What every picture is made of."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from leaderboard.benchmarks.models import Version
from leaderboard.boards.labels import Canvas
from leaderboard.submissions.models import Score, Submission, System

Interval = tuple[float, float] | None
LONGEST = 28  # letters of a name beside its point
RATES = (-0.03, 1.05)  # an axis from 0 to 1 that never hides what is at its ends


@dataclass(frozen=True, slots=True)
class Subject:
    """What is drawn: a system on a version, by the submission its board shows."""

    system: System
    version: Version
    submission: Submission

    @property
    def score(self) -> Score | None:
        return self.submission.score

    def group(self, grouping: str) -> dict[str, Any]:
        """group -> {"metrics": …, "intervals": …} of the score."""
        found: dict[str, Any] = self.score.groups.get(grouping, {}) if self.score else {}
        return found


@dataclass(slots=True)
class Figure:
    """Traces for Plotly, and the same numbers as a table. `empty` says why there is nothing to see."""

    caption: str = ""
    columns: list[str] = field(default_factory=list)
    rows: list[list[Any]] = field(default_factory=list)
    traces: list[Any] = field(default_factory=list)
    layout: dict[str, Any] = field(default_factory=dict)
    empty: str = ""
    irrelevant: bool = False
    name: str = ""
    title: str = ""

    def as_json(self) -> dict[str, Any]:
        """What the browser draws. Colours are the page's business: traces name a role in `meta.role`."""
        if self.empty:
            return {"empty": self.empty, "title": self.title}
        import plotly.graph_objects as go

        drawn = json.loads(go.Figure(self.traces, self.layout | {"template": None}).to_json())
        return {
            "data": [_coloured(trace) for trace in drawn["data"]],
            "layout": drawn["layout"],
            "title": self.title,
        }


def _coloured(trace: dict[str, Any]) -> dict[str, Any]:
    """A role of `meta` ("gold", or one a bar) as the style sheet's custom property, which the page resolves."""
    role = trace.pop("meta", {}).get("role")
    if role is None:
        return trace
    colour = [f"--{name}" for name in role] if isinstance(role, list) else f"--{role}"
    for part in ("marker", "line", "error_y"):
        if part == "marker" or (part in trace and isinstance(colour, str)):
            trace[part] = trace.get(part, {}) | {"color": colour}
    if trace.get("type") == "scatter" and isinstance(colour, str):
        trace["line"] = trace.get("line", {}) | {"color": colour}
    return trace


def irrelevant() -> Figure:
    """This suite or version does not have what the picture shows: leave it out."""
    return Figure(irrelevant=True)


def figure_url(figure: Figure, submission: Submission) -> str:
    """Where the browser fetches a figure from."""
    system = submission.system
    path = reverse("leaderboard:system_figure", args=[system.owner.get_username(), system.slug, figure.name])
    return f"{path}?{urlencode({'submission': str(submission.pk)})}"


def whiskers(values: list[Any], intervals: list[Interval]) -> dict[str, Any]:
    """Asymmetric error bars from values and their intervals."""
    up = [0.0 if v is None or not i else i[1] - v for v, i in zip(values, intervals, strict=True)]
    down = [0.0 if v is None or not i else v - i[0] for v, i in zip(values, intervals, strict=True)]
    return {"type": "data", "symmetric": False, "array": up, "arrayminus": down, "thickness": 1.2, "width": 4}


def literal(text: str) -> str:
    """Text that Plotly writes as it stands: it would read tags and entities in it."""
    return text.replace("&", "&amp;").replace("<", "&lt;")


def shorten(name: str) -> str:
    """A name as it stands beside a point; the tip has all of it."""
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1].rstrip()}…"


def named_dots(points: list[tuple[str, Any, Any]], *, role: str, tip: str, canvas: Canvas) -> Any:
    """(name, x, y) as one dot a place. It carries one name, and all the names of its place in the tip.

    A name that has no room on the canvas is left to the tip. On a narrow screen the page writes numbers beside the
    points instead, and the names below the picture.
    """
    import plotly.graph_objects as go

    places: dict[tuple[float, float], list[str]] = {}
    for name, x, y in points:
        places.setdefault((round(x, 4), round(y, 4)), []).append(name)
    texts = [
        shorten(names[0]) + (f" +{len(names) - 1}" if len(names) > 1 else "") for names in places.values()
    ]
    positions = [canvas.name(text, place) for text, place in zip(texts, places, strict=True)]
    return go.Scatter(
        x=[x for x, _ in places],
        y=[y for _, y in places],
        text=[literal(text) if position else "" for text, position in zip(texts, positions, strict=True)],
        customdata=["<br>".join(map(literal, names)) for names in places.values()],
        mode="markers+text",
        textposition=[position or "top center" for position in positions],
        textfont={"size": 11},
        marker={"size": 10},
        cliponaxis=False,
        meta={"role": role},
        hovertemplate=f"%{{customdata}}<br>{tip}<extra></extra>",
    )


def rate_axis(title: str) -> dict[str, Any]:
    """An axis of rates."""
    return {"title": {"text": title}, "range": list(RATES), "tickformat": ".1f", "zeroline": False}
