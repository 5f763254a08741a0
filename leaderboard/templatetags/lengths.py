"""Curves by length, and heat maps of length by depth: inline SVG with text alternatives, styled by CSS."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from math import log2
from typing import NamedTuple

from django import template
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe

from evaluation.core.statistics import LengthFigures
from leaderboard.boards.comparison.comparison import Comparison
from leaderboard.boards.lengths.figures import Lengths, Point, points_of_groups, tokens_label
from leaderboard.boards.lengths.maps import DepthMap
from leaderboard.boards.rows import BoardRow
from leaderboard.templatetags.marks import interval, missing
from leaderboard.web.formatting import number

register = template.Library()


class _Frame(NamedTuple):
    """Size of a drawing and margins of its plot, in pixels."""

    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int
    has_axes: bool

    def across(self, tokens: int, ladder: Sequence[int]) -> float:
        first, last = log2(ladder[0]), log2(ladder[-1])
        share = (log2(tokens) - first) / (last - first) if last > first else 0.5
        return self.left + share * (self.width - self.left - self.right)

    def up(self, rate: float) -> float:
        return self.height - self.bottom - rate * (self.height - self.top - self.bottom)


IN_ROW = _Frame(150, 44, 5, 5, 5, 5, has_axes=False)
IN_CARD = _Frame(288, 150, 32, 12, 8, 20, has_axes=True)
COMPARED = _Frame(480, 220, 32, 14, 8, 20, has_axes=True)
SAMPLE = Lengths(
    (2048, 8192, 32_768, 131_072),
    LengthFigures(
        rates=(0.97, 0.94, 0.7, 0.3),
        intervals=((0.93, 0.99), (0.9, 0.97), (0.64, 0.76), (0.24, 0.36)),
        ratios=(1.0, 0.97, 0.72, 0.31),
        ratio_intervals=((1.0, 1.0), (0.93, 1.0), (0.66, 0.78), (0.25, 0.37)),
        shown=2,
        possible=2,
        area=0.76,
        area_interval=(0.72, 0.79),
    ),
)
#: Pixels of a map, which is as wide as a card's curve: its cells, and the room for words beside them.
WIDEST_CELL, CELL_HEIGHT, DEPTH_ROOM, LENGTH_ROOM, LEAST_GAP = 64.0, 20, 32, 18, 2


@register.simple_tag
def row_curve(lengths: Lengths | None) -> SafeString:
    """A system's curve with its confidence band, for a row of a board; a line marks the effective length."""
    return missing() if lengths is None else _picture(lengths, IN_ROW)


@register.simple_tag
def legend_curve() -> SafeString:
    """Sample curve for the legend: reliable up to the second of four lengths."""
    return _picture(SAMPLE, IN_ROW)


@register.simple_tag
def card_curve(lengths: Lengths | None, references: Sequence[BoardRow] = ()) -> SafeString:
    """A larger curve with axes. With `references`, also the lines that `reference_curves` defines on the page."""
    return missing() if lengths is None else _picture(lengths, IN_CARD, has_references=bool(references))


@register.simple_tag
def reference_curves(references: Sequence[BoardRow]) -> SafeString:
    """SVG definitions of the reference systems' dashed curves. A page contains them once, and each card reuses them."""
    known = [(row.system.name, row.lengths) for row in references if row.lengths]
    drawn = "".join(_reference(name, lengths, IN_CARD) for name, lengths in known)
    group = f'<defs><g id="length-references">{drawn}</g></defs>'
    return mark_safe(f'<svg class="unseen" width="0" height="0" aria-hidden="true">{group}</svg>')


def _picture(lengths: Lengths, frame: _Frame, *, has_references: bool = False) -> SafeString:
    body = _axes(lengths.tokens, frame) if frame.has_axes else ""
    body += _bar(lengths, frame)
    body += '<use href="#length-references"/>' if has_references else ""
    if lengths.effective:
        x = frame.across(lengths.effective, lengths.tokens)
        body += f'<path class="effective" d="M{x:.1f} {frame.top - 3}V{frame.height - frame.bottom + 3}"/>'
    body += "".join(_band(stretch, lengths.tokens, frame) for stretch in _stretches(lengths.points))
    return _svg(frame, f"{curve_words(lengths)}; effective length {lengths.words}", body)


def _svg(frame: _Frame, words: str, body: str) -> SafeString:
    css = "length-curve" if frame.has_axes else "length-curve small"
    return mark_safe(
        f'<svg class="{css}" viewBox="0 0 {frame.width} {frame.height}" width="{frame.width}" '
        f'height="{frame.height}" role="img"><title>{conditional_escape(words)}</title>{body}</svg>'
    )


@register.simple_tag
def compared_curves(comparison: Comparison) -> SafeString | str:
    """Chart of accuracy by text length of the compared submissions; empty if none has rates by length."""
    curves = [
        (each, points_of_groups(comparison.version, each.score.groups)) for each in comparison.contenders
    ]
    known = [(each, points) for each, points in curves if points]
    if not known:
        return ""
    tokens = tuple(point.tokens for point in known[0][1])
    body, words = _axes(tokens, COMPARED), []
    for each, points in known:
        drawn = "".join(_band(stretch, tokens, COMPARED) for stretch in _stretches(points))
        body += f'<g class="contender {each.letter.lower()}">{drawn}</g>'
        words.append(f"{each.letter}, {each.submission.system.name}: {_points_words(points)}")
    return _svg(COMPARED, "; ".join(words), body)


@register.simple_tag
def points_curve(points: Sequence[Point]) -> SafeString:
    """A curve with band and axes, without an effective length, for a score that is on no board."""
    tokens = tuple(point.tokens for point in points)
    body = _axes(tokens, IN_CARD) + "".join(_band(each, tokens, IN_CARD) for each in _stretches(points))
    return _svg(IN_CARD, _points_words(points), body)


@register.filter
def curve_words(lengths: Lengths) -> str:
    """A curve as text: `2k 98.0% (95.1–99.2), 8k …`."""
    return _points_words(lengths.points)


def _points_words(points: Iterable[Point]) -> str:
    texts = []
    for point in points:
        ends = interval(*point.interval) if point.interval else ""
        texts.append(f"{point.label} {number(point.rate)}" + (f" ({ends})" if ends else ""))
    return ", ".join(texts)


def _stretches(points: Iterable[Point]) -> list[list[Point]]:
    parts = groupby(points, key=lambda point: point.rate is None)
    return [list(part) for is_missing, part in parts if not is_missing]


def _band(stretch: Sequence[Point], tokens: Sequence[int], frame: _Frame) -> str:
    places = [(frame.across(point.tokens, tokens), point) for point in stretch]
    line = " ".join(f"{x:.1f},{frame.up(point.rate or 0.0):.1f}" for x, point in places)
    known = [(x, *point.interval) for x, point in places if point.interval]
    above = [f"{x:.1f},{frame.up(high):.1f}" for x, _, high in known]
    below = [f"{x:.1f},{frame.up(low):.1f}" for x, low, _ in reversed(known)]
    drawn = f'<polygon class="band" points="{" ".join(above + below)}"/>' if len(known) > 1 else ""
    dots = "".join(f"M{x:.1f} {frame.up(point.rate or 0.0):.1f}h0" for x, point in places)
    return f'{drawn}<polyline class="curve" points="{line}"/><path class="dots" d="{dots}"/>'


def _reference(name: str, lengths: Lengths, frame: _Frame) -> str:
    drawn = ""
    for stretch in _stretches(lengths.points):
        places = ((frame.across(point.tokens, lengths.tokens), point.rate or 0.0) for point in stretch)
        line = " ".join(f"{x:.1f},{frame.up(rate):.1f}" for x, rate in places)
        drawn += f'<polyline class="of-reference" points="{line}"><title>{conditional_escape(name)}</title></polyline>'
    return drawn


def _bar(lengths: Lengths, frame: _Frame) -> str:
    if lengths.bar is None:
        return ""
    y = frame.up(lengths.bar)
    return f'<path class="bar-to-keep" d="M{frame.left} {y:.1f}H{frame.width - frame.right}"/>'


def _axes(tokens: Sequence[int], frame: _Frame) -> str:
    right, below = frame.width - frame.right, frame.height - 5
    grid = "".join(f"M{frame.left} {frame.up(rate):.1f}H{right}" for rate in (0.0, 0.5, 1.0))
    rates = "".join(
        f'<text class="axis" x="{frame.left - 5}" y="{frame.up(rate) + 3:.1f}" text-anchor="end">{text}</text>'
        for rate, text in ((0.0, "0"), (0.5, "50"), (1.0, "100"))
    )
    names = "".join(
        f'<text class="axis" x="{frame.across(each, tokens):.1f}" y="{below}" text-anchor="middle">'
        f"{tokens_label(each)}</text>"
        for each in _apart(tokens, frame)
    )
    return f'<path class="grid" d="{grid}"/>{rates}{names}'


def _apart(tokens: Sequence[int], frame: _Frame) -> list[int]:
    named: list[int] = []
    for each in tokens:
        if not named or frame.across(each, tokens) - frame.across(named[-1], tokens) >= DEPTH_ROOM:
            named.append(each)
    return named


@register.simple_tag
def heat_map(found: DepthMap | None, name: str = "") -> SafeString:
    """Heat map: length across, depth downward, accuracy as colour strength. Each cell has a tooltip."""
    if found is None:
        return missing()
    width, each = IN_CARD.width, _cell_width(found)
    height = len(found.depths) * CELL_HEIGHT + LENGTH_ROOM
    body = "".join(_line(found, at) for at in range(len(found.depths)))
    body += "".join(
        f'<text class="axis" x="{DEPTH_ROOM + (at + 0.5) * each - 1:.1f}" y="{height - 4}" '
        f'text-anchor="middle">{length}</text>'
        for at, length in enumerate(found.lengths)
    )
    words = conditional_escape(f"{name} accuracy by length and depth, {found.words}".strip())
    return mark_safe(
        f'<svg class="heat-map" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">'
        f"<title>{words}</title>{body}</svg>"
    )


def _cell_width(found: DepthMap) -> float:
    return min(WIDEST_CELL, (IN_CARD.width - DEPTH_ROOM - IN_CARD.right) / len(found.lengths))


def _line(found: DepthMap, at: int) -> str:
    """A row of the heat map: label and cells of one depth, on a background that stays visible under weak colours."""
    y, drawn, ground = at * CELL_HEIGHT, "", ""
    width, high = _cell_width(found) - LEAST_GAP, CELL_HEIGHT - LEAST_GAP
    depth = conditional_escape(found.depths[at])
    for place, cell in enumerate(found.cells[at]):
        x = DEPTH_ROOM + place * (width + LEAST_GAP)
        box = f'x="{x:.1f}" y="{y}" width="{width:.1f}" height="{high}" rx="3"'
        where = f"{found.lengths[place]}, depth {depth}: {number(cell.value)}"
        if cell.value is None:
            drawn += f'<rect class="none" {box}><title>{where}</title></rect>'
            continue
        ground += f"M{x:.1f} {y}h{width:.1f}v{high}h{-width:.1f}z"
        strength = min(1.0, max(0.0, cell.value))
        drawn += f'<rect class="cell" {box} fill-opacity="{strength:.2f}"><title>{where}</title></rect>'
    name = f'<text class="axis" x="{DEPTH_ROOM - 6}" y="{y + 13}" text-anchor="end">{depth}</text>'
    return f'<path class="ground" d="{ground}"/>{drawn}{name}'
