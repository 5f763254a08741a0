"""A report as JSON and back, so that one machine makes it and another shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.core.pages.charts import Chart, Point, Series
from evaluation.core.pages.document import Document, Heading, Part, Picture, Table, Text


def document_as_json(document: Document) -> dict[str, Any]:
    """A document as JSON data.

    Args:
        document: The document.
    """
    return {"title": document.title, "parts": [_part_as_json(part) for part in document.parts]}


def document_from_json(data: Mapping[str, Any]) -> Document:
    """The document that `document_as_json` was given.

    Args:
        data: What it returned.

    Raises:
        KeyError: The data are something else.
    """
    return Document(str(data["title"]), [_part_from_json(part) for part in data["parts"]])


def _part_as_json(part: Part) -> dict[str, Any]:
    match part:
        case Heading(text, level):
            return {"heading": text, "level": level}
        case Text(text):
            return {"text": text}
        case Table(headings, rows):
            return {"headings": list(headings), "rows": [list(row) for row in rows]}
        case Picture(name, chart, caption):
            return {"picture": name, "caption": caption, "chart": _chart_as_json(chart)}


def _part_from_json(data: Mapping[str, Any]) -> Part:
    if "heading" in data:
        return Heading(data["heading"], data["level"])
    if "text" in data:
        return Text(data["text"])
    if "headings" in data:
        return Table(data["headings"], data["rows"])
    return Picture(data["picture"], _chart_from_json(data["chart"]), data["caption"])


def _chart_as_json(chart: Chart) -> dict[str, Any]:
    return {
        "title": chart.title,
        "x_title": chart.x_title,
        "connected": chart.connected,
        "bars": [list(bar) for bar in chart.bars],
        "series": [
            {"name": each.name, "points": [list(point) for point in each.points]} for each in chart.series
        ],
    }


def _chart_from_json(data: Mapping[str, Any]) -> Chart:
    series = [Series(each["name"], [Point(*point) for point in each["points"]]) for each in data["series"]]
    bars: Sequence[tuple[str, float]] = [(name, level) for name, level in data["bars"]]
    return Chart(data["title"], data["x_title"], series, data["connected"], bars)
