"""The ranking as a forest plot in SVG, wide (also the download) and narrow; the style sheet shows one of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django import template
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe

from evaluation.core.suite import Column
from leaderboard.boards.charts.marks import shorten
from leaderboard.boards.references import GUESSING, ReferenceLine
from leaderboard.boards.rows import BoardRow
from leaderboard.templatetags.marks import interval
from leaderboard.web.formatting import number

register = template.Library()

LETTER = 6.6  # pixels per letter at 13 px, rounded up so that names fit
SMALL = 5.4  # the same at 12 px


class _Frame(NamedTuple):
    """Layout of a drawing in pixels: the axis is from `left` to `right`, and each system has a row of height `row`."""

    width: int
    left: int
    right: int
    top: int
    row: int
    is_wide: bool

    def bottom(self, rows: Sequence[BoardRow]) -> int:
        return self.top + self.row * len(rows)

    def across(self, rate: float) -> float:
        return self.left + min(1.0, max(0.0, rate)) * (self.right - self.left)


WIDE = _Frame(1100, 440, 900, 30, 34, is_wide=True)
NARROW = _Frame(330, 4, 322, 22, 46, is_wide=False)


@register.simple_tag
def forest_plot(rows: Sequence[BoardRow], lines: Sequence[ReferenceLine], headline: Column) -> SafeString:
    """Draw rows with a headline score from 0 to 1 as a forest plot, once wide and once narrow."""
    return mark_safe("".join(_drawing(_on_scale(rows), lines, headline, frame) for frame in (WIDE, NARROW)))


class FilePlot(NamedTuple):
    """The wide forest plot for a separate SVG file, without the `<svg>` element."""

    body: SafeString
    width: int
    height: int


@register.simple_tag
def forest_file(
    rows: Sequence[BoardRow], lines: Sequence[ReferenceLine], headline: Column, site: str
) -> FilePlot:
    """The forest plot for a separate SVG file, with absolute links."""
    drawn = _on_scale(rows)
    body = _body(drawn, lines, headline, WIDE).replace('<a href="/', f'<a href="{conditional_escape(site)}')
    return FilePlot(mark_safe(body), WIDE.width, WIDE.bottom(drawn) + 22)


def _on_scale(rows: Sequence[BoardRow]) -> list[BoardRow]:
    return [row for row in rows if row.value is not None and 0 <= row.value <= 1]


def _drawing(
    rows: Sequence[BoardRow], lines: Sequence[ReferenceLine], headline: Column, frame: _Frame
) -> str:
    body = _body(rows, lines, headline, frame)
    size = f'viewBox="0 0 {frame.width} {frame.bottom(rows) + 22}"'
    name = f'role="group" aria-label="Forest plot: {conditional_escape(headline.label)} of each system"'
    return f'<svg class="forest {"wide" if frame.is_wide else "narrow"}" {size} {name}>{body}</svg>'


def _body(rows: Sequence[BoardRow], lines: Sequence[ReferenceLine], headline: Column, frame: _Frame) -> str:
    body = _ground(lines, headline, frame, frame.bottom(rows))
    body += "".join(_row(row, at, headline, frame) for at, row in enumerate(rows))
    return body + (_brackets(rows, frame) if frame.is_wide else "")


def _ground(lines: Sequence[ReferenceLine], headline: Column, frame: _Frame, bottom: float) -> str:
    body = ""
    for line in lines:
        x = frame.across(line.value)
        if line.role == GUESSING:
            start, end = (frame.left, x) if headline.better == "higher" else (x, frame.right)
            box = f'x="{start:.1f}" y="{frame.top}" width="{end - start:.1f}" height="{bottom - frame.top}"'
            body += f'<rect class="guess" {box}/>'
        body += (
            f'<line class="reference {line.role}" x1="{x:.1f}" x2="{x:.1f}" y1="{frame.top}" y2="{bottom}"/>'
        )
    for rate in (0.0, 0.25, 0.5, 0.75, 1.0):
        x, text = frame.across(rate), f"{100 * rate:.0f}{'%' if rate == 1 else ''}"
        anchor = "middle" if frame.is_wide else {0.0: "start", 1.0: "end"}.get(rate, "middle")
        body += f'<path class="grid" d="M{x:.1f} {frame.top}V{bottom}"/>'
        body += f'<text x="{x:.1f}" y="{bottom + 16}" text-anchor="{anchor}">{text}</text>'
    return body + _names(lines, frame)


def _names(lines: Sequence[ReferenceLine], frame: _Frame) -> str:
    return "".join(
        f'<text x="{frame.across(line.value):.1f}" y="{frame.top - 8}" text-anchor="{line.anchor}">'
        f"{line.role} {number(line.value)}</text>"
        for line in lines
    )


def _row(row: BoardRow, at: int, headline: Column, frame: _Frame) -> str:
    top = frame.top + frame.row * at
    middle = top + (frame.row / 2 if frame.is_wide else 32)
    text_at = middle + 4 if frame.is_wide else top + 17
    rank, value = row.rank_range or "–", number(row.value, headline.format)
    ends = interval(row.low, row.high, headline.format)
    if frame.is_wide:
        rank_and_name = f'<text class="strong" x="58" y="{text_at:.0f}" text-anchor="end">{rank}</text>'
        rank_and_name += _name(row, 70, text_at, room=frame.left - 82)
        score = f'<text x="{frame.width - 150}" y="{text_at:.0f}"><tspan class="strong">{value}</tspan> {ends}</text>'
    else:
        room = frame.right - 62
        rank_and_name = _name(row, frame.left, text_at, room=room, before=f"{rank} ")
        score = f'<text class="strong" x="{frame.right}" y="{text_at:.0f}" text-anchor="end">{value}</text>'
    return f'<g class="{row.state}">{rank_and_name}{_mark(row, middle, frame)}{score}</g>'


def _name(row: BoardRow, x: float, y: float, *, room: float, before: str = "") -> str:
    """Draw the model's name, followed by the system's way of reading if `room` (pixels) suffices."""
    title = shorten(row.system.title, int(room / LETTER) - len(before))
    left = int((room - LETTER * (len(before) + len(title) + 1)) / SMALL)
    reads = shorten(row.reads, left) if left > 8 else ""
    return (
        f'<text x="{x}" y="{y:.0f}"><tspan class="strong">{before}</tspan>'
        f'<a href="{row.submission.get_absolute_url()}"><title>{conditional_escape(row.system.name)}</title>'
        f'<tspan class="strong">{conditional_escape(title)}</tspan></a> {conditional_escape(reads)}</text>'
    )


def _mark(row: BoardRow, y: float, frame: _Frame) -> str:
    body = ""
    if row.low is not None and row.high is not None:
        low, high = frame.across(row.low), frame.across(row.high)
        css = "bar claimed" if row.claimed else "bar"
        body = (
            f'<rect class="{css}" x="{low:.1f}" y="{y - 6:.1f}" width="{high - low:.1f}" height="12" rx="2"/>'
        )
    x = frame.across(row.value or 0.0)
    return f'{body}<path class="tick" d="M{x:.1f} {y - 8:.1f}v16"/>'


def _brackets(rows: Sequence[BoardRow], frame: _Frame) -> str:
    paths = ""
    begun: dict[int, str] = {}  # lane -> the path up to here
    for at, row in enumerate(rows):
        y = frame.top + frame.row * (at + 0.5)
        for tie in row.ties:
            x = frame.right + 16 + 11 * tie.lane
            start = begun.setdefault(
                tie.lane, f"M{x} {y - 8:.0f}h6" if tie.is_first else f"M{x + 6} {y - 17:.0f}"
            )
            if tie.is_last or at == len(rows) - 1:
                paths += f"{start}V{y + 8:.0f}h-6" if tie.is_last else f"{start}V{y + 17:.0f}"
                del begun[tie.lane]
    return f'<path class="brackets" d="{paths}"/>' if paths else ""
