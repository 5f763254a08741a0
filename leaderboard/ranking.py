"""Gates, ranks and tie groups of a board, recomputed for whatever the board is filtered to.

Gates first; then the headline; then a paired test says which neighbours cannot be told apart. The arithmetic is the
engine's (`evaluation.statistics`), the site only lines systems up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import numpy as np

from evaluation import statistics
from evaluation.suites import Column, Gate, Suite
from leaderboard.models import Score, Submission, System, Version
from leaderboard.scorecards import Interval, interval
from leaderboard.submissions import headline_of

Steps = list[tuple[str, float | None]]


@dataclass(slots=True)
class BoardRow:
    """One system on a board."""

    submission: Submission
    value: float | None
    low: float | None = None
    high: float | None = None
    gates: list[Gate] = field(default_factory=list)
    fall: Steps = field(default_factory=list)
    order: Steps = field(default_factory=list)
    cells: list[tuple[Column, Any, Interval]] = field(default_factory=list)
    attempts: int = 1
    rank: int | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    tie: bool = False

    @property
    def system(self) -> System:
        return self.submission.system

    @property
    def gated(self) -> bool:
        return any(gate.state == "fail" for gate in self.gates)

    @property
    def tokens(self) -> float | None:
        found: float | None = self.submission.efficiency.get("tokens_per_query")
        return found

    @property
    def when(self) -> datetime:
        return self.submission.created_at


def board(version: Version, submissions: Sequence[Submission]) -> list[BoardRow]:
    """The rows of a board, ranked: systems that pass the gates first, then gated ones, then without a figure."""
    suite = version.benchmark.engine
    headline = headline_of(suite)
    rows = [_row(suite, headline, submission) for submission in submissions if submission.score]
    sign = -1 if headline.better == "higher" else 1
    rows.sort(key=lambda row: (row.value is None, row.gated, sign * (row.value or 0), row.system.name))
    ranked = [row for row in rows if not row.gated and row.value is not None]
    _rank(ranked, better=headline.better)
    return rows


def _row(suite: Suite, headline: Column, submission: Submission) -> BoardRow:
    score = submission.score
    assert score is not None
    found = interval(score.intervals, headline.name)
    return BoardRow(
        submission=submission,
        value=score.metrics.get(headline.name),
        low=found[0] if found else None,
        high=found[1] if found else None,
        gates=suite.gates(score.metrics, score.intervals),
        fall=suite.steps(score.metrics),
        order=suite.spread(score.groups),
        cells=[
            (column, score.metrics.get(column.name), interval(score.intervals, column.name))
            for column in suite.columns
            if not column.headline
        ],
    )


def unit_scores(score: Score) -> np.ndarray[Any, np.dtype[np.float32]]:
    """(units, 2): sum and number of rows of the headline in each unit, in the version's order."""
    return np.frombuffer(score.unit_scores, dtype=np.float32).reshape(-1, 2)


def _rank(rows: list[BoardRow], *, better: str) -> None:
    """Fill rank, rank interval and ties of rows that are already in order."""
    if not rows:
        return
    scores = [unit_scores(row.submission.score) for row in rows]  # type: ignore[arg-type]
    ranks = statistics.rank(scores, better=better)
    for row, found in zip(rows, ranks, strict=True):
        row.rank, row.rank_low, row.rank_high, row.tie = found.rank, found.low, found.high, found.tied_with_next
