"""The systems that compete on a board, as input of the cards of the front page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from leaderboard.benchmarks.models import Version
from leaderboard.boards.lengths import computing as length_computing
from leaderboard.boards.lengths.figures import Lengths, rungs_of
from leaderboard.boards.placements import placements, ranking
from leaderboard.boards.placements.ranking import Placement
from leaderboard.boards.slices import WHOLE
from leaderboard.submissions.models import Submission


class Speck(NamedTuple):
    """A system in the small chart of a card. Its position is from 0 to 1 on both axes."""

    x: float
    y: float
    named: bool  # the card is about this system


@dataclass(frozen=True, slots=True)
class Card:
    """A finding that the figures of a board support, with texts and a small chart for the front page."""

    title: str
    name: str  # of a system, or of a kind of question
    figure: str
    unit: str  # beside the figure
    said: str  # qualification in a sentence or two
    url: str = ""  # of the system; empty: of the board
    query: str = ""  # of the board's address
    origin: str = ""  # label of `Submission.Origin`
    look: str = ""  # of the small chart: `bars`, `dots` or `ticks`
    specks: Sequence[Speck] = ()


@dataclass(frozen=True, slots=True)
class Contest:
    version: Version
    contesting: list[Placement]  # in board order, without references and unranked kinds
    lengths: Mapping[Any, Lengths]  # of all of them; empty if the version has no lengths
    submissions: Mapping[Any, Submission]  # of `contesting`, with system and score

    @property
    def above(self) -> list[Placement]:
        """The systems that are significantly better than guessing. Cards name only these."""
        return [placement for placement in self.contesting if placement.above]

    @property
    def ranked(self) -> list[Placement]:
        return [placement for placement in self.contesting if placement.rank is not None]


def contest_of(version: Version) -> Contest | None:
    """The competing systems of a version. None if it has no ranks, or while ranks or lengths are being computed."""
    shown = Submission.objects.on_board(version)
    everybody = placements.board_placements(version, shown, WHOLE)
    lengths = length_computing.board_lengths(version)
    contesting = [placement for placement in everybody if not placement.apart]
    if ranking.why_no_ranks(everybody) or (contesting and rungs_of(version) and not lengths):
        return None
    keys = [placement.key for placement in contesting]
    loaded = shown.filter(pk__in=keys).select_related("system__owner", "score")
    return Contest(version, contesting, lengths, {each.pk: each for each in loaded})


def sentence_of_gates(submission: Submission) -> str:
    return "It fails a requirement." if submission.score and submission.score.gated else ""


def sentence_of_rivals(others: int) -> str:
    return f"Tied with {others:,} other{'s' if others > 1 else ''}." if others else ""
