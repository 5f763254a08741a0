"""API of submissions: follow the grading, read the history, change visibility, withdraw, grade again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any, Literal, TypedDict
from uuid import UUID

from django.http import HttpRequest
from ninja import Field, Query, Router, Schema, Status

from leaderboard.accounts import permissions, teams
from leaderboard.accounts.access import MAY_SUBMIT, needs
from leaderboard.benchmarks.api.versions import version_id
from leaderboard.submissions import file_warnings, flags
from leaderboard.submissions import services as submissions
from leaderboard.submissions.likeness import wording
from leaderboard.submissions.models import Submission, System
from leaderboard.submissions.schemas import EventOut, SubmissionOut, system_ref
from leaderboard.submissions.scores import score_tables
from leaderboard.web.api.fields import VersionId, Words, row_fields
from leaderboard.web.api.openapi import problems
from leaderboard.web.api.paging import Page, Paging, by_key
from leaderboard.web.api.problems import ProblemError

router = Router(tags=["Submissions"])


class SubmissionFilters(Paging):
    version: Annotated[VersionId, Field(description="The version, `benchmark/version`.")] = ""
    system: Annotated[
        str, Field(pattern=r"^([^\x00/]+/[-a-zA-Z0-9_]+)?$", max_length=250, description="`owner/slug`.")
    ] = ""
    status: Annotated[
        Literal["", "queued", "grading", "graded", "failed", "waiting", "withdrawn"],
        Field(description="Only submissions with this status; empty: all."),
    ] = ""
    mine: Annotated[bool, Field(description="Only submissions of the caller and their teams.")] = False


@router.get(
    "",
    response=Page[SubmissionOut],
    summary="The history of submissions, newest first",
)
def list_submissions(request: HttpRequest, filters: Query[SubmissionFilters]) -> Any:
    """List public submissions and your own."""
    visible = Submission.objects.visible_to(request.user).with_names()
    if filters.mine:
        visible = visible.filter(submitter__in=teams.accounts_of(request.user))
    if filters.version:
        benchmark, _, slug = filters.version.partition("/")
        visible = visible.filter(version__benchmark__slug=benchmark, version__slug=slug)
    if filters.system:
        system = System.objects.by_address(filters.system)
        visible = visible.filter(system=system) if system else visible.none()
    if filters.status:
        visible = visible.filter(status=filters.status)
    if permissions.may(request.user, permissions.VIEW_SUBMISSION):
        visible = visible.prefetch_related(wording.WITH_LIKENESSES)
    return by_key(
        request, visible, ["-created_at", "id"], filters, lambda each: shown(request, each, warnings=False)
    )


@router.get(
    "/{uuid:id}/events",
    response=list[EventOut],
    summary="History of a submission",
)
def get_events(request: HttpRequest, id: UUID) -> Any:
    """List the events of a submission, such as received, graded, published and withdrawn, the oldest first."""
    events = Submission.objects.get_visible(request.user, id).events.select_related("actor")
    return [
        {
            "kind": event.kind,
            "label": event.get_kind_display(),
            "detail": event.shown_detail,
            "actor": event.actor.get_username() if event.actor else None,
            "at": event.at,
        }
        for event in events
    ]


@router.post(
    "/{uuid:id}/withdraw",
    response=SubmissionOut,
    auth=MAY_SUBMIT,
    summary="Withdraw a submission from the board",
)
def withdraw(request: HttpRequest, id: UUID) -> Any:
    """Withdraw a submission. It stays in the history of its system."""
    submission = _open(request, id, permissions.WITHDRAW_SUBMISSION)
    submissions.withdraw(submission, actor=request.user)
    return shown(request, submission)


@router.post(
    "/{uuid:id}/publish",
    response=SubmissionOut,
    auth=MAY_SUBMIT,
    summary="Make a submission public",
)
def publish(request: HttpRequest, id: UUID) -> Any:
    """Make a submission public. Feeds then show it, and boards may show it as the result of its system."""
    return _set_visibility(request, id, Submission.Visibility.PUBLIC)


@router.post(
    "/{uuid:id}/unpublish",
    response=SubmissionOut,
    auth=MAY_SUBMIT,
    summary="Make a submission private",
)
def unpublish(request: HttpRequest, id: UUID) -> Any:
    """Make a submission private, so that boards and feeds no longer show it."""
    return _set_visibility(request, id, Submission.Visibility.PRIVATE)


@router.post(
    "/{uuid:id}/share-predictions",
    response=SubmissionOut,
    auth=MAY_SUBMIT,
    summary="Make the predictions of an older submission public",
)
def share_predictions(request: HttpRequest, id: UUID) -> Any:
    """Agree that the predictions become public once the version's answers are public. The consent is final."""
    submission = _open(request, id, permissions.PUBLISH_SUBMISSION)
    submissions.share_predictions(submission, actor=request.user)
    return shown(request, submission)


@router.post(
    "/{uuid:id}/approve",
    response=SubmissionOut,
    auth=needs(permissions.APPROVE_SUBMISSION),
    summary="Approve a submission, so that boards may show it (needs a permission)",
)
def approve(request: HttpRequest, id: UUID) -> Any:
    """Approve a submission. On a site with moderation, boards show results only after approval."""
    return _decide(request, id)


class Refusal(Schema):
    reason: Annotated[Words, Field(min_length=1, description="The reason, shown to the submitter.")]


@router.post(
    "/{uuid:id}/refuse",
    response=SubmissionOut,
    auth=needs(permissions.APPROVE_SUBMISSION),
    summary="Refuse a submission, so that boards do not show it (needs a permission)",
)
def refuse(request: HttpRequest, id: UUID, requested: Refusal) -> Any:
    """Refuse a submission. A refused submission stays readable, and can be approved later."""
    return _decide(request, id, requested.reason)


def _decide(request: HttpRequest, id: UUID, reason: str = "") -> dict[str, object]:
    submission = Submission.objects.get_visible(request.user, id)
    submissions.decide(submission, approved=not reason, actor=request.user, reason=reason)
    submission.refresh_from_db(fields=["shown"])
    return shown(request, submission)


def _set_visibility(request: HttpRequest, id: UUID, visibility: str) -> dict[str, object]:
    submission = _open(request, id, permissions.PUBLISH_SUBMISSION)
    try:
        submissions.set_visibility(submission, visibility, actor=request.user)
    except submissions.TrialError as error:
        raise ProblemError(409, "trial-run", str(error)) from error
    submission.refresh_from_db(fields=["shown"])
    return shown(request, submission)


@router.post(
    "/{uuid:id}/regrade",
    response={202: SubmissionOut},
    auth=needs(permissions.REGRADE_SUBMISSION),
    summary="Grade a submission again (needs a permission)",
    openapi_extra=problems(409),
)
def regrade(request: HttpRequest, id: UUID) -> Any:
    """Grade a submission again. A newer grader adds a revision; older scores stay readable."""
    submission = Submission.objects.get_visible(request.user, id)
    try:
        submissions.regrade(submission, actor=request.user)
    except submissions.FileRemovedError as error:
        raise ProblemError(409, "file-removed", str(error)) from error
    return Status(202, shown(request, submission))


def _open(request: HttpRequest, id: UUID, permission: str) -> Submission:
    submission = Submission.objects.get_visible(request.user, id)
    if not submission.is_open_to(request.user, permission):
        raise ProblemError(
            403, "not-yours", f"This is not your submission. {permissions.refusal(permission)}"
        )
    return submission


def shown(request: HttpRequest, submission: Submission, *, warnings: bool = True) -> dict[str, object]:
    """Return the fields of `SubmissionOut`. Load the submission with `with_names`. `warnings` cost further queries."""
    score = submission.score
    return row_fields(
        SubmissionOut,
        submission,
        version=version_id(submission.version),
        system=system_ref(submission.system),
        submitter=submission.submitter.get_username(),
        progress=submission.percent,
        repeat=submission.repeat or None,
        mean=submission.mean_id,
        repeats_graded=submission.progress_done if submission.is_mean else None,
        rows=submission.row_count,
        tokens_per_query=submission.efficiency.get("tokens_per_query"),
        trial=trial(submission),
        headline=None if score is None else figure(submission.result, submission.result_interval),
        gates=score_tables.gates_of(submission, score),
        grader=score.grader if score else None,
        revision=score.revision if score else None,
        statistics=score.statistics if score else None,
        flags=flags.shown_to(submission, request.user),
        alike=_alike(submission, request.user) if warnings else None,
        warnings=_warnings(submission, request.user) if warnings else None,
        url=request.build_absolute_uri(submission.get_absolute_url()),
    )


def _alike(submission: Submission, reader: Any) -> list[dict[str, object]]:
    return [asdict(each) for each in wording.findings(wording.readable(submission, reader))]


def _warnings(submission: Submission, reader: Any) -> list[dict[str, object]] | None:
    if not file_warnings.may_be_read_by(submission, reader):
        return None
    return [asdict(each) for each in file_warnings.for_submission(submission, reader)]


def trial(submission: Submission) -> dict[str, int] | None:
    """Return the fields of `TrialOut`, or None unless the submission is a trial (a run over some of the rows)."""
    if not submission.is_trial:
        return None
    return {"rows": submission.row_count, "of": submission.version.row_count}


class FigureFields(TypedDict):
    value: float | None
    low: float | None
    high: float | None


def figure(value: float | None, interval: Sequence[float] | None) -> FigureFields:
    """Return the fields of `Figure`. A value of None means that the figure is not reported."""
    low, high = interval or (None, None)
    return {"value": value, "low": low, "high": high}
