"""Chart of the headline by release date of the model. A line joins the systems that no earlier system beats."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, time
from typing import Any

from leaderboard.boards.charts.figure import Figure
from leaderboard.boards.figures import against
from leaderboard.boards.figures.data import BoardSystem, FiguresBoard

TITLE = "Quality by release date"
DAY_MS = 24 * 3600 * 1000.0


def _moment(system: BoardSystem) -> float | None:
    """Release day of the system's model in milliseconds since 1970, which is Plotly's unit of time."""
    day = system.facts.released
    return None if day is None else datetime.combine(day, time(), UTC).timestamp() * 1000


def _said(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment / 1000, UTC):%-d %b %Y}"


def _ticks(moments: list[float]) -> Mapping[str, Any]:
    room = max(30 * DAY_MS, 0.06 * (max(moments) - min(moments)))
    return {"type": "date", "range": (min(moments) - room, max(moments) + room)}


RELEASED = against.Axis(
    value=_moment,
    heading="Released",
    tip="%{y:.1%}, released %{x|%-d %b %Y}",
    reports="a release date",
    amount=_said,
    within="among models released by the same day",
    less="was out earlier",
    least=2,
    ticks=_ticks,
    logarithmic=False,
    said=_said,
)


def draw(board: FiguresBoard) -> Figure:
    return against.draw(board, RELEASED)
