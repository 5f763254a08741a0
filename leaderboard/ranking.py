"""Gates, ranks and tie groups of a board, recomputed for whatever the board is filtered to.

Gates first; then the headline; where a paired test cannot tell systems apart, robustness decides; where that cannot
either, they share a rank. The arithmetic is the engine's (`evaluation.statistics`), the site only lines systems up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import numpy as np
from django.db.models import Count

from evaluation import statistics
from evaluation.suites import Column, Gate, Suite
from leaderboard.models import Score, Submission, System, Version
from leaderboard.scorecards import Interval, interval
from leaderboard.submissions import headline_of

Steps = list[tuple[str, float | None]]
Units = np.ndarray[Any, np.dtype[np.float32]]
_NOTHING: Units = np.zeros((0, 2), dtype=np.float32)


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
    tries = attempts(version)
    rows = [_row(suite, headline, submission) for submission in submissions if submission.score]
    for row in rows:
        row.attempts = tries.get(row.system.pk, 1)
    sign = -1 if headline.better == "higher" else 1
    rows.sort(key=lambda row: (row.value is None, row.gated, sign * (row.value or 0), row.system.name))
    passed = [row for row in rows if not row.gated]
    ranked = [row for row in passed if row.value is not None]
    _rank(ranked, better=headline.better)
    # Files that leave the headline's rows out follow, by what they do report.
    partial = [row for row in passed if row.value is None and _robust(row).size]
    for row in partial:
        row.rank, row.rank_low, row.rank_high = len(ranked) + 1, len(ranked) + 1, len(ranked) + len(partial)
        row.tie = row is not partial[-1]
    ranked += _by_robustness(partial, better=headline.better)
    return ranked + [row for row in rows if row.rank is None]


def attempts(version: Version) -> dict[int, int]:
    """System -> how many of its submissions were graded, private and withdrawn ones included. One query."""
    graded = Submission.objects.filter(version=version, score__isnull=False).order_by()
    return dict(graded.values_list("system").annotate(Count("pk")))


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


def unit_scores(packed: bytes) -> Units:
    """[units, 2]: sum and number of rows in each unit, in the version's order."""
    return np.frombuffer(packed, dtype=np.float32).reshape(-1, 2)


def _rank(rows: list[BoardRow], *, better: str) -> None:
    """Fill rank, rank interval and ties of rows that are in the headline's order, and put them in their final order.

    Systems that the headline cannot tell apart are ranked by robustness, their exactness under the worst condition.
    """
    if not rows:
        return
    groups: dict[int, list[BoardRow]] = {}
    for row, found in zip(rows, statistics.rank([_units(row) for row in rows], better=better), strict=True):
        row.rank, row.rank_low, row.rank_high, row.tie = found.rank, found.low, found.high, found.tied_with_next
        groups.setdefault(found.rank, []).append(row)
    rows[:] = [row for group in groups.values() for row in _by_robustness(group, better=better)]


def _by_robustness(group: list[BoardRow], *, better: str) -> list[BoardRow]:
    """Systems of one rank in their final order: most robust first, those that do not report it last."""
    known = sorted((row for row in group if _robust(row).size), key=lambda row: -_rate(_robust(row)))
    if not known or (base := group[0].rank) is None:
        return group
    rest = [row for row in group if not _robust(row).size]
    places = statistics.rank([_robust(row) for row in known])
    if places[-1].rank == 1 and not rest:
        return group
    for row, place in zip(known, places, strict=True):
        row.rank, row.rank_low, row.rank_high = base + place.rank - 1, base + place.low - 1, base + place.high - 1
    for row in rest:
        row.rank, row.rank_low, row.rank_high = base + len(known), base + len(known), base + len(group) - 1
    sign = -1 if better == "higher" else 1
    ordered = sorted(known + rest, key=lambda row: (row.rank or 0, sign * (row.value or 0), row.system.name))
    for row, following in zip(ordered, [*ordered[1:], None], strict=True):
        row.tie = following is not None and following.rank == row.rank
    return ordered


def _units(row: BoardRow) -> Units:
    return unit_scores(row.submission.score.unit_scores) if row.submission.score else _NOTHING


def _robust(row: BoardRow) -> Units:
    return unit_scores(row.submission.score.robust_scores) if row.submission.score else _NOTHING


def _rate(units: Units) -> float:
    total, count = units.sum(axis=0)
    return float(total / count) if count else 0.0
