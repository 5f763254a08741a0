"""Result of a submission: its gates, and its place on the board that shows it; the places of a system on boards."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from evaluation.core.suite import Gate
from evaluation.core.terminal.wording import number_of
from leaderboard.benchmarks.models import Version
from leaderboard.boards.placements import placements, ranking
from leaderboard.boards.placements.contestants import exemptions
from leaderboard.boards.placements.ranking import Placement
from leaderboard.boards.slices import WHOLE
from leaderboard.submissions.models import Submission, System
from leaderboard.submissions.scores.score_tables import gates_of


@dataclass(frozen=True, slots=True)
class SubmissionPlacement:
    """`placement` is None where no board shows the submission; its rank is None where it is shown without one."""

    gates: list[Gate]
    placement: Placement | None = None
    among: int = 0  # how many systems of the board are ranked

    @property
    def failed(self) -> list[Gate]:
        """The requirements that the submission does not meet."""
        return [gate for gate in self.gates if gate.state == "fail"]

    @property
    def unmet(self) -> str:
        """The requirements that it does not meet, in words; empty where none is known to fail."""
        return requirements_words(self.failed)

    @property
    def words(self) -> str:
        """Its place in a line; empty where no board shows it."""
        at = self.placement
        if at is None:
            return ""
        if at.rank is None:
            return f"not ranked: {at.reason}"
        between = ranking.range_words(at.low, at.high, gated=at.gated)
        return f"rank {between} of {self.among:,}{tied_words(at.sharing)}{self._unmet_words}"

    @property
    def _unmet_words(self) -> str:
        if self.placement is None or not self.placement.gated:
            return ""
        return f"; requirement not met: {self.unmet}" if self.unmet else "; a requirement is not met"


def requirements_words(failed: Iterable[Gate]) -> str:
    """Failed requirements in words: "citations back 78.1% of answers, 95% needed".

    Args:
        failed: Requirements that are not met.
    """
    return "; ".join(gate.failure or gate.name for gate in failed)


def tied_words(sharing: int) -> str:
    """How many others a ranked system is tied with, behind a comma; empty where it is tied with none.

    Args:
        sharing: How many systems are tied with it, itself included.
    """
    return f", tied with {number_of(sharing - 1, 'other')}" if sharing > 1 else ""


def why_unranked(submission: Submission) -> str:
    """Why no board ranks a graded submission, whichever of its system it shows; empty where nothing forbids it."""
    reason, _ = exemptions(submission.version).of_submission(submission)
    return reason or placements.why_diagnostic(submission.version)


def submission_placements(submissions: Iterable[Submission]) -> dict[Any, SubmissionPlacement]:
    """By primary key. One query for every version that a board shows one of them on; places come from the cache."""
    chosen = list(submissions)
    boards = {s.version_id: s.version for s in chosen if s.shown}
    by_version = {
        key: placements.board_placements(version, Submission.objects.on_board(version), WHOLE)
        for key, version in boards.items()
    }
    return {s.pk: _outcome(s, by_version.get(s.version_id, [])) for s in chosen}


def _outcome(submission: Submission, board: list[Placement]) -> SubmissionPlacement:
    gates = gates_of(submission, submission.score)
    if not submission.shown:
        return SubmissionPlacement(gates)
    return SubmissionPlacement(gates, *placements.find(board, submission.pk))


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
