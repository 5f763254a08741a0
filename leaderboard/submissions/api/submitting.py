"""API to submit a file in one call. With an Idempotency-Key, a repeated call does not submit again."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from django.contrib.auth import get_user_model
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from ninja import Field, Query, Schema, Status
from pydantic import ValidationError

from leaderboard.accounts import usernames
from leaderboard.accounts.access import MAY_SUBMIT, account_of
from leaderboard.benchmarks.api.versions import open_version
from leaderboard.submissions import quotas
from leaderboard.submissions import services as submissions
from leaderboard.submissions.api.submissions import router, shown
from leaderboard.submissions.models import Submission, System
from leaderboard.submissions.models.system import GIVEN
from leaderboard.submissions.schemas import SubmissionOut
from leaderboard.submissions.services import entries
from leaderboard.web.api import bodies
from leaderboard.web.api.fields import Kind, Link, VersionId, Words
from leaderboard.web.api.openapi import problems
from leaderboard.web.api.problems import ProblemError, invalid
from leaderboard.web.api.throttling import Throttle
from leaderboard.web.requests import SignedInRequest
from leaderboard.web.validators import unseen_problem

KEY_LENGTH = 100  # characters, as `Submission.idempotency_key` holds
KEY_HEADER = {
    "in": "header",
    "name": "Idempotency-Key",
    "schema": {"type": "string", "maxLength": KEY_LENGTH},
    "description": "Repeating a call with the same key returns the first submission (200).",
}
__all__ = ["router"]

#: Start of the command line's User-Agent.
CLI = "goldevidencebench/"


class SubmitFields(Schema):
    """Parameters of a submission, sent in the query or as fields of a multipart body."""

    version: Annotated[VersionId, Field(description="The version, `benchmark/version`.")] = ""
    system: Annotated[
        Words, Field(max_length=80, description="Slug or name of your system, or a new name.")
    ] = ""
    team: Annotated[
        Words, Field(max_length=150, description="Name of your team that owns the system; empty: you own it.")
    ] = ""
    kind: Annotated[Kind, Field(description="Kind of a new system; `memory` for a file of contexts.")] = "llm"
    reading: Annotated[
        Literal["", "whole", "retrieval", "memory", "agent", "other"],
        Field(description="How a new system reads the long text of a row; empty: not stated."),
    ] = ""
    harness: Annotated[
        Words,
        Field(
            max_length=120, description="How a new system reads, in words, for example: BM25 finds 8 lines."
        ),
    ] = ""
    parameters: Annotated[
        Words, Field(max_length=30, description="Size of a new system, for example 7B.")
    ] = ""
    quantization: Annotated[
        Words, Field(max_length=30, description="Quantization of a new system, for example Q5_K_M.")
    ] = ""
    weights: Annotated[
        Literal["", "open", "conditions", "closed"],
        Field(description="Availability of the weights of a new system's model."),
    ] = ""
    seen: Annotated[
        Literal["", "no", "maybe", "yes"],
        Field(description="Whether a new system's model has seen the benchmark in training."),
    ] = ""
    main: Annotated[
        bool,
        Field(
            description="On boards with one system per model, show this new system. After its first score, this "
            "choice can no longer be changed."
        ),
    ] = False
    url: Annotated[Link, Field(description="Paper or code of a new system.")] = ""
    visibility: Annotated[
        Literal["public", "private"],
        Field(description="`public`: shown on boards and in feeds; `private`: shown to you only."),
    ] = "public"
    entry: Annotated[
        bool,
        Field(
            description="Declare this submission as the system's entry: the board shows it instead of the current "
            "result. Without an entry, boards show the first public submission. Entries are public. On a "
            "sealed version, an account can declare at most two entries (409 `entries-used-up`)."
        ),
    ] = False
    repeats: Annotated[
        int,
        Field(
            ge=1,
            le=10,
            description="For an entry: number of submissions to average. This submission is the first; the system's "
            "next public submissions are the other repeats.",
        ),
    ] = 1
    note: Annotated[Words, Field(description="Note for readers of the submission.")] = ""
    unanswered: Annotated[
        Literal["take", "refuse"],
        Field(
            description="Whether to accept a file with lines without an answer. "
            "A refused file does not count against the quota."
        ),
    ] = "take"
    tokens_per_query: Annotated[
        float | None,
        Field(
            ge=0,
            le=1e12,
            allow_inf_nan=False,
            description="Tokens per query, if measured. Default: the value that all lines of the file report.",
        ),
    ] = None


@router.post(
    "",
    response={201: SubmissionOut, 200: SubmissionOut},
    auth=MAY_SUBMIT,
    throttle=Throttle("upload"),
    summary="Submit a predictions file",
    openapi_extra=bodies.documented(SubmitFields.model_json_schema()["properties"])
    | {"parameters": [KEY_HEADER]}
    | problems(404, 409, 411, 413, 503),
)
def submit(request: SignedInRequest, response: HttpResponse, fields: Query[SubmitFields]) -> Any:
    """Submit a file as the request body or as the multipart field `file`, plain or gzipped.

    The file is first checked line by line. If it has problems, the response is 422, nothing is stored, and no quota
    is used.
    """
    requested, key = _fields(request), _key(request)
    version, account = open_version(requested.version), account_of(request, requested.team)
    if not _sent_before(account, key):
        quotas.check(request.user, version, account=account, sent_from=quotas.origin_of(request, version))
        if requested.entry:
            entries.check(request.user, version, None, account=account, repeats=requested.repeats)
    with bodies.upload(request) as upload:
        accepted = submissions.accept(
            version,
            upload.path,
            file_name=upload.name,
            refuse_unanswered=requested.unanswered == "refuse",
            sent_by=request.user,
        )
    try:
        submission, created = _create_once(request, account, accepted, requested, key)
    except submissions.RepeatsError as error:
        raise invalid([("query", "repeats", str(error))]) from error
    except submissions.KindError as error:
        raise invalid([("query", "system", str(error))]) from error
    response["Location"] = f"{request.path}/{submission.pk}"
    return Status(201 if created else 200, shown(request, submission))


def _fields(request: HttpRequest) -> SubmitFields:
    """Return the fields of the query and the body. Fields of the body take precedence."""
    provided = request.GET.dict()
    if request.content_type == "multipart/form-data":
        provided |= {name: value for name, value in request.POST.dict().items() if value}
    try:
        requested = SubmitFields.model_validate(provided)
    except ValidationError as error:
        raise invalid([("body", str(one["loc"][0]), one["msg"]) for one in error.errors()]) from error
    if requested.entry and requested.visibility == "private":
        raise invalid([("query", "entry", str(submissions.PrivateEntryError()))])
    if requested.repeats > 1 and not requested.entry:
        raise invalid([("query", "repeats", "Repeats are averaged only for an entry: add entry=true.")])
    missing = [name for name in ("version", "system") if not getattr(requested, name)]
    if missing:
        raise invalid([("query", name, "This field is required.") for name in missing])
    return requested


def _key(request: HttpRequest) -> str:
    key = request.headers.get("Idempotency-Key", "").strip()
    if len(key) > KEY_LENGTH or "\x00" in key:
        raise invalid([("header", "Idempotency-Key", f"Use at most {KEY_LENGTH} characters.")])
    return key


def _sent_before(account: Any, key: str) -> bool:
    return bool(key) and Submission.objects.filter(submitter=account, idempotency_key=key).exists()


@transaction.atomic
def _create_once(
    request: SignedInRequest,
    account: Any,
    accepted: submissions.Accepted,
    requested: SubmitFields,
    key: str,
) -> tuple[Submission, bool]:
    """Create the submission with this idempotency key, or find it. Returns (submission, is new). Locks the accounts."""
    user = request.user
    for pk in dict.fromkeys((user.pk, account.pk)):
        get_user_model().objects.select_for_update(no_key=True).get(pk=pk)
    system = _system(user, account, requested, accepted)
    mine = Submission.objects.with_names().filter(submitter=account)
    if key and (earlier := mine.filter(idempotency_key=key).first()):
        sent = (accepted.version.pk, system, accepted.sha256)
        if (earlier.version_id, earlier.system, earlier.file_sha256) != sent:
            raise ProblemError(
                409,
                "idempotency-key-reused",
                "This Idempotency-Key was used for another submission: use a new key.",
            )
        return earlier, False
    by_cli = request.headers.get("User-Agent", "").startswith(CLI)
    cost = {} if requested.tokens_per_query is None else {"tokens_per_query": requested.tokens_per_query}
    created = submissions.create(
        accepted,
        system=system,
        submitter=account,
        sent_by=user,
        source=Submission.Source.CLI if by_cli else Submission.Source.API,
        visibility=requested.visibility,
        declared=requested.entry,
        repeats=requested.repeats,
        note=requested.note,
        efficiency=cost,
        idempotency_key=key,
        sent_from=quotas.origin_of(request, accepted.version),
    )
    return created, True


def _system(user: Any, account: Any, requested: SubmitFields, accepted: submissions.Accepted) -> System:
    mine = System.objects.select_related("owner").filter(owner=account)
    label = System.label(requested.system, requested.harness)
    if system := mine.called(label).first():
        return system
    if text := usernames.system_problem(requested.system):
        raise invalid([("query", "system", text)])
    for name in ("harness", "parameters", "quantization"):
        if text := unseen_problem(getattr(requested, name)):
            raise invalid([("query", name, text)])
    facts = {name: getattr(requested, name) for name in GIVEN}
    facts["kind"] = accepted.kind(requested.kind)
    model = requested.system.rpartition("/")[2]
    return quotas.new_system(user, owner=account, name=label, model=model, **facts)
