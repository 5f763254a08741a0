"""The systems that contest a board, with what the cards of the front page read of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from leaderboard.benchmarks.models import Version
from leaderboard.boards.lengths import computing as length_computing
from leaderboard.boards.lengths.figures import Lengths, rungs_of
from leaderboard.boards.placements import placements, ranking
from leaderboard.boards.placements.ranking import Placement
from leaderboard.boards.slices import WHOLE
from leaderboard.submissions.models import Submission


@dataclass(frozen=True, slots=True)
class Card:
    """One statement that holds."""

    title: str
    name: str  # of a system, or of a kind of question
    figure: str
    said: str  # how far it holds, in a sentence or two
    url: str = ""  # of the system; empty: of the board
    query: str = ""  # of the board's address
    origin: str = ""  # how the result of that system came about, in words


@dataclass(frozen=True, slots=True)
class Contest:
    """A board that ranks."""

    version: Version
    contesting: list[Placement]  # in board order; what stands apart is left out
    lengths: Mapping[Any, Lengths]  # of all of them; empty where the version has no lengths
    submissions: Mapping[Any, Submission]  # of those who contest it, with system and score

    @property
    def above(self) -> list[Placement]:
        """The systems above guessing: a card names no other."""
        return [placement for placement in self.contesting if placement.above]

    @property
    def ranked(self) -> list[Placement]:
        """The systems that have a rank."""
        return [placement for placement in self.contesting if placement.rank is not None]


def contest_of(version: Version) -> Contest | None:
    """Who contests the board of a version.

    Args:
        version: One that is not diagnostic.

    Returns:
        The contest; None while a worker computes its ranks or its lengths.
    """
    shown = Submission.objects.on_board(version)
    everybody = placements.board_placements(version, shown, WHOLE)
    lengths = length_computing.of_board(version)
    contesting = [placement for placement in everybody if not placement.apart]
    if ranking.why_nobody(everybody) or (contesting and rungs_of(version) and not lengths):
        return None
    keys = [placement.key for placement in contesting]
    loaded = shown.filter(pk__in=keys).select_related("system__owner", "score")
    return Contest(version, contesting, lengths, {each.pk: each for each in loaded})


def sentence_of_gates(submission: Submission) -> str:
    """That a system does not meet all requirements; empty where it does.

    Args:
        submission: With its score.
    """
    return "It does not meet all requirements." if submission.score and submission.score.gated else ""


def sentence_of_rivals(others: int) -> str:
    """That others cannot be told apart from the one that a card names.

    Args:
        others: How many; of none nothing is said.
    """
    return f"One of {others + 1:,} that no interval tells apart." if others else ""
