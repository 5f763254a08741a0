"""Chart of how many systems meet each requirement of a board, and the best system that meets all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluation import frames
from evaluation.core.terminal.wording import noun, number_of
from leaderboard.boards.charts.figure import Figure, irrelevant
from leaderboard.boards.charts.marks import Trace, literal, trace
from leaderboard.boards.figures.data import BoardSystem, FiguresBoard

if TYPE_CHECKING:
    from pandas import DataFrame

TITLE = "Systems that meet each requirement"
LEAST = 2  # systems with known requirements
#: State of a requirement -> its name, colour and pattern: both, for readers who cannot distinguish the colours.
STATES = {
    "pass": ("Met", "good", ""),
    "undecided": ("Undecided", "series-5", "."),
    "fail": ("Not met", "bad", "/"),
}


def draw(board: FiguresBoard) -> Figure:
    names = [gate.said for gate in board.version.bound.gates({}, {})]
    judged = [each for each in board.systems if names and len(each.reported.gates) == len(names)]
    if len(judged) < LEAST or not any("fail" in each.reported.gates for each in judged):
        return irrelevant()
    bars = _bars(names, judged)
    return Figure(
        sentence=_sentence(names, judged),
        caption="Counts only systems with a known result for every requirement. A requirement is undecided if the 95% "
        "interval of its rate includes the threshold. A system that fails a requirement keeps its rank.",
        marks=bars,
        headings={"requirement": "Requirement", "state": "State", "systems": "Systems"},
        draw=lambda: _traces(bars),
        layout={
            "barmode": "stack",
            "xaxis": {"title": {"text": "Systems"}, "rangemode": "tozero"},
            "yaxis": {"type": "category", "autorange": "reversed", "automargin": False},
            "margin": {"l": 24 + 7 * max(map(len, names)), "r": 16, "t": 40, "b": 44},
            "height": 130 + 44 * len(names),
        },
    )


def _bars(names: list[str], judged: list[BoardSystem]) -> DataFrame:
    lines = (
        (name, words, state, sum(each.reported.gates[at] == state for each in judged))
        for at, name in enumerate(names)
        for state, (words, *_) in STATES.items()
    )
    return frames.tidy(lines, ["requirement", "state", "key", "systems"])


def _traces(bars: DataFrame) -> list[Trace]:
    return [
        trace(
            some.assign(bar=some["requirement"].map(literal)),
            {"x": "systems", "y": "bar"},
            type="bar",
            orientation="h",
            role=colour,
            name=words,
            tip=f"%{{y}}: {words.lower()} by %{{x:,}}",
            marker={"pattern": {"shape": pattern}},
        )
        for state, (words, colour, pattern) in STATES.items()
        if len(some := bars[bars["key"] == state])
    ]


def _sentence(names: list[str], judged: list[BoardSystem]) -> str:
    of = number_of(len(judged), "system")
    failing = [sum(each.reported.gates[at] == "fail" for each in judged) for at in range(len(names))]
    said = ", ".join(
        f"{count or 'none'} {noun(count or 1, 'fails', 'fail')} “{name}”"
        for name, count in zip(names, failing, strict=True)
    )
    left = [each for each in judged if "fail" not in each.reported.gates]
    if not left:
        return f"Of {of}, {said}. Each fails at least one requirement."
    left_words = f"{len(left):,} {noun(len(left), 'fails', 'fail')} no requirement"
    return f"Of {of}, {said}. {left_words}; {left[0].short} is the first of these on the board."
