"""Chart of models that several systems use: the headlines of all systems that have the same owner and model."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from evaluation import frames
from evaluation.core.terminal.wording import noun, number_of
from leaderboard.boards.charts.figure import Figure, irrelevant, rate_axis
from leaderboard.boards.charts.marks import Trace, leading_to, literal, shorten, trace
from leaderboard.boards.figures.data import BoardSystem, FiguresBoard
from leaderboard.boards.placements import ranking
from leaderboard.submissions.models import System

if TYPE_CHECKING:
    from pandas import DataFrame

TITLE = "One model, several ways of reading"
MOST_MODELS = 20
LETTER = 7  # pixels of a name before its line
#: Way of reading -> colour and symbol: both, for readers who cannot distinguish the colours.
LOOKS = {
    "whole": ("series-1", "circle"),
    "retrieval": ("series-2", "diamond"),
    "memory": ("series-3", "square"),
    "agent": ("series-4", "triangle-up"),
    "other": ("series-6", "cross"),
    "": ("series-5", "circle-open"),
}


def draw(board: FiguresBoard) -> Figure:
    models = _models(board)
    if not models:
        return irrelevant()
    shown = dict(list(models.items())[:MOST_MODELS])
    points = _points(board, shown)
    headline = board.headline
    return Figure(
        sentence=_sentence(board, models),
        caption=f"“{headline.label}” of all systems that one account submitted for the same model, with 95% intervals. "
        f"Models are ordered by their best system. {_left_out(models)}".strip(),
        marks=points,
        headings={"model": "Model", "name": "System", "reads": "How it reads", "value": headline.label}
        | {"low": "Low", "high": "High"},
        links={"name": "url"},
        draw=lambda: _traces(points),
        layout={
            "xaxis": rate_axis(headline.label),
            "yaxis": {"autorange": "reversed", "type": "category", "automargin": False},
            "margin": {
                "l": 24 + LETTER * max(len(shorten(name)) for name in shown),
                "r": 16,
                "t": 40,
                "b": 44,
            },
            "height": 120 + 34 * len(shown),
        },
    )


def _models(board: FiguresBoard) -> dict[str, list[BoardSystem]]:
    """Model -> its systems in board order, for models of which at least two systems report a score."""
    found: dict[tuple[str, str], list[BoardSystem]] = {}
    for each in board.systems:
        if each.facts.model and board.value(each) is not None:
            found.setdefault((each.facts.owner, each.facts.model.casefold()), []).append(each)
    several = {key: systems for key, systems in found.items() if len(systems) > 1}
    names = [systems[0].facts.model for systems in several.values()]
    return {
        name if names.count(name) == 1 else f"{name} ({owner})": systems
        for name, ((owner, _), systems) in zip(names, several.items(), strict=True)
    }


def _points(board: FiguresBoard, models: dict[str, list[BoardSystem]]) -> DataFrame:
    readings = dict(System.Reading.choices)
    lines = (
        (
            shorten(model),
            each.name,
            readings.get(each.facts.reads, ""),
            each.facts.reads,
            board.value(each),
            *((each.reported.ends or (None, None)) if not board.part else (None, None)),
            each.url,
        )
        for model, systems in models.items()
        for each in systems
    )
    return frames.tidy(lines, ["model", "name", "reads", "reading", "value", "low", "high", "url"])


def _traces(points: DataFrame) -> list[Trace]:
    readings = dict(System.Reading.choices)
    traces = []
    for reading, (colour, symbol) in LOOKS.items():
        some = points[points["reading"] == reading]
        if len(some):
            traces.append(
                trace(
                    some.assign(text=some["name"].map(literal)),
                    {"x": "value", "y": "model", "text": "text"},
                    whiskers="x",
                    role=colour,
                    tip="%{text}<br>%{x:.1%}",
                    mode="markers",
                    name=str(readings[reading]),
                    marker={"size": 10, "symbol": symbol},
                    **leading_to(some["url"]),
                )
            )
    return traces


def _sentence(board: FiguresBoard, models: dict[str, list[BoardSystem]]) -> str:
    several = f"{number_of(len(models), 'model')} {noun(len(models), 'has', 'have')} several systems"
    headline = f"“{board.headline.label}”"
    if why := board.why_no_ranks:
        return (
            f"{several}. Whether the systems of a model differ in {headline} is not tested, because the board has no "
            f"ranks: {why}."
        )
    apart = sum(any(_are_apart(*pair) for pair in combinations(systems, 2)) for systems in models.values())
    if not apart:
        each = noun(len(models), "this model", "each model")
        return (
            f"{several}. Within {each}, differences in {headline} may be chance: "
            "the ranks do not separate its systems."
        )
    of = "this model" if len(models) == 1 else f"{apart:,} of these models"
    return f"{several}. For {of}, the ranks by {headline} separate at least two systems."


def _are_apart(first: BoardSystem, second: BoardSystem) -> bool:
    ranks = first.placement.rank, second.placement.rank
    return None not in ranks and not ranking.are_tied(first.placement, second.placement)


def _left_out(models: dict[str, list[BoardSystem]]) -> str:
    return (
        f"The first {MOST_MODELS} of {len(models):,} models are drawn." if len(models) > MOST_MODELS else ""
    )
