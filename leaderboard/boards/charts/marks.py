"""From a tidy DataFrame to Plotly's traces: one line a mark, a column for each thing that is known of it.

Columns are named by what they hold (`name`, `value`, `low`, `high` …); a picture says which of them Plotly gets as
what. Colours are the page's business: a role ("gold") becomes the custom property of the style sheet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from evaluation import frames
from evaluation.core.statistics import FloatArray
from leaderboard.boards.labels import Canvas

if TYPE_CHECKING:
    from pandas import DataFrame, Series

Trace = dict[str, Any]
LONGEST = 28  # letters of a name beside its point
PLACES = 4  # decimals to which points share a place: less than a pixel of the widest picture


def trace(
    marks: DataFrame,
    places: Mapping[str, str],
    *,
    whiskers: str = "",
    tip: str = "",
    role: str | Sequence[str] = "",
    **style: Any,
) -> Trace:
    """One trace: an attribute for each column that is named, and the style that all marks share.

    Args:
        marks: One line a mark; null is not reported.
        places: Attribute of Plotly -> column, such as `{"x": "budget", "y": "value"}`.
        whiskers: "x" or "y": the axis along which the columns `low` and `high` are an interval; empty for none.
        tip: Plotly's template of the tip; empty for what Plotly writes by itself.
        role: What the page colours the marks by: a name, or one a mark; empty for the colour of the series.
        style: Attributes of Plotly, such as `mode` and `name`.

    Returns:
        A trace for Plotly, JSON-able.
    """
    drawn: Trace = {"type": "scatter"} | style
    drawn |= {attribute: frames.plain(marks[column]) for attribute, column in places.items()}
    if whiskers:
        drawn[f"error_{whiskers}"] = _whiskers(marks, places[whiskers])
    if tip:
        drawn["hovertemplate"] = f"{tip}<extra></extra>"
    return _coloured(drawn, role) if role else drawn


def _whiskers(marks: DataFrame, column: str) -> dict[str, object]:
    """Asymmetric error bars: how far each reaches from its value. Without an interval there is no bar."""
    up, down = (marks["high"] - marks[column]).fillna(0.0), (marks[column] - marks["low"]).fillna(0.0)
    reach = {"array": frames.plain(up), "arrayminus": frames.plain(down)}
    return {"type": "data", "symmetric": False, **reach, "thickness": 1.2, "width": 4}


def _coloured(drawn: Trace, role: str | Sequence[str]) -> Trace:
    """The trace in the colour of its role, with its line and its whiskers."""
    one = isinstance(role, str)
    colour = {"color": f"--{role}" if one else [f"--{each}" for each in role]}
    parts = ["marker"] + [part for part in ("line", "error_y") if one and part in drawn]
    if one and drawn["type"] == "scatter":
        parts.append("line")
    return drawn | {part: drawn.get(part, {}) | colour for part in parts}


def named_dots(points: DataFrame, *, role: str, tip: str, canvas: Canvas, hollow: bool = False) -> Trace:
    """One dot a place. It carries one name, and all the names of its place in the tip.

    A name that has no room on the canvas is left to the tip. On a narrow screen the page writes numbers beside the
    points instead, and the names below the picture.

    Args:
        points: `name`, `x` and `y` of each, and maybe `url`; the first of a place is the one whose name it carries, and
            whose address it leads to.
        role: What the page colours the dots by.
        tip: Plotly's template of the tip, behind the names.
        canvas: What stands on the picture already. The names that find room are added to it.
        hollow: Whether the dots are rings, as those of references.

    Returns:
        A trace for Plotly.
    """
    places = rounded(points).groupby(["x", "y"], sort=False)
    dots = places["name"].agg(list).reset_index()
    labels = [shorten(first) + (f" +{len(more)}" if more else "") for first, *more in dots["name"]]
    room = [canvas.name(text, place) for text, place in zip(labels, pairs(dots), strict=True)]
    dots = dots.assign(
        text=[literal(text) if position else "" for text, position in zip(labels, room, strict=True)],
        position=[position or "top center" for position in room],
        names=["<br>".join(map(literal, names)) for names in dots["name"]],
    )
    return trace(
        dots,
        {"x": "x", "y": "y", "text": "text", "customdata": "names", "textposition": "position"},
        tip=f"%{{customdata}}<br>{tip}",
        role=role,
        mode="markers+text",
        textfont={"size": 11},
        marker={"size": 10} | ({"symbol": "circle-open", "line": {"width": 2}} if hollow else {}),
        cliponaxis=False,
        **(leading_to(places["url"].first()) if "url" in points else {}),
    )


def leading_to(addresses: Series) -> dict[str, Any]:
    """What of a trace makes its marks links, see `figures.js`.

    Args:
        addresses: One a mark, on this site; null or empty where a mark leads nowhere.
    """
    return {"meta": {"urls": frames.plain(addresses)}}


def reference_dots(points: DataFrame, *, tip: str, canvas: Canvas) -> Trace:
    """The references of a board: rings, each with its role before its name, which may be cut off.

    Args:
        points: `name`, `x`, `y` and `reference`, the role, of each.
        tip: Plotly's template of the tip, behind the names.
        canvas: What stands on the picture already.

    Returns:
        A trace for Plotly.
    """
    named = points.assign(name=[f"{role}: {name}" for name, role in pairs_of(points, "name", "reference")])
    return named_dots(named, role="blue", tip=tip, canvas=canvas, hollow=True)


def pairs_of(points: DataFrame, first: str, second: str) -> list[tuple[Any, Any]]:
    """Two columns of each point.

    Args:
        points: A row each.
        first: The name of a column.
        second: That of another.
    """
    return list(zip(frames.plain(points[first]), frames.plain(points[second]), strict=True))


def rounded(points: DataFrame) -> DataFrame:
    """The points where their dots are drawn: those that are equal there share one."""
    return points.assign(**{axis: [round(at, PLACES) for at in points[axis]] for axis in ("x", "y")})


def pairs(points: DataFrame) -> list[tuple[float, float]]:
    """(x, y) of each point."""
    return list(zip(frames.plain(points["x"]), frames.plain(points["y"]), strict=True))


def best_first(points: DataFrame, *, across: str, up: str) -> DataFrame:
    """The points in order of `x`, and of `y` where that is equal.

    Args:
        points: `x` and `y` of each.
        across: Which `x` is the better: "lower" or "higher".
        up: Which `y` is.
    """
    return points.iloc[np.lexsort((_loss(points["y"], up), _loss(points["x"], across)))]


def front(points: DataFrame, *, across: str, up: str) -> DataFrame:
    """The points that no other one equals or beats in both figures: the Pareto front.

    Args:
        points: `x` and `y` of each, in any order.
        across: Which `x` is the better: "lower" or "higher".
        up: Which `y` is.

    Returns:
        Some of the points, the best `x` first; of those at one place the first.
    """
    ordered = best_first(points, across=across, up=up)
    loss = _loss(ordered["y"], up)
    return ordered[loss < np.minimum.accumulate(np.append(np.inf, loss[:-1]))]


def _loss(values: Series, better: str) -> FloatArray:
    """The smaller, the better."""
    losses: FloatArray = values.to_numpy(dtype=np.float64) * (1 if better == "lower" else -1)
    return losses


def steps(corners: DataFrame, *, shape: str) -> Trace:
    """The dotted line that joins the points of a front.

    Args:
        corners: `x` and `y` of each, from left to right.
        shape: "hv" where the line goes across first, "vh" where it goes up first.
    """
    line = {"shape": shape, "dash": "dot"}
    return trace(corners, {"x": "x", "y": "y"}, role="soft", mode="lines", line=line, hoverinfo="skip")


def literal(text: str) -> str:
    """Text that Plotly writes as it stands: it would read tags and entities in it."""
    return text.replace("&", "&amp;").replace("<", "&lt;")


def shorten(name: str) -> str:
    """A name as it stands beside a point; the tip has all of it."""
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1].rstrip()}…"
