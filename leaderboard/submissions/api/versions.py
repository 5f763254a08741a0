"""API to check a file against a version without submitting it, and to list public predictions of a version."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.http import Http404, HttpRequest
from django.urls import reverse
from ninja import Query, Router

from evaluation.core import row_states
from leaderboard.accounts.access import SIGNED_IN
from leaderboard.benchmarks.api.versions import open_version
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing.published import file_sha256
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission
from leaderboard.submissions.schemas import Checked, PredictionsOut
from leaderboard.web.api import bodies
from leaderboard.web.api.fields import Slug
from leaderboard.web.api.openapi import problems
from leaderboard.web.api.paging import Page, Paging, by_key
from leaderboard.web.api.throttling import Throttle

router = Router(tags=["Versions"])


@router.post(
    "/{benchmark}/{version}/validate",
    response=Checked,
    auth=SIGNED_IN,
    throttle=Throttle("upload"),
    summary="Check a predictions file without submitting it",
    openapi_extra=bodies.documented() | problems(409, 411, 413, 503),
)
def validate(request: HttpRequest, benchmark: Slug, version: Slug) -> Any:
    """Check a file as if it were submitted, but store nothing. A file with problems gives 422."""
    frozen = open_version(f"{benchmark}/{version}")
    with bodies.upload(request) as upload:
        checked = submissions.dry_run(frozen, upload.path, sent_by=request.user)
    return {
        "rows": checked.rows,
        "conditions": list(checked.splits),
        "row_states": checked.states,
        "warning": row_states.sentence(checked.states, "lines"),
        "warnings": [asdict(each) for each in checked.warnings],
    }


@router.get(
    "/{benchmark}/{version}/predictions",
    response=Page[PredictionsOut],
    summary="List the public predictions of a version",
)
def get_predictions(request: HttpRequest, benchmark: Slug, version: Slug, filters: Query[Paging]) -> Any:
    """List the public predictions for a version, newest first. 404 while the correct answers are secret.

    Until the version is retired, old predictions whose owners have not agreed to publish them are left out.
    """
    frozen = Version.objects.get_readable(benchmark, version)
    if not frozen.lists_predictions:
        raise Http404("This version is sealed: its predictions are not published.")
    public = Submission.objects.listed().with_predictions(frozen)
    return by_key(request, public, ["-created_at", "id"], filters, lambda each: _shown(request, each))


def _shown(request: HttpRequest, submission: Submission) -> dict[str, object]:
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
