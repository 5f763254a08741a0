"""Draws a card as a PNG of 1200 × 630 pixels, by Pillow at twice the size. Letters outside the font become boxes."""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from leaderboard.boards.sharing.cards import Card, Line
from leaderboard.submissions.scores.score_tables import Interval
from leaderboard.web.formatting import number

if TYPE_CHECKING:
    from PIL import ImageDraw, ImageFont

WIDTH, HEIGHT, EDGE = 1200, 630, 72
FINE = 2  # drawn pixels per pixel of the picture
FONTS = Path(__file__).parent / "fonts"
REGULAR, BOLD = "DejaVuSansCondensed.ttf", "DejaVuSansCondensed-Bold.ttf"
#: The light colours of `static/css/tokens.css`: previews have no theme.
PAPER, INK, SOFT, FAINT, LINE, GOLD, GOLD_INK, BLUE = (
    "#faf9f5", "#1d1c19", "#67645c", "#b9b4a6", "#e5e2d9", "#b7791f", "#855510", "#3f6f96",
)  # fmt: skip
MARK = ((10, 1.2), (18.8, 10), (10, 18.8), (1.2, 10))  # on a grid of 20 by 20, as in static/img/mark.svg
ROW = 46  # height of a system on the card of a board
SPARK = (EDGE, 470, 520, 540)  # box of the results so far: left, top, right, bottom


def png(card: Card, *, site: str) -> bytes:
    from PIL import Image, ImageDraw  # imported only for a card: it slows down the start of the site

    picture = Image.new("RGB", (WIDTH * FINE, HEIGHT * FINE), PAPER)
    pen = _Pen(ImageDraw.Draw(picture))
    pen.box((0, 0, WIDTH, 10), GOLD)
    pen.text(EDGE, 78, card.eyebrow, 28, SOFT, room=WIDTH - 2 * EDGE)
    size = _size_for(pen, card.title, (62, 52, 44), WIDTH - 2 * EDGE)
    pen.text(EDGE, 148, card.title, size, INK, bold=True, room=WIDTH - 2 * EDGE)
    if card.lines:
        _board(pen, card)
    else:
        _result(pen, card)
    pen.mark(EDGE, 566)
    pen.text(EDGE + 40, 590, site, 26, SOFT, room=WIDTH - 2 * EDGE - 40)
    out = io.BytesIO()
    picture.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS).save(out, "PNG", optimize=True)
    return out.getvalue()


def _size_for(pen: _Pen, text: str, sizes: Sequence[int], room: int) -> int:
    return next((size for size in sizes if pen.width(text, size, bold=True) <= room), sizes[-1])


def _board(pen: _Pen, card: Card) -> None:
    y = 206
    for words in pen.wrapped(card.sentence, 28, WIDTH - 2 * EDGE, most=2):
        pen.text(EDGE, y, words, 28, INK)
        y += 40
    low, high = _span([line for line in card.lines if line.value is not None])
    for at, line in enumerate(card.lines[: (545 - y) // ROW]):
        _system(pen, line, y + 26 + at * ROW, low, high)


def _span(lines: Sequence[Line]) -> tuple[float, float]:
    ends = [end for line in lines for end in (*(line.interval or ()), line.value or 0.0)]
    return min([0.0, *ends]), max([1.0, *ends])


def _system(pen: _Pen, line: Line, y: int, low: float, high: float) -> None:
    if line.role:
        pen.text(EDGE, y, line.role, 22, SOFT, room=96)
    else:
        pen.text(EDGE, y, line.rank or "–", 24, GOLD_INK if line.rank else SOFT, bold=True, room=90)
    pen.text(EDGE + 104, y, line.name, 24, SOFT if line.role else INK, room=420)
    pen.text(EDGE + 104, y + 17, line.origin, 15, SOFT, room=420)
    left, right = 640, WIDTH - EDGE - 110
    pen.stroke((left, y - 8, right, y - 8), LINE, 2)
    if line.value is not None:
        ink = FAINT if line.role else GOLD if line.rank else BLUE
        _whisker(pen, line.value, line.interval, (left, right), y - 8, (low, high), ink)
    pen.text(WIDTH - EDGE, y, number(line.value) if line.value is not None else "–", 24, INK, right=True)


def _whisker(
    pen: _Pen,
    value: float,
    ends: Interval,
    across: tuple[int, int],
    y: int,
    scale: tuple[float, float],
    ink: str,
) -> None:
    def place(rate: float) -> float:
        return across[0] + (rate - scale[0]) / (scale[1] - scale[0]) * (across[1] - across[0])

    if ends:
        pen.stroke((place(ends[0]), y, place(ends[1]), y), ink, 6)
        for end in ends:
            pen.stroke((place(end), y - 8, place(end), y + 8), ink, 3)
    pen.dot(place(value), y, 9, ink)


def _result(pen: _Pen, card: Card) -> None:
    if card.sentence:
        pen.text(EDGE, 200, card.sentence, 28, SOFT, room=WIDTH - 2 * EDGE)
    if card.value is None:
        pen.text(EDGE, 330, card.place or "no figure yet", 40, INK, room=WIDTH - 2 * EDGE)
        return
    pen.text(EDGE, 262, card.label, 26, SOFT, room=500)
    pen.text(EDGE, 360, card.figure, 92, GOLD_INK, bold=True)
    if card.interval:
        low, high = card.interval
        pen.text(EDGE, 410, f"95% interval {number(low)} to {number(high)}", 28, INK)
    _scale(pen, card)
    _place(pen, card.place)
    _spark(pen, card.results, card.at)


def _scale(pen: _Pen, card: Card) -> None:
    left, right, y = 660, WIDTH - EDGE, 320
    scale = _span([Line("", "", card.value, card.interval)])
    pen.stroke((left, y, right, y), LINE, 3)
    for at, text in ((left, scale[0]), (right, scale[1])):
        pen.stroke((at, y - 10, at, y + 10), LINE, 3)
        pen.text(at, y + 48, f"{text:g}", 22, SOFT, right=at == right)
    assert card.value is not None
    _whisker(pen, card.value, card.interval, (left, right), y, scale, GOLD)


def _place(pen: _Pen, words: str) -> None:
    y = 440
    head, _, tail = words.partition(" of ") if words.startswith("rank ") else ("", "", words)
    if head:
        pen.text(660, y, head, 44, INK, bold=True)
        y, tail = y + 44, f"of {tail}"
    for line in pen.wrapped(tail, 26, WIDTH - EDGE - 660, most=2):
        pen.text(660, y, line, 26, SOFT)
        y += 36


def _spark(pen: _Pen, results: Sequence[float], at: int | None) -> None:
    """Draw the system's results over time as a curve, with a dot at index `at`. Draws nothing for a single result."""
    if len(results) < 2:
        return
    left, top, right, bottom = SPARK
    low, high = min(results), max(results)
    span = (high - low) or 1.0
    step = (right - 160 - left) / (len(results) - 1)
    places = [
        (left + n * step, bottom - (each - low) / span * (bottom - top)) for n, each in enumerate(results)
    ]
    pen.curve(places, BLUE, 4)
    if at is not None:
        pen.dot(*places[at], 7, GOLD)
    pen.text(int(places[-1][0]) + 20, int(places[-1][1]) + 8, f"{len(results)} results", 22, SOFT)


class _Pen:
    """Draws on an image `FINE` times as large as the picture. Positions and sizes are in pixels of the picture."""

    def __init__(self, draw: ImageDraw.ImageDraw) -> None:
        self._draw = draw

    def box(self, corners: tuple[float, float, float, float], ink: str) -> None:
        self._draw.rectangle([FINE * each for each in corners], fill=ink)

    def stroke(self, ends: tuple[float, float, float, float], ink: str, width: int) -> None:
        self._draw.line([FINE * each for each in ends], fill=ink, width=FINE * width)

    def curve(self, places: Sequence[tuple[float, float]], ink: str, width: int) -> None:
        points = [(FINE * x, FINE * y) for x, y in places]
        self._draw.line(points, fill=ink, width=FINE * width, joint="curve")

    def dot(self, x: float, y: float, radius: float, ink: str) -> None:
        self._draw.circle((FINE * x, FINE * y), FINE * radius, fill=ink)

    def mark(self, x: float, y: float) -> None:
        """Draw the diamond that is the mark of the site."""
        scale = 1.5 * FINE
        corner = FINE * x, FINE * y
        self._draw.polygon([(corner[0] + scale * px, corner[1] + scale * py) for px, py in MARK], fill=GOLD)
        for ends in (((6, 10), (14, 10)), ((6, 7.6), (6, 12.4)), ((14, 7.6), (14, 12.4))):
            line = [(corner[0] + scale * px, corner[1] + scale * py) for px, py in ends]
            self._draw.line(line, fill="#ffffff", width=round(1.5 * scale))

    def width(self, text: str, size: int, *, bold: bool = False) -> float:
        return _font(size, bold).getlength(text) / FINE

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: int,
        ink: str,
        *,
        bold: bool = False,
        room: int = 0,
        right: bool = False,
    ) -> None:
        """Draw a line of text with its baseline at `y`. If `room` is not 0, the text is cut to this width."""
        while room and len(text) > 1 and self.width(text, size, bold=bold) > room:
            text = f"{text[:-2].rstrip()}…"
        anchor = "rs" if right else "ls"
        self._draw.text((FINE * x, FINE * y), text, fill=ink, font=_font(size, bold), anchor=anchor)

    def wrapped(self, text: str, size: int, room: int, *, most: int) -> list[str]:
        """Break a text into at most `most` lines of the width `room`. Words that do not fit become "…"."""
        lines: list[str] = []
        for word in text.split():
            longer = f"{lines[-1]} {word}" if lines else word
            if lines and self.width(longer, size) <= room:
                lines[-1] = longer
            elif len(lines) == most:
                lines[-1] = f"{lines[-1]} …"
                break
            else:
                lines.append(word)
        return lines


@cache
def _font(size: int, bold: bool) -> ImageFont.FreeTypeFont:
    from PIL import ImageFont

    # The default layout depends on a library that not every build of Pillow has, and would draw different bytes.
    return ImageFont.truetype(
        FONTS / (BOLD if bold else REGULAR), FINE * size, layout_engine=ImageFont.Layout.BASIC
    )
