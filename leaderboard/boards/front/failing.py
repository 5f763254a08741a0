"""The kind of question that is hardest for all systems of a board."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlencode

import numpy as np
from numpy.typing import NDArray

from evaluation.core import statistics
from evaluation.core.terminal.wording import number_of
from leaderboard.benchmarks.sealing import shown as sealed
from leaderboard.boards import slices
from leaderboard.boards.front.contest import Card, Contest, Speck
from leaderboard.boards.placements import placements
from leaderboard.boards.placements.contestants import contestants_of, strata_over
from leaderboard.boards.placements.ranking import Contestant, unit_scores
from leaderboard.boards.slices import BoardSlice
from leaderboard.submissions.models import Submission
from leaderboard.web.formatting import number

#: Questions are hard if even the best system may get at most three in four right.
HARD_BELOW = 0.75
LEAST_SYSTEMS = 2  # "hardest for all" needs more than one


class Bound(NamedTuple):
    """Upper bound on the accuracy that any system of a board reaches in one part of its rows."""

    part: BoardSlice
    best: float  # highest rate
    most: float  # highest upper end of an interval
    rows: int
    systems: int
    rates: tuple[float, ...]  # one per system


def hardest_for_all(contest: Contest) -> Card | None:
    """Make the card of the kind of question that is hardest for all systems. Returns None if no kind is hard."""
    bounds = [bound for bound in bounds_of(contest) if bound.most < HARD_BELOW]
    if not bounds:
        return None
    least = min(bounds, key=lambda bound: bound.most)
    best, most = (_shown(contest, each, least.rows) for each in (least.best, least.most))
    return Card(
        "Hardest for all",
        ", ".join(least.part.labels),
        f"{number(best)}",
        "at best",
        f"None of {least.systems:,} systems gets more than {number(max(most, best))} of these "
        f"{number_of(least.rows, 'question')} right (95% bound over all systems and kinds of questions).",
        query=urlencode({facet.name: part for facet, part in least.part.parts}),
        look="ticks",
        specks=[Speck(_shown(contest, rate, least.rows), 0.5, rate == least.best) for rate in least.rates],
    )


def _shown(contest: Contest, rate: float, rows: int) -> float:
    return sealed.figure(contest.version, rate, None, rows).value or 0.0


def bounds_of(contest: Contest) -> list[Bound]:
    """Bounds for the parts that several systems answered. With 95% confidence, all bounds hold at once."""
    version = contest.version
    parts = [part for part in placements.ranked_parts(version) if part and not slices.worst_of(version, part)]
    parts = [part for part in parts if slices.headline(version, part).better == "higher"]
    if not parts or version.headline.better != "higher":
        return []
    shown = Submission.objects.on_board(version)
    boards = [_contesting(board) for board in contestants_of(version, shown, parts)]
    compared = max(sum(map(len, boards)), 1)
    # Bonferroni over all systems and parts
    confidence = 1 - (1 - statistics.CONFIDENCE) / compared
    found = (_bound(contest, part, board, confidence) for part, board in zip(parts, boards, strict=True))
    return [bound for bound in found if bound]


def _contesting(contestants: list[Contestant]) -> list[Contestant]:
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
    rows, best = round(float(sums[0, :, 1].sum())), float(rates.max())
    return Bound(part, best, float(highs.max()), rows, len(tables), tuple(map(float, rates)))


def _over_runs(
    contestants: list[Contestant], rates: NDArray[np.float64], limits: statistics.Limits
) -> NDArray[np.float64]:
    """Upper ends of the intervals of `rates`. The variance between repeats widens the interval of a mean."""
    highs = np.array(limits.high, dtype=np.float64)
    for at, contestant in enumerate(contestants):
        if len(contestant.runs) > 1:
            ends = (float(limits.low[at]), float(limits.high[at]))
            variance = statistics.run_variance(contestant.runs)
            highs[at] = statistics.widened(float(rates[at]), ends, variance, len(contestant.runs))[1]
    return highs
