"""Chart of accuracy by length, one curve per model: the finding as a sentence, and the geometry of its SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import log2
from typing import Any, NamedTuple

from evaluation.core.statistics import KEEP
from evaluation.core.terminal.wording import noun, number_of
from leaderboard.boards.charts.marks import shorten
from leaderboard.boards.front.standings import Board, Standing
from leaderboard.boards.lengths import computing
from leaderboard.boards.lengths.figures import Lengths, Point, rungs_of, tokens_label
from leaderboard.submissions.models import System

MOST_COLOURED = 6  # as many colours as readers can distinguish
LABEL = 15.0  # pixels between two names at the ends of curves
#: Way of reading -> dash pattern of the curve.
DASHES = {
    System.Reading.RETRIEVAL: "7 3",
    System.Reading.MEMORY: "2 3",
    System.Reading.AGENT: "9 3 2 3",
    System.Reading.OTHER: "4 4",
}
Named = tuple[Standing, Lengths]


class Frame(NamedTuple):
    """The size of a drawing and the margins of its plot, in pixels."""

    name: str  # a class of the style sheet
    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int
    letters: int  # longest name at the end of a curve

    def y(self, rate: float) -> float:
        return round(self.height - self.bottom - rate * (self.height - self.top - self.bottom), 1)


FRAMES = (
    Frame("wide-only", 680, 344, 40, 152, 12, 44, 18),
    Frame("narrow-only", 343, 264, 32, 108, 10, 40, 12),
)


@dataclass(frozen=True, slots=True)
class Curve:
    """A drawn curve. `number` selects its colour; curves with the number 0 are grey and have no label."""

    number: int
    dash: str
    line: str
    band: str
    dot: tuple[float, float] | None  # the longest reliable length
    label: str
    label_y: float
    end: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Drawing:
    """Geometry of the chart for one `Frame`. There is one for wide and one for narrow windows."""

    frame: Frame
    rates: Sequence[tuple[float, str]]
    lengths: Sequence[tuple[float, str]]
    guessing: str  # points of the band below the guessing line; empty: not known
    curves: Sequence[Curve]
    last: float  # right end of the plot
    before: float  # right end of the rate labels
    below: float  # baseline of the length labels, then of the axis title
    lowest: float
    middle: float
    named: float  # start of the line to a curve's name, then of its text
    names: float


@dataclass(frozen=True, slots=True)
class LengthsPicture:
    board: Board
    finding: str
    about: str
    key: str
    words: str
    drawings: Sequence[Drawing]
    has_room: bool  # no model is above guessing


def picture_of(board: Board) -> LengthsPicture | None:
    """The chart of a board; None if the version has no lengths, or while figures by length are being computed."""
    rungs = rungs_of(board.version)
    lengths = computing.board_lengths(board.version) if rungs else {}
    if not rungs or (board.standings and not lengths):
        return None
    tokens = [rung.tokens for rung in rungs]
    curves = _curves(board, lengths)
    guesses = [each.value if each else None for each in computing.guesses_of(board.version)]
    return LengthsPicture(
        board=board,
        finding=finding_of(curves, tokens),
        about=_about(board),
        key=_key(curves),
        words=_words(curves),
        drawings=[_drawing(frame, tokens, curves, guesses) for frame in FRAMES],
        has_room=not any(each.placement.above for each, _ in curves),
    )


def _curves(board: Board, lengths: Mapping[Any, Lengths]) -> list[Named]:
    found = [(each, lengths[each.placement.key]) for each in board.standings if each.placement.key in lengths]
    return [(each, of) for each, of in found if any(point.rate is not None for point in of.points)]


def finding_of(curves: Sequence[Named], tokens: Sequence[int]) -> str:
    """Sentences on which models are reliable up to the longest length, and how many fail sooner."""
    first, last = tokens_label(tokens[0]), tokens_label(tokens[-1])
    if not curves:
        return f"No model tested yet, from {first} to {last} tokens"
    above = [(each, of) for each, of in curves if each.placement.above]
    if not above:
        return f"No model above guessing yet: {len(curves):,} tested, from {first} to {last} tokens"
    longest = max(of.effective or 0 for _, of in above)
    if not longest:
        return f"No model is shown to keep track yet: {len(curves):,} tested, from {first} to {last} tokens"
    holding = [each for each, of in above if of.effective == longest]
    return " ".join(filter(None, (_longest(holding, len(curves), longest, tokens), _sooner(curves, longest))))


def _longest(holding: Sequence[Standing], total: int, longest: int, tokens: Sequence[int]) -> str:
    reach = f"up to {tokens_label(longest)} tokens" + (
        ", the longest tested" if longest == tokens[-1] else ""
    )
    if len(holding) == 1:
        return f"{holding[0].entrant.title} keeps track {reach}."
    if len(holding) == total:
        return f"All {total:,} models keep track {reach}."
    return f"{len(holding):,} of {total:,} models keep track {reach}."


def _sooner(curves: Sequence[Named], longest: int) -> str:
    failed = sum(of.possible is not None and of.possible < longest for _, of in curves)
    return (
        f"{failed:,} of {number_of(len(curves), 'model')} {noun(failed, 'loses', 'lose')} track sooner."
        if failed
        else ""
    )


def _about(board: Board) -> str:
    rows = {board.version.conditions.get(rung.split, 0) for rung in rungs_of(board.version)}
    each = f"{next(iter(rows)):,} questions at each length, " if len(rows) == 1 and 0 not in rows else ""
    return f"{board.version.headline.label} by length of the text, {each}with 95% intervals"


def _key(curves: Sequence[Named]) -> str:
    coloured, grey = _coloured(curves), len(curves) - len(_coloured(curves))
    dashed = any(each.entrant.reading in DASHES for each, _ in coloured)
    said = (
        "Colour: the model." if coloured else "",
        "Dash pattern: how the system reads the text." if dashed else "",
        f"Dot: longest reliable length, with {KEEP:.0%} of the accuracy at the shortest length."
        if any(of.effective for _, of in coloured)
        else "",
        f"Thin grey: {number_of(grey, 'other model')}." if grey else "",
    )
    return " ".join(filter(None, said))


def _words(curves: Sequence[Named]) -> str:
    described = (
        f"{each.entrant.title}: "
        + ", ".join(f"{point.label} {point.rate:.1%}" for point in of.points if point.rate is not None)
        for each, of in curves
    )
    return "; ".join(described) or "No curve yet."


def _coloured(curves: Sequence[Named]) -> list[Named]:
    above = [(each, of) for each, of in curves if each.placement.above]
    return list(above or curves)[:MOST_COLOURED]


def _drawing(
    frame: Frame, tokens: Sequence[int], curves: Sequence[Named], guesses: Sequence[float | None]
) -> Drawing:
    coloured = _coloured(curves)
    frame = frame if coloured else frame._replace(right=24)  # without names the margin can be small
    xs = _places(frame, tokens)
    drawn = [_curve(frame, xs, 0, each, of) for each, of in curves if (each, of) not in coloured]
    named = [_curve(frame, xs, at, each, of) for at, (each, of) in enumerate(coloured, 1)]
    return Drawing(
        frame=frame,
        rates=[
            (frame.y(rate / 100), f"{rate}%" if rate == 100 else f"{rate}") for rate in (0, 25, 50, 75, 100)
        ],
        lengths=[(x, tokens_label(each)) for x, each in zip(xs, tokens, strict=True)],
        guessing=_guessing(frame, xs, guesses),
        curves=[*drawn, *_apart(named, frame)],
        last=xs[-1],
        before=frame.left - 8,
        below=frame.height - frame.bottom + 17,
        lowest=frame.height - frame.bottom + 34,
        middle=(xs[0] + xs[-1]) / 2,
        named=xs[-1] + 10,
        names=xs[-1] + 13,
    )


def _places(frame: Frame, tokens: Sequence[int]) -> list[float]:
    first, last = log2(tokens[0]), log2(tokens[-1])
    width = frame.width - frame.left - frame.right
    return [round(frame.left + width * (log2(each) - first) / (last - first), 1) for each in tokens]


def _guessing(frame: Frame, xs: Sequence[float], guesses: Sequence[float | None]) -> str:
    """SVG points of the area below the guessing line; empty unless the line is known at every length."""
    known = [guess for guess in guesses if guess is not None]
    if len(known) < len(xs) or not any(known):
        return ""
    above = [f"{x:g},{frame.y(guess):g}" for x, guess in zip(xs, known, strict=True)]
    return " ".join([f"{xs[0]:g},{frame.y(0):g}", *above, f"{xs[-1]:g},{frame.y(0):g}"])


def _curve(frame: Frame, xs: Sequence[float], number: int, standing: Standing, lengths: Lengths) -> Curve:
    points = list(zip(xs, lengths.points, strict=True))
    known = [(x, point) for x, point in points if point.rate is not None]
    at = next(((x, p.rate) for x, p in known if number and lengths.effective == p.tokens), None)
    end = (known[-1][0], frame.y(known[-1][1].rate or 0))
    return Curve(
        number=number,
        dash=DASHES.get(System.Reading(standing.entrant.reading), "") if number else "",
        line=_line(frame, points),
        band=_band(frame, points) if number else "",
        dot=(at[0], frame.y(at[1] or 0)) if at else None,
        label=shorten(standing.entrant.title, frame.letters) if number else "",
        label_y=end[1],
        end=end,
    )


def _line(frame: Frame, points: Sequence[tuple[float, Point]]) -> str:
    path, joined = "", False
    for x, point in points:
        if point.rate is not None:
            path += f"{'L' if joined else 'M'}{x:g} {frame.y(point.rate):g}"
        joined = point.rate is not None
    return path


def _band(frame: Frame, points: Sequence[tuple[float, Point]]) -> str:
    ends = [(x, *point.interval) for x, point in points if point.interval]
    above = [f"{x:g},{frame.y(high):g}" for x, _, high in ends]
    return " ".join(above + [f"{x:g},{frame.y(low):g}" for x, low, _ in reversed(ends)])


def _apart(curves: Sequence[Curve], frame: Frame) -> list[Curve]:
    """Move the labels of curves apart, so that they do not overlap and stay above the bottom edge."""
    ordered = sorted(curves, key=lambda curve: curve.end[1])
    ys: list[float] = []
    for curve in ordered:
        ys.append(max(curve.end[1], ys[-1] + LABEL if ys else 0.0))
    lowest = float(frame.height - frame.bottom)
    for at in range(len(ys) - 1, -1, -1):
        ys[at], lowest = min(ys[at], lowest), min(ys[at], lowest) - LABEL
    return [replace(curve, label_y=round(y, 1)) for curve, y in zip(ordered, ys, strict=True)]
