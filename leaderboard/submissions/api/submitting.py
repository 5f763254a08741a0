"""Submit: one call with the file in its body. What was sent before under the same key is not sent twice."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from ninja import Field, Query, Schema, Status
from pydantic import ValidationError

from leaderboard.accounts import usernames
from leaderboard.accounts.access import MAY_SUBMIT
from leaderboard.benchmarks.api.versions import open_version
from leaderboard.submissions import quotas
from leaderboard.submissions import services as submissions
from leaderboard.submissions.api.submissions import router, shown
from leaderboard.submissions.models import Submission, System
from leaderboard.submissions.schemas import SubmissionOut
from leaderboard.web.api import bodies
from leaderboard.web.api.fields import Kind, Link, VersionId, Words
from leaderboard.web.api.openapi import problems
from leaderboard.web.api.problems import ProblemError, invalid
from leaderboard.web.api.throttling import Throttle
from leaderboard.web.requests import SignedInRequest

KEY_LENGTH = 100  # characters, as `Submission.idempotency_key` holds
KEY_HEADER = {
    "in": "header",
    "name": "Idempotency-Key",
    "schema": {"type": "string", "maxLength": KEY_LENGTH},
    "description": "Sending the same again with the same key returns the first submission (200).",
}
__all__ = ["router"]

#: How the command line calls itself.
CLI = "goldevidencebench/"


class SubmitFields(Schema):
    """What to say about the file: in the address, or as fields of a multipart body."""

    version: VersionId = ""
    system: Annotated[
        Words, Field(max_length=80, description="Slug or name of your system, or a new name.")
    ] = ""
    kind: Annotated[Kind, Field(description="Of a new system.")] = "llm"
    parameters: Annotated[Words, Field(max_length=30, description="Of a new system: 7B.")] = ""
    quantization: Annotated[Words, Field(max_length=30, description="Of a new system: Q5_K_M.")] = ""
    url: Annotated[Link, Field(description="Of a new system: paper or code.")] = ""
    visibility: Literal["public", "private"] = "public"
    note: Words = ""
    unanswered: Annotated[
        Literal["take", "refuse"],
        Field(description="What to do with a file of which lines hold no answer; refused, it costs nothing."),
    ] = "take"
    tokens_per_query: Annotated[
        float | None,
        Field(
            ge=0,
            le=1e12,
            allow_inf_nan=False,
            description="If left out: what every line of the file reports.",
        ),
    ] = None


@router.post(
    "",
    operation_id="leaderboard_api_submitting_submit",
    response={201: SubmissionOut, 200: SubmissionOut},
    auth=MAY_SUBMIT,
    throttle=Throttle("upload"),
    summary="Submit a predictions file",
    openapi_extra=bodies.documented(SubmitFields.model_json_schema()["properties"])
    | {"parameters": [KEY_HEADER]}
    | problems(404, 409, 411, 413, 503),
)
def submit(request: SignedInRequest, response: HttpResponse, fields: Query[SubmitFields]) -> Any:
    """One call: the file as the body or as the multipart field `file`, plain or gzipped.

    The file is checked line by line first; with problems nothing is stored and no quota is used (422).
    """
    wanted, key = _fields(request), _key(request)
    version = open_version(wanted.version)
    if not _sent_before(request, key):
        quotas.check(request.user, version)
    with bodies.upload(request) as upload:
        accepted = submissions.accept(
            version,
            upload.path,
            file_name=upload.name,
            refuse_unanswered=wanted.unanswered == "refuse",
            sent_by=request.user,
        )
    submission, created = _create_once(request, accepted, wanted, key)
    response["Location"] = f"{request.path}/{submission.pk}"
    return Status(201 if created else 200, shown(request, submission))


def _fields(request: HttpRequest) -> SubmitFields:
    """The fields of address and body together; the body's win."""
    given = request.GET.dict()
    if request.content_type == "multipart/form-data":
        given |= {name: value for name, value in request.POST.dict().items() if value}
    try:
        wanted = SubmitFields.model_validate(given)
    except ValidationError as error:
        raise invalid([("body", str(one["loc"][0]), one["msg"]) for one in error.errors()]) from error
    missing = [name for name in ("version", "system") if not getattr(wanted, name)]
    if missing:
        raise invalid([("query", name, "This is needed.") for name in missing])
    return wanted


def _key(request: HttpRequest) -> str:
    key = request.headers.get("Idempotency-Key", "").strip()
    if len(key) > KEY_LENGTH or "\x00" in key:
        raise invalid([("header", "Idempotency-Key", f"Use at most {KEY_LENGTH} characters.")])
    return key


def _sent_before(request: SignedInRequest, key: str) -> bool:
    """Whether the key is that of an earlier submission, which costs nothing to send again."""
    return bool(key) and Submission.objects.filter(submitter=request.user, idempotency_key=key).exists()


@transaction.atomic
def _create_once(
    request: SignedInRequest, accepted: submissions.Accepted, wanted: SubmitFields, key: str
) -> tuple[Submission, bool]:
    """The submission, and whether it is new. The account is locked, so that the same key never makes two."""
    user = request.user
    get_user_model().objects.select_for_update(no_key=True).get(pk=user.pk)
    system = _system(user, wanted)
    mine = Submission.objects.with_names().filter(submitter=user)
    if key and (earlier := mine.filter(idempotency_key=key).first()):
        sent = (accepted.version.pk, system, accepted.sha256)
        if (earlier.version_id, earlier.system, earlier.file_sha256) != sent:
            raise ProblemError(
                409, "idempotency-key-reused", "This Idempotency-Key was another submission's."
            )
        return earlier, False
    by_cli = request.headers.get("User-Agent", "").startswith(CLI)
    cost = {} if wanted.tokens_per_query is None else {"tokens_per_query": wanted.tokens_per_query}
    created = submissions.create(
        accepted,
        system=system,
        submitter=user,
        source=Submission.Source.CLI if by_cli else Submission.Source.API,
        visibility=wanted.visibility,
        note=wanted.note,
        efficiency=cost,
        idempotency_key=key,
    )
    return created, True


def _system(user: Any, wanted: SubmitFields) -> System:
    """One of the caller's systems by slug or name, or a new one of that name."""
    mine = System.objects.select_related("owner").filter(owner=user)
    if found := mine.filter(Q(slug=wanted.system) | Q(name=wanted.system)).order_by("pk").first():
        return found
    if text := usernames.system_problem(wanted.system):
        raise invalid([("query", "system", text)])
    facts = {name: getattr(wanted, name) for name in ("kind", "parameters", "quantization", "url")}
    return System.objects.create(owner=user, name=wanted.system, **facts)
