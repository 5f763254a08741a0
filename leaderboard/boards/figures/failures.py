"""Chart of failures by kind and system, as shares of the rows that each system had to answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from evaluation import frames
from evaluation.core.terminal.wording import noun, number_of
from leaderboard.boards.charts.figure import Figure
from leaderboard.boards.charts.marks import Trace, leading_to, literal, trace
from leaderboard.boards.figures.data import BoardSystem, FiguresBoard
from leaderboard.boards.figures.lines import axis_of_names, height, lines_of, margin, why_empty
from leaderboard.boards.figures.words import WHOLE_VERSION
from leaderboard.submissions.scores.score_tables import label

if TYPE_CHECKING:
    from pandas import DataFrame

TITLE = "Why answers fail, by system"
MOST_KINDS = 6  # as many colours as readers can distinguish; rarer failures are merged
OTHER = "other"
WITHOUT = "metrics other than the headline"


def draw(board: FiguresBoard) -> Figure:
    lines = lines_of(
        board,
        lambda each: each.reported.by_split and each.reported.rows,
        lambda each: (each.reported.failures, each.reported.rows),
    )
    shown, counts = lines.shown, _counts(lines.systems or lines.bounds)
    if not shown:
        return Figure(empty=why_empty(board, WITHOUT))
    if not counts:
        return Figure(empty=f"No row of {number_of(len(lines.systems or lines.bounds), 'system')} failed.")
    kinds = _kinds(counts)
    return Figure(
        sentence=_about(board, lines.systems, counts) if lines.systems else why_empty(board, WITHOUT),
        caption="Shares of the rows that each system had to answer. A row is counted once, by its most serious "
        f"failure; the rest up to 100% did not fail.{_rounded(board)}"
        f"{WHOLE_VERSION if board.part else ''}"
        f"{lines.left_out(WITHOUT)}{lines.words}",
        marks=_table(board, shown, kinds),
        headings={"name": "System"}
        | ({"reference": "Reference"} if lines.bounds else {})
        | {"rows": "Rows"}
        | {kind: _label(kind) for kind in kinds},
        links={"name": "url"},
        whole=lambda: _long(lines.everybody, list(_counts(lines.everybody))),
        draw=lambda: [_bars(board, shown, kind, kinds) for kind in kinds],
        layout={
            "xaxis": {
                "title": {"text": "Share of rows"},
                "range": [0, 1],
                "tickformat": ".0%",
                "automargin": False,
                "zeroline": False,
            },
            "yaxis": axis_of_names(shown),
            "margin": margin(shown),
            "barmode": "stack",
            "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "traceorder": "normal"},
            "bargap": 0.3,
            "height": height(shown) + 40,
        },
    )


def _counts(systems: Sequence[BoardSystem]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for each in systems:
        counts.update(each.reported.failures)
    return dict(
        sorted(((code, rows) for code, rows in counts.items() if rows), key=lambda pair: (-pair[1], pair[0]))
    )


def _kinds(counts: dict[str, int]) -> list[str]:
    codes = list(counts)
    return codes if len(codes) <= MOST_KINDS else [*codes[: MOST_KINDS - 1], OTHER]


def _rows(system: BoardSystem, kind: str, kinds: Sequence[str]) -> int:
    failures = system.reported.failures
    if kind != OTHER or OTHER in failures:
        return failures.get(kind, 0)
    return sum(rows for code, rows in failures.items() if code not in kinds)


def _table(board: FiguresBoard, systems: Sequence[BoardSystem], kinds: Sequence[str]) -> DataFrame:
    lines = (
        (
            each.names,
            each.reference,
            each.reported.rows,
            *(_rows(each, kind, kinds) / each.reported.rows for kind in kinds),
            _url(board, each),
        )
        for each in systems
    )
    return frames.tidy(lines, ["name", "reference", "rows", *kinds, "url"])


def _long(systems: Sequence[BoardSystem], codes: Sequence[str]) -> DataFrame:
    lines = (
        (
            each.name,
            each.reference,
            code,
            rows := each.reported.failures.get(code, 0),
            each.reported.rows,
            rows / each.reported.rows,
        )
        for each in systems
        for code in codes
    )
    return frames.tidy(lines, ["system", "reference", "failure", "failed_rows", "rows", "share"])


def _bars(board: FiguresBoard, systems: Sequence[BoardSystem], kind: str, kinds: Sequence[str]) -> Trace:
    found = [(at, each, _rows(each, kind, kinds)) for at, each in enumerate(systems)]
    bars = frames.tidy(
        (
            (
                at,
                rows / each.reported.rows,
                f"{rows:,} of {each.reported.rows:,} rows",
                literal(each.label),
                _url(board, each, kind),
            )
            for at, each, rows in found
        ),
        ["line", "share", "tip", "name", "url"],
    )
    places = {"x": "share", "y": "line", "text": "name", "customdata": "tip"}
    tip = f"%{{text}}<br>{_label(kind)}: %{{x:.1%}}, %{{customdata}}"
    return trace(
        bars,
        places,
        tip=tip,
        textposition="none",
        type="bar",
        orientation="h",
        name=_label(kind),
        **leading_to(bars["url"]),
    )


def _url(board: FiguresBoard, system: BoardSystem, kind: str = "any") -> str:
    if not board.shows_rows:
        return system.url
    return f"{system.rows_url}?{urlencode({'failure': 'any' if kind == OTHER else kind})}"


def _label(kind: str) -> str:
    return "All others" if kind == OTHER else label(kind)


def _about(board: FiguresBoard, systems: Sequence[BoardSystem], counts: dict[str, int]) -> str:
    total, most = sum(each.reported.rows for each in systems), max(counts.values())
    first, *alike = (label(code) for code, rows in counts.items() if rows == most)
    also = f" (as often as {len(alike):,} {noun(len(alike), 'other')})" if alike else ""
    about = "about " if board.version.shown_step else ""
    return (
        f"“{first}” is the most frequent failure{also}: {about}{most:,} of {number_of(total, 'row')} that "
        f"{number_of(len(systems), 'system')} had to answer ({most / total:.1%})."
    )


def _rounded(board: FiguresBoard) -> str:
    return (
        " The answers of this version are secret, so counts are rounded." if board.version.shown_step else ""
    )
