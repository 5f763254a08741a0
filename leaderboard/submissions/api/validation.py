"""Checking a predictions file against a version without submitting it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.http import HttpRequest
from ninja import Router

from evaluation.core import row_states
from leaderboard.accounts.access import SIGNED_IN
from leaderboard.benchmarks.api.versions import open_version
from leaderboard.submissions import services as submissions
from leaderboard.submissions.schemas import Checked
from leaderboard.web.api import bodies
from leaderboard.web.api.fields import Slug
from leaderboard.web.api.openapi import problems
from leaderboard.web.api.throttling import Throttle

router = Router(tags=["Versions"])


@router.post(
    "/{benchmark}/{version}/validate",
    operation_id="leaderboard_api_versions_validate",
    response=Checked,
    auth=SIGNED_IN,
    throttle=Throttle("upload"),
    summary="Check a predictions file without submitting it",
    openapi_extra=bodies.documented() | problems(409, 411, 413, 503),
)
def validate(request: HttpRequest, benchmark: Slug, version: Slug) -> Any:
    """Answers as submitting the file would, and stores nothing. A file with problems is answered with 422."""
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
