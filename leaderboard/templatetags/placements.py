"""Places of submissions on boards, and guessing lines."""

from __future__ import annotations

from dataclasses import replace

from django import template

from leaderboard.benchmarks.models import Version
from leaderboard.boards.guessing import Guessing, guessings_of
from leaderboard.boards.placements import placements
from leaderboard.boards.placements.outcomes import SubmissionPlacement, submission_placements
from leaderboard.submissions.models import Score, Submission
from leaderboard.submissions.scores.score_tables import gates_of

register = template.Library()


@register.simple_tag
def submission_placement(submission: Submission, score: Score | None) -> SubmissionPlacement:
    """The place of a submission, with the requirements of the revision on the page."""
    placement = submission_placements([submission])[submission.pk]
    return replace(placement, gates=gates_of(submission, score))


@register.simple_tag
def guessing_lines(version: Version) -> list[tuple[str, Guessing]]:
    """The guessing line of each board of a version: over all of its rows, and over each single part of them."""
    parts = placements.ranked_parts(version)
    lines = zip(parts, guessings_of(version, parts), strict=True)
    named = [(", ".join(part.labels) or "Whole board", line) for part, line in lines]
    return [(label, line) for label, line in named if line] if named[0][1] else []
