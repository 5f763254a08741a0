"""The predictions of public submissions to a retired version."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest
from django.urls import reverse
from ninja import Query, Router

from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing.published import file_sha256
from leaderboard.submissions.models import Submission
from leaderboard.submissions.schemas import PredictionsOut
from leaderboard.web.api.fields import Slug
from leaderboard.web.api.paging import Page, Paging, by_key

router = Router(tags=["Versions"])


@router.get(
    "/{benchmark}/{version}/predictions",
    operation_id="leaderboard_api_versions_get_predictions",
    response=Page[PredictionsOut],
    summary="List the predictions that a retired version publishes",
)
def get_predictions(request: HttpRequest, benchmark: Slug, version: Slug, filters: Query[Paging]) -> Any:
    """Those of its public, graded submissions, newest first. 404 while a version is open, or its gold is not ours."""
    frozen = Version.objects.get_readable(benchmark, version)
    if not frozen.publishes_predictions:
        raise Http404("This version publishes no predictions.")
    public = Submission.objects.public().listed().filter(version=frozen, status=Submission.Status.GRADED)
    return by_key(request, public, ["-created_at", "id"], filters, lambda each: _shown(request, each))


def _shown(request: HttpRequest, submission: Submission) -> dict[str, Any]:
    address = reverse("leaderboard:submission_predictions", args=[submission.pk])
    return {
        "submission": submission.pk,
        "system": submission.system.name,
        "verified": submission.verified,
        "origin": submission.origin,
        "content_sha256": submission.file_sha256,
        "file_sha256": file_sha256(submission.file_sha256),
        "url": request.build_absolute_uri(address),
    }
