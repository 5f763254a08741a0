"""Benches, by the permissions of runs: start one, follow it, cancel and resume it."""

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
from leaderboard.grids import orders
from leaderboard.grids import services as benches
from leaderboard.grids.models import Bench
from leaderboard.runs.api import jobs
from leaderboard.runs.api.jobs import JobEventOut, JobFilters
from leaderboard.web.api.fields import Words, example
from leaderboard.web.api.openapi import problems
from leaderboard.web.api.paging import Page, by_key
from leaderboard.web.api.problems import ProblemError, invalid

router = Router(tags=["Benches"], auth=needs(permissions.VIEW_RUN))


class BenchIn(Schema):
    """Who is asked, and how much."""

    model_config = example(
        executor="adapter:llama_cpp",
        model="qwen2.5-7b-q4_k_m.gguf",
        settings={"context": 16384},
        size="quick",
        thresholds={"value": 0.8},
    )

    suite: Annotated[
        Words,
        Field(max_length=40, description="Whose measurements are made; empty: the first that has a bench."),
    ] = ""
    executor: Annotated[
        Words, Field(max_length=60, description="A deterministic system, or `adapter:` and an adapter.")
    ]
    model: Annotated[
        Words, Field(max_length=200, description="A registered model, by its file's name in the folder.")
    ] = ""
    settings: dict[Words, Words | int | float | bool] = Field(default_factory=dict)
    size: Annotated[
        Words, Field(max_length=20, description="How much is asked; empty: as the command line does.")
    ] = ""
    seeds: Annotated[int, Field(ge=0, le=1000, description="Other than the size has; 0: as the size.")] = 0
    parts: list[Words] = Field(default_factory=list, description="Empty: all that the system can be asked.")
    thresholds: dict[Words, float] = Field(default_factory=dict, description="Bars with another threshold.")


class BarOut(Schema):
    """A bar, and what was measured."""

    name: str
    part: str
    help: str
    threshold: float
    better: str = Field(description="Whether a `higher` or a `lower` value is better.")
    value: float | None
    low: float | None = Field(description="The lower end of the 95% interval.")
    high: float | None
    reached: bool | None = Field(description="null where nothing was measured.")
    verdict: str = Field(description="What the whole interval says: pass, fail, undecided or none.")


class BenchPartOut(Schema):
    """A part of a bench, and how far it is."""

    name: str
    title: str
    cells: int
    rows: int
    done: int = Field(description="Cells that are done.")


class BenchEventOut(JobEventOut):
    """Something that happened to a bench."""


class BenchOut(Schema):
    """A bench, how far it is, and what it found."""

    model_config = example(
        id="5b0f3a5e-8a3c-4a57-9d3b-6d3a0c9f1f77",
        executor="adapter:llama_cpp",
        model="qwen2.5-7b-q4_k_m.gguf",
        size="quick",
        status="running",
        cells_done=20,
        cells_total=92,
        rate=1.6,
        eta_seconds=225.0,
    )

    id: UUID
    suite: str
    name: str
    executor: str
    model: str | None
    settings: dict[str, Any]
    size: str
    seeds: int
    thresholds: dict[str, float]
    status: str = Field(description="queued, running, paused, finished, cancelled or failed")
    stopping: bool = Field(description="Whether it was asked to stop and has not stopped yet.")
    cells_done: int
    cells_total: int
    parts: list[BenchPartOut]
    rate: float | None = Field(description="Rows per second.")
    eta_seconds: float | None
    error: str = Field(description="Why it failed or paused, or what it waits for.")
    next_attempt_at: datetime | None = Field(
        None, description="Where it waits for a fault of this site to pass: when it is tried again by itself."
    )
    command: str = Field(description="Does the same from a shell.")
    bars: list[BarOut] = Field(description="Those of the parts that are done; empty while it runs.")
    events: list[BenchEventOut]
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    url: str


@router.get(
    "",
    operation_id="leaderboard_api_benches_list_benches",
    response=Page[BenchOut],
    summary="All benches, newest first (by permission)",
)
def list_benches(request: HttpRequest, filters: Query[JobFilters]) -> Any:
    matching = _with_names().in_status(filters.status)
    return by_key(request, matching, ["-created_at", "id"], filters, lambda bench: _shown(request, bench))


@router.post(
    "",
    operation_id="leaderboard_api_benches_start_bench",
    response={202: BenchOut},
    auth=needs(permissions.ADD_RUN),
    summary="Start a bench (by permission)",
)
def start_bench(request: HttpRequest, requested: BenchIn) -> Any:
    """The standard measurements over one system, as one job. It ends in a report. Follow it at its own address."""
    try:
        suite = requested.suite or next(iter(orders.suites()), "")
        bench = benches.start(
            suite=suite,
            executor=requested.executor,
            size=requested.size or orders.benches_named(suite).default_size,
            started_by=request.user,
            model_file=jobs.model_named(requested.model),
            values=dict(requested.settings),
            seeds=requested.seeds,
            parts=list(requested.parts),
            thresholds=dict(requested.thresholds),
        )
    except SettingsError as error:
        raise invalid([("settings", name, " ".join(text)) for name, text in error.fields.items()]) from error
    except orders.BenchError as error:
        raise ProblemError(422, "cannot-run", str(error)) from error
    return Status(202, _shown(request, _get(bench.pk)))


@router.get(
    "/{uuid:id}",
    operation_id="leaderboard_api_benches_get_bench",
    response=BenchOut,
    summary="A bench, how far it is, and its bars (by permission)",
)
def get_bench(request: HttpRequest, id: UUID) -> Any:
    return _shown(request, _get(id))


@router.post(
    "/{uuid:id}/cancel",
    operation_id="leaderboard_api_benches_cancel_bench",
    response={202: BenchOut},
    auth=needs(permissions.CANCEL_RUN),
    summary="Stop it within the current row (by permission)",
)
def cancel_bench(request: HttpRequest, id: UUID) -> Any:
    """What is answered stays saved. A bench that has ended is left as it is."""
    benches.cancel(_get(id), actor=request.user)
    return Status(202, _shown(request, _get(id)))


@router.post(
    "/{uuid:id}/resume",
    operation_id="leaderboard_api_benches_resume_bench",
    response={202: BenchOut},
    auth=needs(permissions.RESUME_RUN),
    summary="Resume from the last saved row (by permission)",
    openapi_extra=problems(409),
)
def resume_bench(request: HttpRequest, id: UUID) -> Any:
    """For a bench that paused, was cancelled or failed. One that paused asks the rows without an answer again."""
    jobs.resume(request, _get(id))
    return Status(202, _shown(request, _get(id)))


@router.post(
    "/{uuid:id}/go-on",
    operation_id="leaderboard_api_benches_go_on_bench",
    response={202: BenchOut},
    auth=needs(permissions.RESUME_RUN),
    summary="Continue a paused bench as it is (by permission)",
    openapi_extra=problems(409),
)
def go_on_bench(request: HttpRequest, id: UUID) -> Any:
    """The rows without an answer stay wrong, and the bench pauses no more."""
    jobs.go_on(request, _get(id))
    return Status(202, _shown(request, _get(id)))


def _with_names() -> Any:
    return Bench.objects.select_related("model_file").defer("report").prefetch_related("events__actor")


def _get(id: Any) -> Bench:
    bench: Bench = get_object_or_404(_with_names(), pk=id)
    return bench


def _shown(request: HttpRequest, bench: Bench) -> dict[str, Any]:
    """A bench as the API shows it."""
    return jobs.shown(request, bench) | {
        "suite": bench.suite_name,
        "name": bench.name,
        "size": bench.size,
        "seeds": bench.seeds,
        "thresholds": bench.thresholds,
        "cells_done": bench.progress_done,
        "cells_total": bench.progress_total,
        "parts": bench.progress_by_part,
        "command": orders.command(bench),
        "bars": bench.bars,
    }
