"""Charts as SVG without scripts: rates between 0 and 1 over an ordered axis, in light and dark colours.

Series differ in colour, mark and dash and are named in a legend; every mark shows its rate as a tooltip.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape as escape_html
from typing import NamedTuple

WIDTH, HEIGHT = 600, 320
LEFT, RIGHT, TOP, BOTTOM = 46, 16, 40, 54
LEGEND_LINE, LETTER = 20, 6.6  # px: line height of the legend, mean width of a letter
SERIES = 6  # distinct styles; the seventh series looks like the first
DASHES = ("", "6 4", "2 3", "9 3 2 3", "", "6 4")

#: Colours of static/css/tokens.css, copied because a report stands alone.
STYLE = """
.chart { display: block; max-width: 100%; height: auto; --ink: #1d1c19; --soft: #67645c; --line: #e5e2d9;
  --s1: #3f6f96; --s2: #b7791f; --s3: #4c8c6b; --s4: #94527d; --s5: #6f6a60; --s6: #b0533f }
.chart text { font: 12px system-ui, sans-serif; fill: var(--soft) }
.chart .name { fill: var(--ink) }
.chart .title { fill: var(--ink); font-weight: 600; font-size: 14px }
.chart .grid { stroke: var(--line) }
.chart .bar { stroke: var(--soft); stroke-dasharray: 4 4 }
.chart .curve { fill: none; stroke-width: 2 }
.chart .ends { stroke-width: 1.5; stroke-opacity: .55 }
@media (prefers-color-scheme: dark) {
  .chart { --ink: #eae8e2; --soft: #a09d94; --line: #2a2d34;
    --s1: #7dadd3; --s2: #dfa542; --s3: #74c196; --s4: #d094bb; --s5: #b3afa4; --s6: #ec8d7b }
}
""" + "\n".join(
    f".chart .c{number} {{ stroke: var(--s{number}) }} .chart .m{number} {{ fill: var(--s{number}) }}"
    for number in range(1, SERIES + 1)
)


_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Point(NamedTuple):
    """A rate at a position of the axis; `low` and `high` are the ends of its interval, if there is an interval."""

    x: str
    y: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Series:
    name: str
    points: Sequence[Point]


@dataclass(frozen=True, slots=True)
class Chart:
    """A rate of several series over an axis. `bars` are reference levels: (name, rate)."""

    title: str
    x_title: str
    series: Sequence[Series]
    connected: bool = True  # the axis has an order, so lines between points mean something
    bars: Sequence[tuple[str, float]] = ()
    order: Sequence[str] = ()  # of the axis positions, if no series has all of them

    @property
    def places(self) -> list[str]:
        """Axis positions: first those in `order`, then all others in the order of the series' points."""
        return list(dict.fromkeys([*self.order, *(p.x for series in self.series for p in series.points)]))

    def svg(self, *, styled: bool = True) -> str:
        """The chart as SVG. `styled` includes the style sheet, which a file needs and a page has already."""
        legend = list(_legend_lines([each.name for each in self.series]))
        height = HEIGHT + LEGEND_LINE * len(legend)
        title = _escape(self.title, quote=True)
        parts = [_text(0, 16, self.title, "start", "title"), *_grid(), *self._axis(), *self._levels()]
        for number, series in enumerate(self.series):
            parts += self._drawn(series, number)
        parts += _legend(legend)
        style = f"<style>{STYLE}</style>" if styled else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
            f'height="{height}" role="img" aria-label="{title}"><title>{title}</title>{style}\n'
            + "\n".join(parts)
            + "\n</svg>\n"
        )

    def _x(self, place: str, number: int) -> float:
        """x coordinate of series `number` at an axis position. Series are shifted to keep equal points visible."""
        count = len(self.series)
        band = (WIDTH - LEFT - RIGHT) / len(self.places)
        step = min(6.0 if self.connected else 16.0, band * 0.8 / count)
        aside = (number - (count - 1) / 2) * step
        return self._centre(place) + aside

    def _axis(self) -> Iterator[str]:
        places = self.places
        room = int((WIDTH - LEFT - RIGHT) / max(len(places), 1) / LETTER)
        for place in places:
            text = place if len(place) <= room else f"{place[: max(room - 1, 1)]}…"
            yield _text(self._centre(place), HEIGHT - BOTTOM + 20, text, "middle")
        yield _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - BOTTOM + 40, self.x_title, "middle")

    def _centre(self, place: str) -> float:
        places = self.places
        return LEFT + (places.index(place) + 0.5) * (WIDTH - LEFT - RIGHT) / len(places)

    def _levels(self) -> Iterator[str]:
        for name, level in self.bars:
            y = _y(level)
            yield f'<line class="bar" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
            yield _text(WIDTH - RIGHT, y - 4 if level < 0.9 else y + 14, name, "end")

    def _drawn(self, series: Series, number: int) -> Iterator[str]:
        look = number % SERIES
        known = [point for point in series.points if point.y is not None]
        for point in known:
            if point.low is not None and point.high is not None:
                x = self._x(point.x, number)
                ends = f'y1="{_y(point.low):.1f}" y2="{_y(point.high):.1f}"'
                yield f'<line class="ends c{look + 1}" x1="{x:.1f}" x2="{x:.1f}" {ends}/>'
        if self.connected and len(known) > 1:
            line = " ".join(f"{self._x(point.x, number):.1f},{_y(point.y or 0.0):.1f}" for point in known)
            dash = f' stroke-dasharray="{DASHES[look]}"' if DASHES[look] else ""
            yield f'<polyline class="curve c{look + 1}" points="{line}"{dash}/>'
        for point in known:
            yield _mark(
                look, self._x(point.x, number), _y(point.y or 0.0), f"{series.name}, {point.x}: {point.y:.3f}"
            )


def _escape(text: str, *, quote: bool = False) -> str:
    return escape_html(_NO_XML.sub("", text), quote=quote)


def _y(share: float) -> float:
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - min(max(share, 0.0), 1.0))


def _grid() -> Iterator[str]:
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = _y(share)
        yield f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield _text(LEFT - 8, y + 4, f"{share:.2f}", "end")


def _text(x: float, y: float, text: str, anchor: str, css: str = "") -> str:
    look = f' class="{css}"' if css else ""
    return f'<text{look} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{_escape(text)}</text>'


def _mark(look: int, x: float, y: float, words: str = "") -> str:
    """A circle, square, triangle or diamond; further series repeat these shapes in other colours."""
    tip = f"<title>{_escape(words)}</title>" if words else ""
    css = f'class="m{look + 1}"'
    match look % 4:
        case 0:
            return f'<circle {css} cx="{x:.1f}" cy="{y:.1f}" r="4.5">{tip}</circle>'
        case 1:
            return f'<rect {css} x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8">{tip}</rect>'
        case 2:
            shape = f"{x:.1f},{y - 5:.1f} {x + 5:.1f},{y + 4:.1f} {x - 5:.1f},{y + 4:.1f}"
        case _:
            shape = f"{x:.1f},{y - 6:.1f} {x + 5:.1f},{y:.1f} {x:.1f},{y + 6:.1f} {x - 5:.1f},{y:.1f}"
    return f'<polygon {css} points="{shape}">{tip}</polygon>'


def _legend_lines(names: Sequence[str]) -> Iterator[list[tuple[int, str, float]]]:
    """Yield the lines of the legend, wrapped to the width, as lists of (number, name, x)."""
    line: list[tuple[int, str, float]] = []
    x = float(LEFT)
    for number, name in enumerate(names):
        width = 24 + LETTER * len(name)
        if line and x + width > WIDTH - RIGHT:
            yield line
            line, x = [], float(LEFT)
        line.append((number, name, x))
        x += width + 12
    if line:
        yield line


def _legend(lines: Sequence[Sequence[tuple[int, str, float]]]) -> Iterator[str]:
    for row, line in enumerate(lines):
        y = HEIGHT + LEGEND_LINE * row + 2
        for number, name, x in line:
            yield _mark(number % SERIES, x + 5, y)
            yield _text(x + 16, y + 4, name, "start", "name")
