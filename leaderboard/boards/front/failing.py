"""The kind of question on which even the best system of a board is shown to fail."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlencode

import numpy as np
from numpy.typing import NDArray

from evaluation.core import statistics
from leaderboard.benchmarks.sealing import shown as sealed
from leaderboard.boards import slices
from leaderboard.boards.front.contest import Card, Contest
from leaderboard.boards.front.likes import strata_over
from leaderboard.boards.placements import placements
from leaderboard.boards.placements.contestants import contestants_of
from leaderboard.boards.placements.ranking import Contestant, unit_scores
from leaderboard.boards.slices import BoardSlice
from leaderboard.submissions.models import Submission

#: To fail is to be wrong more often than right.
FAILS_BELOW = 0.5
LEAST_SYSTEMS = 2  # one alone is not everybody


class Bound(NamedTuple):
    """What the systems of a board reach at most in one part of its rows."""

    part: BoardSlice
    best: float  # the highest rate
    most: float  # the highest end of an interval
    rows: int
    systems: int


def everybody_fails(contest: Contest) -> Card | None:
    """The part of the rows of which no system can be right in half.

    Args:
        contest: A board.

    Returns:
        The card; None where there is no such part.
    """
    bounds = [bound for bound in bounds_of(contest) if bound.most < FAILS_BELOW]
    if not bounds:
        return None
    least = min(bounds, key=lambda bound: bound.most)
    best, most = (
        sealed.figure(contest.version, each, None, least.rows).value or 0.0
        for each in (least.best, least.most)
    )
    return Card(
        "Where everybody fails",
        ", ".join(least.part.labels),
        f"the best of {least.systems:,} gets {best:.0%} right",
        f"Not one of the {least.systems:,} systems that answered these {least.rows:,} questions is better than "
        f"{max(most, best):.0%}: a bound for all of them, and for all such kinds of questions, together at 95%.",
        query=urlencode({facet.name: part for facet, part in least.part.parts}),
    )


def bounds_of(contest: Contest) -> list[Bound]:
    """What all systems together reach at most in each part of a board, all bounds together at 95%.

    Args:
        contest: The board.

    Returns:
        A bound of each part that several systems answered, all over the same units.
    """
    version = contest.version
    parts = [part for part in placements.ranked_parts(version) if part and not slices.worst_of(version, part)]
    parts = [part for part in parts if slices.headline(version, part).better == "higher"]
    if not parts or version.headline.better != "higher":
        return []
    shown = Submission.objects.on_board(version)
    boards = [_contesting(board) for board in contestants_of(version, shown, parts)]
    compared = max(sum(map(len, boards)), 1)
    confidence = 1 - (1 - statistics.CONFIDENCE) / compared
    found = (_bound(contest, part, board, confidence) for part, board in zip(parts, boards, strict=True))
    return [bound for bound in found if bound]


def _contesting(contestants: list[Contestant]) -> list[Contestant]:
    """Whoever contests the board and answered the part: those that a gate stops, too."""
    return [each for each in contestants if not each.unranked and each.units]


def _bound(
    contest: Contest, part: BoardSlice, contestants: list[Contestant], confidence: float
) -> Bound | None:
    tables = [unit_scores(each.units).astype(np.float64) for each in contestants]
    sizes = {len(table) for table in tables}
    if len(tables) < LEAST_SYSTEMS or len(sizes) != 1:
        return None
    sums = np.stack(tables)
    strata = strata_over(contest.version, sums.shape[1])
    limits = statistics.rate_limits(sums, strata, confidence=confidence, icc=contest.version.bound.unit_icc)
    rates = statistics.rates(sums[..., 0].sum(axis=1), sums[..., 1].sum(axis=1))
    highs = _over_runs(contestants, rates, limits)
    if np.isnan(highs).any():
        return None
    return Bound(part, float(rates.max()), float(highs.max()), round(float(sums[0, :, 1].sum())), len(tables))


def _over_runs(
    contestants: list[Contestant], rates: NDArray[np.float64], limits: statistics.Limits
) -> NDArray[np.float64]:
    """The high ends, those of means widened by how much their repeats differ."""
    highs = np.array(limits.high, dtype=np.float64)
    for at, contestant in enumerate(contestants):
        if len(contestant.runs) > 1:
            ends = (float(limits.low[at]), float(limits.high[at]))
            variance = statistics.run_variance(contestant.runs)
            highs[at] = statistics.widened(float(rates[at]), ends, variance, len(contestant.runs))[1]
    return highs
