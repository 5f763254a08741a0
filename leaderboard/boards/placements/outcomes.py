"""Results in words: of a submission (requirements and placement on its board), and of a system on a board."""

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
    """The result of a submission. `placement` is None if no board shows it, and has no rank if it is not ranked."""

    gates: list[Gate]
    placement: Placement | None = None
    among: int = 0  # how many systems of the board are ranked

    @property
    def failed(self) -> list[Gate]:
        return [gate for gate in self.gates if gate.state == "fail"]

    @property
    def unmet(self) -> str:
        """The requirements that the submission fails, in words; empty if none is known to fail."""
        return requirements_words(self.failed)

    @property
    def words(self) -> str:
        """The rank in one line, or the reason why there is none; empty if no board shows the submission."""
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
    """Names failed requirements with their figures: "citations back 78.1% of answers, 95% needed"."""
    return "; ".join(gate.failure or gate.said for gate in failed)


def tied_words(sharing: int) -> str:
    """Clause such as ", tied with 2 others". `sharing` counts the system itself; if it is 1, the clause is empty."""
    return f", tied with {number_of(sharing - 1, 'other')}" if sharing > 1 else ""


def why_unranked(submission: Submission) -> str:
    """Reason why a graded submission is never ranked; empty if it may be ranked."""
    reason, _ = exemptions(submission.version).for_submission(submission)
    return reason or placements.why_diagnostic(submission.version)


def submission_placements(submissions: Iterable[Submission]) -> dict[Any, SubmissionPlacement]:
    """Map the key of each submission to its result. One query per version of which a board shows a submission."""
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
    """The fields of a system's row on a board that badges and cards need."""

    value: float | None
    gated: bool  # a requirement is not met
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    among: int = 0  # how many systems are ranked
    sharing: int = 1  # how many of them are tied with it, itself included
    reason: str = ""  # why it has no rank
    apart: bool = False  # of a kind that the suite does not rank: its figure is not the headline

    @property
    def words(self) -> str:
        if self.rank is None:
            return f"not ranked: {self.reason}"
        between = ranking.range_words(self.rank_low, self.rank_high, gated=self.gated)
        unmet = ", a requirement is not met" if self.gated else ""
        return f"rank {between} of {self.among:,}{tied_words(self.sharing)}{unmet}"


def system_placement(system: System, version: Version) -> SystemPlacement | None:
    """The row of a system on the board over all rows of a version; None if the board does not show the system."""
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
