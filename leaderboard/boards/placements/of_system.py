"""Where a system stands on a board."""

from __future__ import annotations

from dataclasses import dataclass

from leaderboard.benchmarks.models import Version
from leaderboard.boards.placements import placements
from leaderboard.boards.placements.ranking import Placement
from leaderboard.boards.slices import WHOLE
from leaderboard.submissions.models import Submission, System


@dataclass(frozen=True, slots=True)
class SystemPlacement:
    """A system's line of a board, as far as a badge or a card needs it."""

    value: float | None
    gated: bool
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    among: int = 0  # how many systems are ranked
    sharing: int = 1  # how many of them have this rank
    reason: str = ""  # why it has no rank
    apart: bool = False  # of a kind that the suite does not rank


def system_placement(system: System, version: Version) -> SystemPlacement | None:
    """The system's standing; None where the board does not show it."""
    shown = Submission.objects.on_board(version)
    submission = shown.filter(system=system).select_related("score").first()
    if submission is None or submission.score is None:
        return None
    found, among = placements.find(placements.board_placements(version, shown, WHOLE), submission.pk)
    at = found or Placement(submission.pk)
    score = submission.score
    ranks = (at.rank, at.low, at.high, among, at.sharing)
    return SystemPlacement(score.headline, score.gated, *ranks, reason=at.reason, apart=at.apart)
