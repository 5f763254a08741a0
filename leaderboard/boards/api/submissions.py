"""A submission with its place on the board: what the submissions themselves do not know."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest
from django.urls import reverse
from ninja import Router

from leaderboard.boards.placements import of_submission
from leaderboard.submissions import transcripts
from leaderboard.submissions.api.submissions import shown
from leaderboard.submissions.models import Submission
from leaderboard.submissions.schemas import SubmissionDetail

router = Router(tags=["Submissions"])


@router.get(
    "/{uuid:id}",
    operation_id="leaderboard_api_submissions_get_submission",
    response=SubmissionDetail,
    summary="A submission, its progress and its rank",
)
def get_submission(request: HttpRequest, id: UUID) -> Any:
    submission = Submission.objects.get_visible(request.user, id)
    came_of = of_submission.submission_placements([submission])[submission.pk]
    at = came_of.placement
    standing = at and {
        "rank": at.rank,
        "low": at.low,
        "high": at.high,
        "among": came_of.among,
        "sharing": at.sharing,
        "reason": at.reason or None,
    }
    return shown(request, submission) | {
        "standing": standing,
        "held_back": submission.held_back or None,
        "transcripts_url": _transcripts_url(request, submission),
    }


def _transcripts_url(request: HttpRequest, submission: Submission) -> str | None:
    if not transcripts.may_be_read_by(submission, request.user):
        return None
    return request.build_absolute_uri(reverse("leaderboard:submission_transcripts", args=[submission.pk]))
