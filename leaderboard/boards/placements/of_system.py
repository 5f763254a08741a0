"""Where a system stands on a board."""

from __future__ import annotations

from dataclasses import dataclass

from leaderboard.benchmarks.models import Version
from leaderboard.boards.placements import placements, ranking
from leaderboard.boards.placements.of_submission import tied_words
from leaderboard.boards.placements.ranking import Placement
from leaderboard.boards.slices import WHOLE
from leaderboard.submissions.models import Submission, System


@dataclass(frozen=True, slots=True)
class SystemPlacement:
    """A system's line of a board, as far as a badge or a card needs it."""

    value: float | None
    gated: bool  # a requirement is not met
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    among: int = 0  # how many systems are ranked
    sharing: int = 1  # how many of them are tied with it, itself included
    reason: str = ""  # why it has no rank
    apart: bool = False  # of a kind that the suite does not rank, whose figure is none of the headline's

    @property
    def words(self) -> str:
        """Its place in a line."""
        if self.rank is None:
            return f"not ranked: {self.reason}"
        between = ranking.range_words(self.rank_low, self.rank_high, gated=self.gated)
        unmet = ", a requirement is not met" if self.gated else ""
        return f"rank {between} of {self.among:,}{tied_words(self.sharing)}{unmet}"


def system_placement(system: System, version: Version) -> SystemPlacement | None:
    """The system's standing on the whole board.

    Args:
        system: Whose it is.
        version: Whose board it is.

    Returns:
        Its line of the board; None where the board does not show it.
    """
    shown = Submission.objects.on_board(version)
    of_system = (
        shown.filter(system=system)
        .select_related("score", "system", "version__benchmark")
        .defer("score__metric_sums")
    )
    submission = of_system.first()
    if submission is None or submission.score is None:
        return None
    placement, among = placements.find(placements.board_placements(version, shown, WHOLE), submission.pk)
    at = placement or Placement(submission.pk)
    score = submission.score
    ranks = (at.rank, at.low, at.high, among, at.sharing)
    apart = at.apart and not at.reference
    return SystemPlacement(submission.headline_of(score), score.gated, *ranks, reason=at.reason, apart=apart)
