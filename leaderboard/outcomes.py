"""What came of a submission: its gates, and its place on the board that shows it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from evaluation.suites import Gate
from leaderboard import places
from leaderboard.models import Score, Submission
from leaderboard.ranking import GATED, Placing
from leaderboard.slices import WHOLE


@dataclass(frozen=True, slots=True)
class Outcome:
    """`at` is None where no board shows the submission; its rank is None where it is shown without one."""

    gates: list[Gate]
    at: Placing | None = None
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
        if self.at is None:
            return ""
        if self.at.rank is None:
            return f"not ranked: {self.at.reason}"
        return f"rank {self.at.rank:,} of {self.among:,}{rank_words(self.at)}"


def gates_of(submission: Submission, score: Score | None) -> list[Gate]:
    """The gates as a score passed or failed them; empty before the first grading."""
    engine = submission.version.benchmark.engine
    return engine.gates(score.metrics, score.intervals) if score else []


def rank_words(at: Placing) -> str:
    """What goes with a rank: how many share it, and the range that it takes among resamples; each behind a comma."""
    shared = f", shared by {at.sharing:,}" if at.sharing > 1 else ""
    return shared + (f", range {at.low:,}–{at.high:,}" if at.low != at.high else "")


def why_unranked(submission: Submission) -> str:
    """Why no board ranks a graded submission, whichever of its system it shows; empty where nothing forbids it."""
    kind = submission.version.benchmark.engine.unranked.get(submission.system.kind)
    if kind is not None:
        return kind.reason
    return GATED if submission.score is not None and submission.score.gated else ""


def of(submissions: Iterable[Submission]) -> dict[Any, Outcome]:
    """By primary key. One query for every version that a board shows one of them on; places come from the cache."""
    chosen = list(submissions)
    boards = {s.version_id: s.version for s in chosen if s.shown}
    placings = {
        key: places.of(version, Submission.objects.on_board(version), WHOLE)
        for key, version in boards.items()
    }
    return {s.pk: _outcome(s, placings.get(s.version_id, [])) for s in chosen}


def _outcome(submission: Submission, board: list[Placing]) -> Outcome:
    gates = gates_of(submission, submission.score)
    if not submission.shown:
        return Outcome(gates)
    return Outcome(gates, *places.find(board, submission.pk))
