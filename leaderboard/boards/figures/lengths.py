"""Chart of accuracy by length of texts, with a curve and its 95% band per system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evaluation import frames
from evaluation.core.terminal.wording import noun, number_of
from leaderboard.boards.charts.figure import Figure, irrelevant, rate_axis
from leaderboard.boards.charts.marks import Trace, leading_to, literal, shorten, trace
from leaderboard.boards.figures.data import BoardSystem, FiguresBoard
from leaderboard.boards.figures.words import EMPTY_BOARD, WHOLE_VERSION, about_shown
from leaderboard.boards.guessing import Guessing
from leaderboard.boards.lengths import computing
from leaderboard.boards.lengths.figures import Lengths, rungs_of, tokens_label

if TYPE_CHECKING:
    from pandas import DataFrame

TITLE = "Accuracy by length"
MOST_CURVES = 6  # as many colours as readers can distinguish
ORACLE, GUESSING = "oracle", "guessing"  # roles of the bounds
BAND = 0.14  # opacity: lines stay readable under three overlapping bands
Curves = Sequence[tuple[BoardSystem, Lengths]]
Guesses = Sequence[tuple[int, Guessing]]  # by the tokens of a length


def draw(board: FiguresBoard) -> Figure:
    rungs = rungs_of(board.version)
    if not rungs:
        return irrelevant()
    lengths = computing.board_lengths(board.version)
    curves, bounds = _curves(board.systems, lengths), _curves(board.references, lengths)
    if not (curves or bounds):
        return Figure(empty=_why_empty(board, lengths))
    shown, dotted = curves[:MOST_CURVES], [curve for curve in bounds if curve[0].reference == ORACLE][:1]
    guesses = _guesses(board)
    where = WHOLE_VERSION if board.part else ""
    return Figure(
        sentence=_about(curves) if curves else _why_empty(board, lengths),
        caption=f"{board.version.headline.label} over the length of the text in tokens, with 95% bands that hold for "
        f"each length separately.{_about_bounds(dotted, guesses)}{where}{_left_out(board, curves)}"
        f"{about_shown(len(shown), len(curves))}",
        marks=_points([*shown, *dotted], guesses),
        headings={"name": "System"}
        | ({"reference": "Reference"} if bounds or guesses else {})
        | {"length": "Length", "value": "Rate", "low": "Low", "high": "High"},
        links={"name": "url"},
        whole=lambda: _points([*curves, *bounds], guesses).drop(columns=["url", "length"]),
        draw=lambda: _traces(shown, dotted, guesses),
        layout={
            "xaxis": {
                "title": {"text": "Tokens of the text"},
                "type": "log",
                "tickvals": [rung.tokens for rung in rungs],
                "ticktext": [tokens_label(rung.tokens) for rung in rungs],
            },
            "yaxis": rate_axis(board.version.headline.label),
            "height": 420,
        },
    )


def _curves(
    systems: Sequence[BoardSystem], lengths: Mapping[Any, Lengths]
) -> list[tuple[BoardSystem, Lengths]]:
    found = [(each, lengths[each.placement.key]) for each in systems if each.placement.key in lengths]
    return [(each, of) for each, of in found if any(point.rate is not None for point in of.points)]


def _guesses(board: FiguresBoard) -> Guesses:
    rungs, known = rungs_of(board.version), computing.guesses_of(board.version)
    return [(rung.tokens, guess) for rung, guess in zip(rungs, known, strict=True) if guess]


def _points(curves: Curves, guesses: Guesses) -> DataFrame:
    lines: list[tuple[Any, ...]] = [
        (
            each.name,
            each.reference,
            point.label,
            point.tokens,
            point.rate,
            *(point.interval or (None, None)),
            of.effective,
            each.url,
        )
        for each, of in curves
        for point in of.points
    ]
    lines += [
        (guess.name, GUESSING, tokens_label(tokens), tokens, guess.value, None, None, None, "")
        for tokens, guess in guesses
    ]
    columns = ["name", "reference", "length", "tokens", "value", "low", "high", "effective_length", "url"]
    return frames.tidy(lines, columns)


def _traces(curves: Curves, bounds: Curves, guesses: Guesses) -> list[Trace]:
    """Traces of the curves. The bands come first, so that they cover no line."""
    colours = [f"series-{number}" for number in range(1, MOST_CURVES + 1)]
    drawn = list(zip(curves, colours, strict=False))
    bands = [_band(of, colour, str(at)) for at, ((_, of), colour) in enumerate(drawn)]
    return [
        *bands,
        *(
            _bound(of.label, [(point.tokens, point.rate) for point in lengths.points])
            for of, lengths in bounds
        ),
        *([_bound("guessing", [(tokens, guess.value) for tokens, guess in guesses])] if guesses else []),
        *(_line(each, of, colour, str(at)) for at, ((each, of), colour) in enumerate(drawn)),
    ]


def _band(lengths: Lengths, colour: str, group: str) -> Trace:
    """The 95% band of a curve as an outline: along the high ends of the intervals, and back along the low ends."""
    known = [(point.tokens, *point.interval) for point in lengths.points if point.interval]
    outline = [(tokens, high) for tokens, _, high in known] + [
        (tokens, low) for tokens, low, _ in reversed(known)
    ]
    return trace(
        frames.tidy(outline, ["x", "y"]),
        {"x": "x", "y": "y"},
        mode="none",
        fill="toself",
        fillcolor=f"--{colour}",
        opacity=BAND,
        hoverinfo="skip",
        showlegend=False,
        legendgroup=group,
    )


def _line(system: BoardSystem, lengths: Lengths, colour: str, group: str) -> Trace:
    points = frames.tidy(
        (
            (point.tokens, point.rate, point.label, system.url)
            for point in lengths.points
            if point.rate is not None
        ),
        ["x", "y", "label", "url"],
    )
    places = {"x": "x", "y": "y", "customdata": "label"}
    return trace(
        points,
        places,
        tip=f"{literal(system.name)}<br>%{{customdata}}: %{{y:.1%}}",
        role=colour,
        mode="lines+markers",
        name=literal(shorten(system.short)),
        legendgroup=group,
        **leading_to(points["url"]),
    )


def _bound(name: str, points: Sequence[tuple[int, float | None]]) -> Trace:
    return trace(
        frames.tidy((point for point in points if point[1] is not None), ["x", "y"]),
        {"x": "x", "y": "y"},
        tip=f"{literal(name)}: %{{y:.1%}}",
        role="soft",
        mode="lines",
        line={"dash": "dot"},
        name=literal(shorten(name)),
    )


def _about(curves: Curves) -> str:
    effective = [of.effective for _, of in curves if of.effective is not None]
    if not effective:
        return f"None of {number_of(len(curves), 'system')} answered the shortest texts: no effective length is known."
    of, longest = number_of(len(effective), "system"), max(effective)
    holding = sum(each == longest for each in effective)
    if len(effective) == 1:
        first = next((each, lengths) for each, lengths in curves if lengths.effective is not None)
        return f"The effective length of {first[0].short}: {first[1].words}."
    if not longest:
        return f"None of {of} is reliable at any length."
    return (
        f"{holding:,} of {of} {noun(holding, 'is', 'are')} reliable up to {tokens_label(longest)} tokens, "
        "the longest effective length here."
    )


def _about_bounds(bounds: Curves, guesses: Guesses) -> str:
    named = [name for name, there in (("the best oracle", bounds), ("guessing", guesses)) if there]
    return f" Dotted: {' and '.join(named)}." if named else ""


def _left_out(board: FiguresBoard, curves: Curves) -> str:
    missing = len(board.systems) - len(curves)
    have = noun(missing, "has", "have")
    return (
        f" Left out: {number_of(missing, 'system')} that {have} no accuracy at any length." if missing else ""
    )


def _why_empty(board: FiguresBoard, lengths: Mapping[Any, Lengths]) -> str:
    if not board.systems:
        return EMPTY_BOARD
    return "No system here has an accuracy at any length." if lengths else COMPUTING


COMPUTING = "Accuracy by length is being computed."
