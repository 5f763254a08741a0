"""Runs, by permission: start one, follow it, cancel and resume it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Field, Query, Router, Schema, Status

from evaluation.core.errors import SettingsError
from leaderboard.accounts import permissions
from leaderboard.accounts.access import needs
from leaderboard.benchmarks.api.versions import version_id
from leaderboard.benchmarks.models import Version
from leaderboard.runs import provenance
from leaderboard.runs import services as runs
from leaderboard.runs.api import jobs
from leaderboard.runs.api.jobs import JobEventOut, JobFilters
from leaderboard.runs.models import Run
from leaderboard.submissions.schemas import SystemRef
from leaderboard.web.api.fields import VersionId, Words, example
from leaderboard.web.api.openapi import problems
from leaderboard.web.api.paging import Page, by_key
from leaderboard.web.api.problems import ProblemError, invalid

router = Router(tags=["Runs"], auth=needs(permissions.VIEW_RUN))


class RunIn(Schema):
    """What to run over which rows."""

    model_config = example(
        version="goldevidencebench/order-bias-short",
        executor="adapter:llama_cpp",
        model="qwen2.5-7b-q4_k_m.gguf",
        settings={"context": 16384},
        conditions=["k4-gold_first", "k4-gold_last"],
    )

    version: VersionId
    executor: Annotated[
        Words, Field(max_length=60, description="A deterministic system, or `adapter:` and an adapter.")
    ]
    model: Annotated[
        Words, Field(max_length=200, description="A registered model, by its file's name in the folder.")
    ] = ""
    settings: dict[Words, Words | int | float | bool] = Field(default_factory=dict)
    conditions: list[Words] = Field(default_factory=list, description="Empty: all of them.")
    row_limit: Annotated[
        int | None, Field(ge=1, le=2**31 - 1, description="A private trial over a part.")
    ] = None
    entry: Annotated[
        bool,
        Field(description="Whether the result stands for its system on the board, whatever it scores."),
    ] = False
    repeats: Annotated[
        int,
        Field(ge=1, le=10, description="Of an entry: as many runs are started, and their mean stands."),
    ] = 1


class RunEventOut(JobEventOut):
    """Something that happened to a run."""


class RunOut(Schema):
    """A run and how far it is."""

    model_config = example(
        id="5b0f3a5e-8a3c-4a57-9d3b-6d3a0c9f1f77",
        version="goldevidencebench/order-bias-short",
        executor="adapter:llama_cpp",
        model="qwen2.5-7b-q4_k_m.gguf",
        status="running",
        rows_done=120,
        rows_total=480,
        rate=1.6,
        eta_seconds=225.0,
    )

    id: UUID
    version: str
    system: SystemRef
    executor: str
    model: str | None
    settings: dict[str, Any]
    conditions: list[str]
    row_limit: int | None
    status: str = Field(description="queued, running, paused, finished, cancelled or failed")
    stopping: bool = Field(description="Whether it was asked to stop and has not stopped yet.")
    rows_done: int
    rows_total: int
    row_states: dict[str, int] = Field(
        description="Of the rows done: how many are `answered` or `abstained`, and why the others hold no answer."
    )
    rate: float | None = Field(description="Rows per second.")
    eta_seconds: float | None
    error: str = Field(description="Why it failed or paused and what may help, or what it waits for.")
    next_attempt_at: datetime | None = Field(
        None, description="Where it waits for a fault of this site to pass: when it is tried again by itself."
    )
    command: str = Field(description="Repeats the run from a shell.")
    provenance: dict[str, Any]
    efficiency: dict[str, Any]
    submission: UUID | None
    repeat: int | None = Field(None, description="Of an entry of repeats: which of them the result is.")
    mean: UUID | None = Field(None, description="The submission that is the mean of the repeats.")
    events: list[RunEventOut]
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    url: str


@router.get(
    "",
    operation_id="leaderboard_api_runs_list_runs",
    response=Page[RunOut],
    summary="All runs, newest first (by permission)",
)
def list_runs(request: HttpRequest, filters: Query[JobFilters]) -> Any:
    matching = _with_names()
    if filters.status:
        matching = matching.filter(status=filters.status)
    return by_key(request, matching, ["-created_at", "id"], filters, lambda run: _shown(request, run))


@router.post(
    "",
    operation_id="leaderboard_api_runs_start_run",
    response={202: RunOut},
    auth=needs(permissions.ADD_RUN),
    summary="Start a run (by permission)",
    openapi_extra=problems(409),
)
def start_run(request: HttpRequest, requested: RunIn) -> Any:
    """It ends in a verified submission. Follow it at its own address. Of several repeats this is the first."""
    try:
        run, *_ = runs.start_repeats(
            repeats=requested.repeats,
            version=_version(requested.version),
            executor=requested.executor,
            started_by=request.user,
            model_file=jobs.model_named(requested.model),
            values=requested.settings,
            splits=requested.conditions,
            row_limit=requested.row_limit,
            declared=requested.entry,
        )
    except SettingsError as error:
        raise invalid([("settings", name, " ".join(text)) for name, text in error.fields.items()]) from error
    except runs.RunError as error:
        raise ProblemError(422, "cannot-run", str(error)) from error
    return Status(202, _shown(request, _get(run.pk)))


@router.get(
    "/{uuid:id}",
    operation_id="leaderboard_api_runs_get_run",
    response=RunOut,
    summary="A run and how far it is (by permission)",
)
def get_run(request: HttpRequest, id: UUID) -> Any:
    return _shown(request, _get(id))


@router.post(
    "/{uuid:id}/cancel",
    operation_id="leaderboard_api_runs_cancel_run",
    response={202: RunOut},
    auth=needs(permissions.CANCEL_RUN),
    summary="Stop it within the current row (by permission)",
)
def cancel_run(request: HttpRequest, id: UUID) -> Any:
    """What is answered stays saved. A run that has ended is left as it is."""
    runs.cancel(_get(id), actor=request.user)
    return Status(202, _shown(request, _get(id)))


@router.post(
    "/{uuid:id}/resume",
    operation_id="leaderboard_api_runs_resume_run",
    response={202: RunOut},
    auth=needs(permissions.RESUME_RUN),
    summary="Resume from the last saved row (by permission)",
    openapi_extra=problems(409),
)
def resume_run(request: HttpRequest, id: UUID) -> Any:
    """For a run that paused, was cancelled or failed. One that paused asks the rows without an answer again."""
    jobs.resume(request, _get(id))
    return Status(202, _shown(request, _get(id)))


@router.post(
    "/{uuid:id}/go-on",
    operation_id="leaderboard_api_runs_go_on_run",
    response={202: RunOut},
    auth=needs(permissions.RESUME_RUN),
    summary="Continue a paused run as it is (staff)",
    openapi_extra=problems(409),
)
def go_on_run(request: HttpRequest, id: UUID) -> Any:
    """The rows without an answer stay wrong, and the run pauses no more."""
    jobs.go_on(request, _get(id))
    return Status(202, _shown(request, _get(id)))


def _with_names() -> Any:
    names = ("system__owner", "version__benchmark", "model_file")
    return Run.objects.select_related(*names).prefetch_related("events__actor")


def _get(id: Any) -> Run:
    run: Run = get_object_or_404(_with_names(), pk=id)
    return run


def _version(name: str) -> Version:
    benchmark, _, slug = name.partition("/")
    version = Version.objects.open().filter(benchmark__slug=benchmark, slug=slug).first()
    if version is None:
        raise invalid([("body", "version", f"There is no open version {name!r}.")])
    return version


def _shown(request: HttpRequest, run: Run) -> dict[str, Any]:
    """A run as the API shows it."""
    owner = run.system.owner
    return jobs.shown(request, run) | {
        "version": version_id(run.version),
        "system": {"owner": owner.get_username(), "slug": run.system.slug, "name": run.system.name},
        "conditions": run.conditions,
        "row_limit": run.row_limit,
        "rows_done": run.progress_done,
        "rows_total": run.progress_total,
        "row_states": run.row_states,
        "command": provenance.command(run),
        "provenance": run.provenance,
        "efficiency": run.efficiency,
        "submission": run.submission_id,
        "repeat": run.repeat or None,
        "mean": run.mean_id,
    }
