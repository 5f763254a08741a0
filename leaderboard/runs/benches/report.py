"""Turns the engine's report into a page of the site: sections with anchors, charts in the site's style."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify

from evaluation.core.pages.document import Document, Heading, Part, Picture, Table, Text

PROSE = 30  # characters from which a cell may wrap: half the width of a phone


@dataclass(frozen=True, slots=True)
class Cell:
    """A table cell. `look` is a CSS class: `n` for numbers, `pass`, `fail`, `prose` for text that wraps."""

    text: str
    look: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A text, a table or a chart of a report."""

    text: str = ""
    headings: list[Cell] = field(default_factory=list)
    rows: list[list[Cell]] = field(default_factory=list)
    svg: SafeString | None = None
    caption: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    title: str
    anchor: str
    parts: list[Shown] = field(default_factory=list)


def sections(document: Document) -> list[Section]:
    """The sections of a report. A section before the first heading has no title."""
    found = [Section("", "report")]
    for part in document.parts:
        if isinstance(part, Heading):
            found.append(Section(part.text, f"report-{slugify(part.text)}"))
        else:
            found[-1].parts.append(_shown(part))
    return [section for section in found if section.parts or section.title]


def _shown(part: Part) -> Shown:
    match part:
        case Heading(text) | Text(text):
            return Shown(text=text)
        case Table(headings, rows):
            looks = ["n" if number else "" for number in part.numeric]
            heads = [Cell(text, look) for text, look in zip(headings, looks, strict=True)]
            return Shown(headings=heads, rows=[_row(row, looks) for row in rows])
        case Picture(name, chart, caption):
            # Safe: the engine escapes the texts. Unstyled: the site's style sheet colours the classes.
            return Shown(svg=mark_safe(chart.svg(styled=False)), caption=caption, name=name)


def _row(cells: Sequence[str], looks: Sequence[str]) -> list[Cell]:
    return [Cell(text, _look(text, look)) for text, look in zip(cells, looks, strict=True)]


def _look(text: str, look: str) -> str:
    if text in ("pass", "fail"):
        return text
    return "prose" if len(text) > PROSE else look
