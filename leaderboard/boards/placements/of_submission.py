"""What came of a submission: its gates, and its place on the board that shows it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from evaluation.core.suite import Gate
from leaderboard.boards.placements import placements
from leaderboard.boards.placements.ranking import GATED, Placement
from leaderboard.boards.slices import WHOLE
from leaderboard.submissions.models import Submission
from leaderboard.submissions.score_tables import gates_of


@dataclass(frozen=True, slots=True)
class SubmissionPlacement:
    """`placement` is None where no board shows the submission; its rank is None where it is shown without one."""

    gates: list[Gate]
    placement: Placement | None = None
    among: int = 0  # how many systems of the board are ranked

    @property
    def failed(self) -> list[Gate]:
        """The gates that the submission did not pass."""
        return [gate for gate in self.gates if gate.state == "fail"]

    @property
    def words(self) -> str:
        """Its place in a line; empty where no board shows it."""
        if self.failed:
            names = " and ".join(f"{gate.letter}, {gate.name}" for gate in self.failed)
            return f"not ranked: gate {names}, failed"
        if self.placement is None:
            return ""
        if self.placement.rank is None:
            return f"not ranked: {self.placement.reason}"
        return f"rank {self.placement.rank:,} of {self.among:,}{rank_words(self.placement)}"


def rank_words(at: Placement) -> str:
    """What goes with a rank: how many share it, and the range that it takes among resamples; each behind a comma."""
    shared = f", shared by {at.sharing:,}" if at.sharing > 1 else ""
    return shared + (f", range {at.low:,}–{at.high:,}" if at.low != at.high else "")


def why_unranked(submission: Submission) -> str:
    """Why no board ranks a graded submission, whichever of its system it shows; empty where nothing forbids it."""
    kind = submission.version.suite.unranked.get(submission.system.kind)
    if kind is not None:
        return kind.reason
    return GATED if submission.score is not None and submission.score.gated else ""


def submission_placements(submissions: Iterable[Submission]) -> dict[Any, SubmissionPlacement]:
    """By primary key. One query for every version that a board shows one of them on; places come from the cache."""
    chosen = list(submissions)
    boards = {s.version_id: s.version for s in chosen if s.shown}
    placings = {
        key: placements.board_placements(version, Submission.objects.on_board(version), WHOLE)
        for key, version in boards.items()
    }
    return {s.pk: _outcome(s, placings.get(s.version_id, [])) for s in chosen}


def _outcome(submission: Submission, board: list[Placement]) -> SubmissionPlacement:
    gates = gates_of(submission, submission.score)
    if not submission.shown:
        return SubmissionPlacement(gates)
    return SubmissionPlacement(gates, *placements.find(board, submission.pk))
