"""All rows of a board at once."""

from __future__ import annotations

from leaderboard.benchmarks.models import Version
from leaderboard.boards.placements import placements
from leaderboard.boards.rows import BoardRow, rows
from leaderboard.boards.slices import WHOLE
from leaderboard.submissions.models import Submission


def board_rows(version: Version) -> list[BoardRow]:
    """The rows of a board in its order."""
    return rows(version, placements.board_placements(version, Submission.objects.on_board(version), WHOLE))
