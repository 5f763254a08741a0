"""Where boards place what a page shows."""

from __future__ import annotations

from dataclasses import replace

from django import template

from leaderboard.boards.placements.of_submission import SubmissionPlacement, submission_placements
from leaderboard.submissions.models import Score, Submission
from leaderboard.submissions.scores.score_tables import gates_of

register = template.Library()


@register.simple_tag
def submission_placement(submission: Submission, score: Score | None) -> SubmissionPlacement:
    """The place of a submission, beside the gates of the revision that is read."""
    placement = submission_placements([submission])[submission.pk]
    return replace(placement, gates=gates_of(submission, score))
