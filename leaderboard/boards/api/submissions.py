"""API of a submission with its rank. It is in this package because `submissions` may not import `boards`."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest
from django.urls import reverse
from ninja import Router

from leaderboard.boards.placements import outcomes
from leaderboard.submissions import transcripts
from leaderboard.submissions.api.submissions import shown
from leaderboard.submissions.models import Submission
from leaderboard.submissions.schemas import SubmissionDetail

router = Router(tags=["Submissions"])


@router.get("/{uuid:id}", response=SubmissionDetail, summary="A submission, its progress and its rank")
def get_submission(request: HttpRequest, id: UUID) -> Any:
    """Return the submission with its place on the board."""
    submission = Submission.objects.get_visible(request.user, id)
    shows_transcripts = transcripts.may_be_read_by(submission, request.user)

    def address(file: str) -> str:
        return request.build_absolute_uri(reverse(f"leaderboard:submission_{file}", args=[submission.pk]))

    return shown(request, submission) | {
        "standing": standing_of(submission),
        "held_back": submission.held_back or None,
        "predictions_url": address("predictions") if submission.gives_predictions_to(request.user) else None,
        "transcripts_url": address("transcripts") if shows_transcripts else None,
    }


def standing_of(submission: Submission) -> dict[str, object] | None:
    """The submission's position on its board, as values for `StandingOut`; None if no board shows the submission."""
    placed = outcomes.submission_placements([submission])[submission.pk]
    at = placed.placement
    if at is None:
        return None
    return {
        "rank": at.rank,
        "low": at.low,
        "high": at.high,
        "among": placed.among,
        "sharing": at.sharing,
        "reason": at.reason or None,
    }
