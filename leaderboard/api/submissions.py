"""Submissions: follow the grading, read the history, change visibility, withdraw, grade again."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

from django.http import HttpRequest
from ninja import Field, Query, Router, Status

from leaderboard import outcomes, scorecards, submissions
from leaderboard.api.access import MAY_SUBMIT, STAFF_ONLY
from leaderboard.api.fields import VersionId
from leaderboard.api.paging import Page, Paging, by_key
from leaderboard.api.problems import ProblemError
from leaderboard.api.schemas import EventOut, SubmissionDetail, SubmissionOut
from leaderboard.api.versions import version_id
from leaderboard.models import Submission
from leaderboard.views.submissions import readable

router = Router(tags=["Submissions"])


class SubmissionFilters(Paging):
    version: VersionId = ""
    system: Annotated[
        str, Field(pattern=r"^([^\x00/]+/[-a-zA-Z0-9_]+)?$", max_length=250, description="`owner/slug`.")
    ] = ""
    status: Literal["", "queued", "grading", "graded", "failed", "withdrawn"] = ""
    mine: bool = False


@router.get("", response=Page[SubmissionOut], summary="The history of submissions, newest first")
def list_submissions(request: HttpRequest, filters: Query[SubmissionFilters]) -> Any:
    """Public ones, and your own."""
    found = Submission.objects.visible_to(request.user).with_names()
    if filters.mine:
        found = found.filter(submitter_id=request.user.pk)
    if filters.version:
        benchmark, _, slug = filters.version.partition("/")
        found = found.filter(version__benchmark__slug=benchmark, version__slug=slug)
    if filters.system:
        owner, _, slug = filters.system.rpartition("/")
        found = found.filter(system__owner__username=owner, system__slug=slug)
    if filters.status:
        found = found.filter(status=filters.status)
    return by_key(
        request, found, ["-created_at", "id"], filters, lambda submission: shown(request, submission)
    )


@router.get("/{uuid:id}", response=SubmissionDetail, summary="A submission, how far it is, where it stands")
def get_submission(request: HttpRequest, id: UUID) -> Any:
    submission = readable(request, id)
    came_of = outcomes.of([submission])[submission.pk]
    at = came_of.at
    standing = at and {"rank": at.rank, "low": at.low, "high": at.high, "among": came_of.among}
    return shown(request, submission) | {"standing": standing}


@router.get("/{uuid:id}/events", response=list[EventOut], summary="What happened to it")
def get_events(request: HttpRequest, id: UUID) -> Any:
    events = readable(request, id).events.select_related("actor")
    return [
        {
            "kind": event.kind,
            "label": event.get_kind_display(),
            "detail": event.detail,
            "actor": event.actor.get_username() if event.actor else None,
            "at": event.at,
        }
        for event in events
    ]


@router.post("/{uuid:id}/withdraw", response=SubmissionOut, auth=MAY_SUBMIT, summary="Take it off the board")
def withdraw(request: HttpRequest, id: UUID) -> Any:
    """It stays in the history of its system."""
    submission = _own(request, id)
    submissions.withdraw(submission, actor=request.user)
    return shown(request, submission)


@router.post("/{uuid:id}/publish", response=SubmissionOut, auth=MAY_SUBMIT, summary="Make it public")
def publish(request: HttpRequest, id: UUID) -> Any:
    return _set_visibility(request, id, Submission.Visibility.PUBLIC)


@router.post("/{uuid:id}/unpublish", response=SubmissionOut, auth=MAY_SUBMIT, summary="Make it private")
def unpublish(request: HttpRequest, id: UUID) -> Any:
    return _set_visibility(request, id, Submission.Visibility.PRIVATE)


def _set_visibility(request: HttpRequest, id: UUID, visibility: str) -> dict[str, Any]:
    submission = _own(request, id)
    try:
        submissions.set_visibility(submission, visibility, actor=request.user)
    except submissions.TrialError as error:
        raise ProblemError(409, "trial-run", str(error)) from error
    submission.refresh_from_db(fields=["shown"])
    return shown(request, submission)


@router.post(
    "/{uuid:id}/regrade", response={202: SubmissionOut}, auth=STAFF_ONLY, summary="Grade it again (staff)"
)
def regrade(request: HttpRequest, id: UUID) -> Any:
    """A newer grader adds a revision; older scores stay readable."""
    submission = readable(request, id)
    submissions.regrade(submission, actor=request.user)
    return Status(202, shown(request, submission))


def _own(request: HttpRequest, id: UUID) -> Submission:
    """A submission that the caller may change. Raises Http404 where they may not even read it, else 403."""
    submission = readable(request, id)
    if not submission.may_be_changed_by(request.user):
        raise ProblemError(403, "not-yours", "Only its submitter can change a submission.")
    return submission


def shown(request: HttpRequest, submission: Submission) -> dict[str, Any]:
    """A submission as the API shows it."""
    score, owner = submission.score, submission.system.owner
    return {
        "id": submission.pk,
        "version": version_id(submission.version),
        "system": {
            "owner": owner.get_username(),
            "slug": submission.system.slug,
            "name": submission.system.name,
        },
        "submitter": submission.submitter.get_username(),
        "source": submission.source,
        "verified": submission.verified,
        "visibility": submission.visibility,
        "note": submission.note,
        "status": submission.status,
        "progress": submission.percent,
        "shown": submission.shown,
        "rows": submission.row_count,
        "conditions": submission.conditions,
        "tokens_per_query": submission.efficiency.get("tokens_per_query"),
        "headline": _headline(submission),
        "gates": outcomes.gates_of(submission, score),
        "grader": score.grader if score else None,
        "revision": score.revision if score else None,
        "error": submission.error,
        "created_at": submission.created_at,
        "graded_at": submission.graded_at,
        "withdrawn_at": submission.withdrawn_at,
        "flags": submission.flags if request.user.is_staff else None,
        "url": request.build_absolute_uri(submission.get_absolute_url()),
    }


def _headline(submission: Submission) -> dict[str, Any] | None:
    if (score := submission.score) is None:
        return None
    name = submissions.headline_of(submission.version.benchmark.engine).name
    return figure(score.headline, scorecards.interval(score.intervals, name))


def figure(value: Any, interval: Any) -> dict[str, Any]:
    """A value with its interval, either of which may be missing."""
    low, high = interval or (None, None)
    return {"value": value, "low": low, "high": high}
