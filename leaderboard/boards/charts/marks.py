"""Converts tidy DataFrames to Plotly traces. Colour roles such as "gold" name custom properties of the style sheet."""

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
PLACES = 4  # decimals of a position: points equal after rounding, less than a pixel apart, share a dot


def trace(
    marks: DataFrame,
    places: Mapping[str, str],
    *,
    whiskers: str = "",
    tip: str = "",
    role: str | Sequence[str] = "",
    **style: Any,
) -> Trace:
    """Plotly trace with a mark per row of a table, none for null. `style` has attributes of the whole trace.

    Args:
        places: Attribute of Plotly -> column, such as `{"x": "budget", "y": "value"}`.
        whiskers: "x" or "y": the axis along which the columns `low` and `high` are an interval; empty for none.
        role: Colour role of the marks: one for all, or one per mark; empty for the colour of the series.
    """
    drawn: Trace = {"type": "scatter"} | style
    drawn |= {attribute: frames.plain(marks[column]) for attribute, column in places.items()}
    if whiskers:
        drawn[f"error_{whiskers}"] = _whiskers(marks, places[whiskers])
    if tip:
        drawn["hovertemplate"] = f"{tip}<extra></extra>"
    return _coloured(drawn, role) if role else drawn


def _whiskers(marks: DataFrame, column: str) -> dict[str, object]:
    up, down = (marks["high"] - marks[column]).fillna(0.0), (marks[column] - marks["low"]).fillna(0.0)
    reach = {"array": frames.plain(up), "arrayminus": frames.plain(down)}
    return {"type": "data", "symmetric": False, **reach, "thickness": 1.2, "width": 4}


def _coloured(drawn: Trace, role: str | Sequence[str]) -> Trace:
    one = isinstance(role, str)
    colour = {"color": f"--{role}" if one else [f"--{each}" for each in role]}
    parts = ["marker"] + [part for part in ("line", "error_y") if one and part in drawn]
    if one and drawn["type"] == "scatter":
        parts.append("line")
    return drawn | {part: drawn.get(part, {}) | colour for part in parts}


def named_dots(points: DataFrame, *, role: str, tip: str, canvas: Canvas, hollow: bool = False) -> Trace:
    """Trace with one dot per position, labelled with the first name there if space is free. The tooltip has all names.

    Args:
        points: `name`, `x`, `y` and optionally `url`; the first point at a position gives label and link.
        canvas: Occupied areas of the chart; the areas of the labels are added.
        hollow: Draw rings, as for references.
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
    """The attribute of a trace by which `figures.js` turns marks into links. Null and empty URLs give no link."""
    return {"meta": {"urls": frames.plain(addresses)}}


def reference_dots(points: DataFrame, *, tip: str, canvas: Canvas) -> Trace:
    """Trace of reference systems as rings, labelled "role: name". `points` has `name`, `x`, `y` and `reference`."""
    named = points.assign(name=[f"{role}: {name}" for name, role in pairs_of(points, "name", "reference")])
    return named_dots(named, role="blue", tip=tip, canvas=canvas, hollow=True)


def pairs_of(points: DataFrame, first: str, second: str) -> list[tuple[Any, Any]]:
    return list(zip(frames.plain(points[first]), frames.plain(points[second]), strict=True))


def rounded(points: DataFrame) -> DataFrame:
    """Round `x` and `y` of the points, so that points too close to tell apart share a dot."""
    return points.assign(**{axis: [round(at, PLACES) for at in points[axis]] for axis in ("x", "y")})


def pairs(points: DataFrame) -> list[tuple[float, float]]:
    return list(zip(frames.plain(points["x"]), frames.plain(points["y"]), strict=True))


def best_first(points: DataFrame, *, across: str, up: str) -> DataFrame:
    """Sort points by `x`, then `y`, best first: `across` (for `x`) and `up` (for `y`) are "lower" or "higher"."""
    return points.iloc[np.lexsort((_loss(points["y"], up), _loss(points["x"], across)))]


def front(points: DataFrame, *, across: str, up: str) -> DataFrame:
    """The Pareto front of the points, sorted as by `best_first`. Of equal points, only the first is kept."""
    ordered = best_first(points, across=across, up=up)
    loss = _loss(ordered["y"], up)
    return ordered[loss < np.minimum.accumulate(np.append(np.inf, loss[:-1]))]


def _loss(values: Series, better: str) -> FloatArray:
    losses: FloatArray = values.to_numpy(dtype=np.float64) * (1 if better == "lower" else -1)
    return losses


def steps(corners: DataFrame, *, shape: str) -> Trace:
    """Dotted stepped line through the points of a Pareto front. "hv" goes across first, "vh" goes up first."""
    line = {"shape": shape, "dash": "dot"}
    return trace(corners, {"x": "x", "y": "y"}, role="soft", mode="lines", line=line, hoverinfo="skip")


def literal(text: str) -> str:
    """Escape a text for Plotly, which otherwise interprets tags and entities."""
    return text.replace("&", "&amp;").replace("<", "&lt;")


def shorten(name: str, letters: int = LONGEST) -> str:
    """A name cut to at most `letters` characters. Tooltips show the whole name."""
    return name if len(name) <= letters else f"{name[: max(letters - 1, 1)].rstrip(' -_.')}…"
