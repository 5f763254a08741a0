"""Chart of the effective length of systems against the context window that their models claim."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from evaluation import frames
from evaluation.core.terminal.wording import noun, number_of
from leaderboard.boards.charts.cost import axis_ticks
from leaderboard.boards.charts.figure import Figure, irrelevant
from leaderboard.boards.charts.marks import Trace, leading_to, literal, trace
from leaderboard.boards.figures.data import FiguresBoard
from leaderboard.boards.lengths import computing
from leaderboard.boards.lengths.figures import rungs_of, tokens_label

if TYPE_CHECKING:
    from pandas import DataFrame

TITLE = "Reliable length against claimed context window"
LEAST = 2  # systems with both


def draw(board: FiguresBoard) -> Figure:
    rungs = [rung.tokens for rung in rungs_of(board.version)]
    points = _points(board) if rungs else frames.tidy([], ["name"])
    if len(points) < LEAST:
        return irrelevant()
    longest, ground = rungs[-1], rungs[0] // 2
    holding = int(((points["effective"] >= points["context"]) | (points["effective"] >= longest)).sum())
    of = number_of(len(points), "system")
    return Figure(
        sentence=f"{holding:,} of {of} {noun(holding, 'is', 'are')} reliable up to the window that the model claims, "
        f"or up to {tokens_label(longest)}, the longest text here.",
        caption="The effective length against the context window on the model's card, both in tokens. On the dotted "
        "line they are equal. Points at the bottom are reliable at no length. The longest text here has "
        f"{tokens_label(longest)}.",
        marks=points,
        headings={"name": "System", "context": "Context window", "effective": "Effective length"},
        links={"name": "url"},
        draw=lambda: _traces(points, ground),
        layout={
            "xaxis": {
                "title": {"text": "Context window in tokens, as claimed"},
                "type": "log",
                **axis_ticks(points["context"].tolist()),
            },
            "yaxis": {
                "title": {"text": "Effective length"},
                "type": "log",
                "tickvals": [ground, *rungs],
                "ticktext": ["none", *(tokens_label(rung) for rung in rungs)],
                "range": (math.log10(0.85 * ground), math.log10(1.2 * longest)),
            },
            "showlegend": False,
            "height": 420,
        },
    )


def _points(board: FiguresBoard) -> DataFrame:
    lengths = computing.board_lengths(board.version)
    lines = (
        (each.name, each.facts.context, of.effective, each.url)
        for each in board.systems
        if each.facts.context
        and (of := lengths.get(each.placement.key)) is not None
        and of.effective is not None
    )
    return frames.tidy(lines, ["name", "context", "effective", "url"])


def _traces(points: DataFrame, ground: int) -> list[Trace]:
    ends = [min(points["context"].min(), ground), points["context"].max()]
    diagonal = trace(
        frames.tidy(((each, each) for each in ends), ["x", "y"]),
        {"x": "x", "y": "y"},
        role="soft",
        mode="lines",
        line={"dash": "dot"},
        hoverinfo="skip",
    )
    at = points.assign(y=points["effective"].clip(lower=ground), text=points["name"].map(literal))
    dots = trace(
        at,
        {"x": "context", "y": "y", "text": "text", "customdata": "effective"},
        role="gold",
        tip="%{text}<br>%{customdata:,} of %{x:,} tokens",
        mode="markers",
        marker={"size": 10},
        **leading_to(points["url"]),
    )
    return [diagonal, dots]
