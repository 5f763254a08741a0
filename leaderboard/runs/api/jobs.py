"""API of runs and benches, by permission: start, follow, cancel and resume them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, TypedDict
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Field, Query, Router, Schema, Status

from evaluation.core.errors import SettingsError
from leaderboard.accounts import permissions
from leaderboard.accounts.access import needs
from leaderboard.benchmarks.api.versions import version_id
from leaderboard.benchmarks.models import Version
from leaderboard.runs import life, provenance
from leaderboard.runs import services as runs
from leaderboard.runs.benches import orders
from leaderboard.runs.benches import services as benches
from leaderboard.runs.benches.models import Bench
from leaderboard.runs.catalogue import SettingValue
from leaderboard.runs.model_job import JobError, ModelJob
from leaderboard.runs.models import ModelFile, Run
from leaderboard.submissions.schemas import SystemRef, system_ref
from leaderboard.web.api.fields import VersionId, Words, example, row_fields
from leaderboard.web.api.openapi import problems
from leaderboard.web.api.paging import Page, Paging, by_key
from leaderboard.web.api.problems import ProblemError, invalid

ASKED = {
    "executor": "adapter:llama_cpp",
    "model": "qwen2.5-7b-q4_k_m.gguf",
    "settings": {"context": 16384},
}
AT_WORK = {
    "id": "5b0f3a5e-8a3c-4a57-9d3b-6d3a0c9f1f77",
    "executor": "adapter:llama_cpp",
    "model": "qwen2.5-7b-q4_k_m.gguf",
    "status": "running",
    "rate": 1.6,
    "eta_seconds": 225.0,
}


class JobFilters(Paging):
    status: Annotated[
        Literal["", "queued", "running", "paused", "finished", "cancelled", "failed"],
        Field(description="Only jobs with this status; empty: all."),
    ] = ""


class Asked(TypedDict):
    executor: str
    model_file: ModelFile | None
    values: dict[str, SettingValue]


class JobIn(Schema):
    """The system to run and its settings."""

    executor: Annotated[
        Words, Field(max_length=60, description="Name of a system, such as `ledger` or `adapter:llama_cpp`.")
    ]
    model: Annotated[
        Words,
        Field(max_length=200, description="A registered model, by its file name in the models folder."),
    ] = ""
    settings: dict[Words, Words | int | float | bool] = Field(
        default_factory=dict, description="Settings of the adapter, by name."
    )

    def asked(self) -> Asked:
        return {
            "executor": self.executor,
            "model_file": _model_named(self.model),
            "values": dict(self.settings),
        }


class RunIn(JobIn):
    """A run over the rows of a version."""

    model_config = example(
        version="goldevidencebench/order-bias-short", **ASKED, conditions=["k4-gold_at_1-shuffled"]
    )

    version: VersionId
    conditions: list[Words] = Field(default_factory=list, description="Conditions to run; empty: all.")
    row_limit: Annotated[
        int | None, Field(ge=1, le=2**31 - 1, description="Run only this many rows, as a private trial.")
    ] = None
    entry: Annotated[
        bool,
        Field(description="Use the result on the board, declared before the score is known."),
    ] = False
    repeats: Annotated[
        int,
        Field(
            ge=1,
            le=10,
            description="Number of runs to start. If above 1, set `entry`: boards then rank the mean of the runs.",
        ),
    ] = 1


class BenchIn(JobIn):
    """A bench of a suite."""

    model_config = example(**ASKED, size="quick", thresholds={"value": 0.8})

    suite: Annotated[
        Words,
        Field(max_length=40, description="Suite to measure with; empty: the first that has a bench."),
    ] = ""
    size: Annotated[
        Words, Field(max_length=20, description="Size of the bench; empty: the suite's default.")
    ] = ""
    seeds: Annotated[
        int, Field(ge=0, le=1000, description="Number of seeds; 0: the default of the size.")
    ] = 0
    parts: list[Words] = Field(default_factory=list, description="Parts to measure; empty: all that apply.")
    thresholds: dict[Words, float] = Field(default_factory=dict, description="Bar's name -> threshold.")


class JobEventOut(Schema):
    """An event in the history of a job."""

    what: str = Field(description="What happened.")
    actor: str | None = Field(description="Name of the account that caused the event; null: this site.")
    at: datetime = Field(description="When it happened.")


class JobOut(Schema):
    """A job and its progress."""

    id: UUID = Field(description="Id of the job in addresses of this API.")
    executor: str = Field(description="Name of a system, such as `ledger` or `adapter:llama_cpp`.")
    model: str | None = Field(description="File of the model; null: no model file.")
    settings: dict[str, Any] = Field(description="Settings of the adapter.")
    status: str = Field(description="queued, running, paused, finished, cancelled or failed")
    stopping: bool = Field(description="Whether the job was told to stop but still runs.")
    rate: float | None = Field(description="Rows per second.")
    eta_seconds: float | None = Field(
        description="Seconds until the job ends, at its current rate; null: unknown."
    )
    error: str = Field(description="Why the job failed or paused and what to do, or what it waits for.")
    next_attempt_at: datetime | None = Field(
        None,
        description="Next automatic attempt, if the job waits after a fault of this site.",
    )
    command: str = Field(description="Shell command that repeats the job.")
    events: list[JobEventOut] = Field(description="History of the job, the oldest event first.")
    created_at: datetime = Field(description="When the job was created.")
    started_at: datetime | None = Field(description="When a worker started the job; null: not yet.")
    finished_at: datetime | None = Field(description="When the job ended; null: not yet.")
    url: str = Field(description="URL of the job's page on this site.")


class RunOut(JobOut):
    """A run and its progress."""

    model_config = example(
        version="goldevidencebench/order-bias-short", **AT_WORK, rows_done=120, rows_total=480
    )

    version: str = Field(description="The version, `benchmark/version`.")
    system: SystemRef = Field(description="The system under test.")
    conditions: list[str] = Field(description="Conditions to run; empty: all.")
    row_limit: int | None = Field(description="Number of rows of a trial; null: all rows.")
    rows_done: int = Field(description="Number of rows done.")
    rows_total: int = Field(description="Number of rows of the run.")
    row_states: dict[str, int] = Field(
        description="Number of rows done by state: `answered`, `abstained`, or why there is no answer."
    )
    provenance: dict[str, Any] = Field(description="Code, model, settings and machine.")
    efficiency: dict[str, Any] = Field(description="Cost per question: tokens, seconds.")
    submission: UUID | None = Field(description="The resulting submission; null: none yet.")
    repeat: int | None = Field(None, description="Number of the repeat; null: the run is no repeat.")
    mean: UUID | None = Field(None, description="Submission with the mean of the repeats.")


class BarOut(Schema):
    """A threshold and the measured value that is compared with it."""

    name: str = Field(description="Name of the bar.")
    part: str = Field(description="Name of the part of the bench that the bar tests.")
    help: str = Field(description="The requirement as a sentence.")
    threshold: float = Field(description="The value to reach.")
    better: str = Field(description="Whether a `higher` or a `lower` value is better.")
    value: float | None = Field(description="The measured value; null: not measured.")
    low: float | None = Field(description="Lower end of the 95% interval.")
    high: float | None = Field(description="Upper end of the 95% interval.")
    reached: bool | None = Field(description="Whether the value reaches the threshold; null: not measured.")
    verdict: str = Field(description="Verdict by the whole interval: pass, fail, undecided or none.")


class BenchPartOut(Schema):
    """A part of a bench and its progress."""

    name: str = Field(description="Name of the part, for scripts.")
    title: str = Field(description="Title of the part, for pages.")
    cells: int = Field(description="Number of cells.")
    rows: int = Field(description="Number of rows in the part's cells.")
    done: int = Field(description="Number of cells done.")


class BenchOut(JobOut):
    """A bench, its progress and its findings."""

    model_config = example(**AT_WORK, size="quick", cells_done=20, cells_total=92)

    suite: str = Field(description="Name of the suite.")
    name: str = Field(description="Name of the system that is measured.")
    size: str = Field(description="Size of the bench.")
    seeds: int = Field(description="Number of seeds; 0: the default of the size.")
    thresholds: dict[str, float] = Field(description="Changed thresholds: name of the bar -> value.")
    cells_done: int = Field(description="Number of cells done.")
    cells_total: int = Field(description="Number of cells of the bench.")
    parts: list[BenchPartOut] = Field(description="The parts of the bench and their progress.")
    bars: list[BarOut] = Field(
        description="Thresholds (bars) of the finished parts, judged whenever the bench ends or pauses; empty before."
    )


@dataclass(frozen=True)
class JobRoutes:
    """The routes of one kind of job. `shown` returns the fields that are not columns of the model."""

    noun: str
    plural: str
    tag: str
    out: type[JobOut]
    rows: Callable[[], QuerySet[Any]]
    shown: Callable[[Any], dict[str, object]]

    def router(self) -> Router:
        """A router with all routes except the route that starts a job."""
        router = Router(tags=[self.tag], auth=needs(permissions.VIEW_RUN))
        self._add_reading(router)
        stop, resume = needs(permissions.CANCEL_RUN), needs(permissions.RESUME_RUN)
        self._add_act(router, "cancel", self._cancel, stop, "Stop the job within the current row")
        self._add_act(router, "resume", self._resume, resume, "Resume from the last saved row")
        self._add_act(
            router,
            "go-on",
            self._go_on,
            resume,
            f"Continue a paused {self.noun} without retrying its unanswered rows",
        )
        return router

    def starting(self) -> dict[str, Any]:
        """Arguments for the decorator of the route that starts a job."""
        return {
            "path": "",
            "operation_id": f"start_{self.noun}",
            "response": {202: self.out},
            "auth": needs(permissions.ADD_RUN),
            "summary": f"Start a {self.noun} (needs a permission)",
        }

    def started(self, request: HttpRequest, pk: Any) -> Status[dict[str, object]]:
        """The response to starting, cancelling or resuming a job: the job with its new status."""
        return Status(202, self._shown(request, self._get(pk)))

    def _add_reading(self, router: Router) -> None:
        @router.get(
            "",
            operation_id=f"list_{self.plural}",
            response=Page[self.out],  # type: ignore[name-defined]
            summary=f"List all {self.plural}, newest first (needs a permission)",
        )
        def list_jobs(request: HttpRequest, filters: Query[JobFilters]) -> Any:
            """List jobs, all of them or those with the given status."""
            matching = self.rows()
            if filters.status:
                matching = matching.filter(status=filters.status)
            return by_key(
                request, matching, ["-created_at", "id"], filters, lambda job: self._shown(request, job)
            )

        @router.get(
            "/{uuid:id}",
            operation_id=f"get_{self.noun}",
            response=self.out,
            summary=f"A {self.noun} and its progress (needs a permission)",
        )
        def get_job(request: HttpRequest, id: UUID) -> Any:
            """Return the job's settings, progress and history."""
            return self._shown(request, self._get(id))

    def _add_act(
        self, router: Router, name: str, act: Callable[[ModelJob, Any], None], auth: Any, summary: str
    ) -> None:
        @router.post(
            f"/{{uuid:id}}/{name}",
            operation_id=f"{name.replace('-', '_')}_{self.noun}",
            response={202: self.out},
            auth=auth,
            summary=f"{summary} (needs a permission)",
            description=act.__doc__,
            openapi_extra=problems(409) if name != "cancel" else None,
        )
        def do(request: HttpRequest, id: UUID) -> Any:
            act(self._get(id), request.user)
            return self.started(request, id)

    def _cancel(self, job: ModelJob, user: Any) -> None:
        """Cancel the job. Answered rows stay saved. A job that has ended does not change."""
        life.cancel(job, actor=user)

    def _resume(self, job: ModelJob, user: Any) -> None:
        """Resume a paused, cancelled or failed job. A paused job retries its unanswered rows."""
        if not life.resume(job, actor=user):
            raise ProblemError(
                409, "nothing-to-resume", f"This {self.noun} is {job.status}: there is nothing to resume."
            )

    def _go_on(self, job: ModelJob, user: Any) -> None:
        """Continue a paused job without retrying its unanswered rows, which count as wrong. It does not pause again."""
        if not life.go_on(job, actor=user):
            raise ProblemError(
                409, "not-paused", f"This {self.noun} is {job.status}: only a paused {self.noun} can go on."
            )

    def _get(self, pk: Any) -> Any:
        return get_object_or_404(self.rows(), pk=pk)

    def _shown(self, request: HttpRequest, job: Any) -> dict[str, object]:
        events = [
            {"what": event.what, "actor": event.actor.get_username() if event.actor else None, "at": event.at}
            for event in job.events.all()
        ]
        return row_fields(
            self.out,
            job,
            model=job.model_file.path if job.model_file else None,
            stopping=job.cancel_requested,
            eta_seconds=job.eta_seconds if job.is_active else None,
            events=events,
            url=request.build_absolute_uri(job.get_absolute_url()),
            **self.shown(job),
        )


def _runs() -> QuerySet[Run]:
    names = ("system__owner", "version__benchmark", "model_file")
    return Run.objects.select_related(*names).prefetch_related("events__actor")


def _run_fields(run: Run) -> dict[str, object]:
    return {
        "version": version_id(run.version),
        "system": system_ref(run.system),
        "rows_done": run.progress_done,
        "rows_total": run.progress_total,
        "command": provenance.command(run),
        "submission": run.submission_id,
        "repeat": run.repeat or None,
        "mean": run.mean_id,
    }


def _benches() -> QuerySet[Bench]:
    return Bench.objects.select_related("model_file").defer("report").prefetch_related("events__actor")


def _bench_fields(bench: Bench) -> dict[str, object]:
    return {
        "suite": bench.suite_name,
        "cells_done": bench.progress_done,
        "cells_total": bench.progress_total,
        "parts": bench.progress_by_part,
        "command": orders.command(bench),
    }


RUNS = JobRoutes("run", "runs", "Runs", RunOut, _runs, _run_fields)
BENCHES = JobRoutes("bench", "benches", "Benches", BenchOut, _benches, _bench_fields)
run_router, bench_router = RUNS.router(), BENCHES.router()


@run_router.post(**RUNS.starting(), openapi_extra=problems(409))
def start_run(request: HttpRequest, requested: RunIn) -> Any:
    """Start a run, which ends in a verified submission. Of several repeats, the first is returned."""
    with _refusals():
        run, *_ = runs.start_repeats(
            **requested.asked(),
            repeats=requested.repeats,
            version=_version(requested.version),
            started_by=request.user,
            splits=requested.conditions,
            row_limit=requested.row_limit,
            declared=requested.entry,
        )
    return RUNS.started(request, run.pk)


@bench_router.post(**BENCHES.starting())
def start_bench(request: HttpRequest, requested: BenchIn) -> Any:
    """Start a bench: one job with the standard measurements of a system, which ends in a report."""
    with _refusals():
        suite = requested.suite or next(iter(orders.suites()), "")
        bench = benches.start(
            **requested.asked(),
            suite=suite,
            size=requested.size or orders.benches_named(suite).default_size,
            started_by=request.user,
            seeds=requested.seeds,
            parts=list(requested.parts),
            thresholds=dict(requested.thresholds),
        )
    return BENCHES.started(request, bench.pk)


@contextmanager
def _refusals() -> Iterator[None]:
    try:
        yield
    except SettingsError as error:
        raise invalid([("settings", name, " ".join(text)) for name, text in error.fields.items()]) from error
    except JobError as error:
        raise ProblemError(422, "cannot-run", str(error)) from error


def _model_named(path: str) -> ModelFile | None:
    if not path:
        return None
    model_file = ModelFile.objects.filter(path=path).first()
    if model_file is None:
        raise invalid([("body", "model", f"The model {path!r} is not registered.")])
    return model_file


def _version(name: str) -> Version:
    if (version := Version.objects.open().by_address(name)) is None:
        raise invalid([("body", "version", f"There is no open version {name!r}.")])
    return version
