"""Estimates a job's duration from a short calibration by a worker (cached) or from an earlier run."""

from __future__ import annotations

import hashlib
import logging
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, TypedDict

import orjson

from evaluation.adapters.estimate import Estimate, about, duration, estimate
from evaluation.core.errors import BenchmarkError
from evaluation.core.suite.benches import BenchPace
from evaluation.core.terminal.wording import number_of
from leaderboard.benchmarks.models import Version
from leaderboard.jobs import dispatch, locks
from leaderboard.runs import catalogue, execution, holders, model_files
from leaderboard.runs.benches import orders
from leaderboard.runs.benches import services as benches
from leaderboard.runs.benches.models import Bench
from leaderboard.runs.model_job import JobError, ModelJob
from leaderboard.runs.models import ModelFile, Run
from leaderboard.web.formatting import day
from leaderboard.web.results_cache import cache

log = logging.getLogger(__name__)
KEPT_S = 30 * 24 * 3600  # a month, for a finished calibration
#: A calibration without a result after this time counts as not requested.
ASKED_S = 15 * 60


@dataclass(frozen=True, slots=True)
class RunEstimate:
    """An estimate for a page. `state` is unknown, asked, known or failed; `basis` names the source of the estimate."""

    state: str
    text: str = ""
    basis: str = ""


class JobColumns(TypedDict):
    executor: str
    model_file: ModelFile | None
    settings: dict[str, catalogue.SettingValue]


@dataclass(frozen=True, kw_only=True)
class JobPlan:
    """A job to estimate. Its JSON is the argument of the calibration task."""

    KEY: ClassVar[str]
    TASK: ClassVar[str]
    SERVER_TASK: ClassVar[str]

    executor: str
    model_file: int | None = None
    settings: dict[str, catalogue.SettingValue] = field(default_factory=dict)

    @property
    def key(self) -> str:
        data = orjson.dumps(asdict(self), option=orjson.OPT_SORT_KEYS)
        return f"{self.KEY}:{hashlib.sha256(data).hexdigest()}"

    @property
    def is_adapter(self) -> bool:
        # Deterministic systems take seconds: there is nothing to calibrate.
        return self.executor.startswith(catalogue.ADAPTER_PREFIX)

    @property
    def asked(self) -> JobColumns:
        file = ModelFile.objects.filter(pk=self.model_file).first() if self.model_file else None
        return {"executor": self.executor, "model_file": file, "settings": dict(self.settings)}

    def unsaved_job(self) -> ModelJob:
        raise NotImplementedError

    def files_of(self, job: Any) -> list[ModelFile]:
        raise NotImplementedError

    def pace(self, job: Any) -> BenchPace | Estimate:
        """Measure the pace of a job by answering a few of its rows while holding the model's lock."""
        raise NotImplementedError

    def earlier(self) -> RunEstimate | None:
        """An estimate from a finished job of the same system, or None."""
        return None


@dataclass(frozen=True, kw_only=True)
class Plan(JobPlan):
    KEY, TASK, SERVER_TASK = "estimate", "calibrate", "calibrate_server"

    version: int
    conditions: list[str] = field(default_factory=list)
    row_limit: int | None = None

    def unsaved_job(self) -> Run:
        version = Version.objects.select_related("benchmark").get(pk=self.version)
        return Run(
            **self.asked,
            version=version,
            queue=catalogue.executors_for(version)[self.executor].queue,
            conditions=self.conditions,
            row_limit=self.row_limit,
        )

    def files_of(self, job: Run) -> list[ModelFile]:
        return execution.files_of(job)

    def pace(self, job: Run) -> BenchPace | Estimate:
        questions, kind = execution.questions_of(job), catalogue.kind_of(job.version)
        with execution.turn_of(job, self.key[-64:], give_up=lambda: False):
            adapter = execution.load(job)
            try:
                return estimate(questions, adapter, protocol=execution.protocol_of(job), kind=kind)
            finally:
                getattr(adapter, "close", lambda: None)()

    def earlier(self) -> RunEstimate | None:
        """Estimate from the newest finished run of the same system, preferably over this version, or None."""
        same = Run.objects.filter(
            executor=self.executor,
            model_file=self.model_file,
            settings=self.settings,
            status=Run.Status.FINISHED,
        ).select_related("version")
        earlier = same.filter(version=self.version).first() or same.first()
        pace = (earlier.efficiency or {}).get("wall_s_per_query") if earlier else None
        if earlier is None or not pace:
            return None
        rows = row_count(self)
        basis = f"at the pace of the run over {earlier.version} on {day(earlier.created_at)}"
        return RunEstimate("known", f"{about(pace * rows)} for {number_of(rows, 'row')}", basis)


@dataclass(frozen=True, kw_only=True)
class BenchPlan(JobPlan):
    KEY, TASK, SERVER_TASK = "bench-estimate", "calibrate_bench", "calibrate_server_bench"

    suite: str
    size: str
    seeds: int = 0
    parts: list[str] = field(default_factory=list)

    def unsaved_job(self) -> Bench:
        return Bench(
            **self.asked,
            queue=orders.executor_named(self.suite, self.executor).queue,
            suite_name=self.suite,
            size=self.size,
            seeds=self.seeds,
            parts=list(self.parts),
        )

    def files_of(self, job: Bench) -> list[ModelFile]:
        return benches.files_of(job)

    def pace(self, job: Bench) -> BenchPace | Estimate:
        orders.checked(job)
        executor = orders.executor_named(self.suite, self.executor)
        held = job.model_file.sha256 if job.model_file else self.key[-64:]
        with locks.model_lock(held, give_up=lambda: False, alone=not job.asks_server):
            for file in orders.files_of(job, executor):
                model_files.path_of(file)
            order = orders.order_of(job, executor)
            return orders.benches_named(self.suite).pace(order, lambda: False)


def estimate_for(plan: JobPlan) -> RunEstimate:
    if kept := cache.get(plan.key):
        return RunEstimate(**kept)
    return plan.earlier() or RunEstimate("unknown")


def ask(plan: JobPlan) -> RunEstimate:
    """Queue a calibration unless one is already queued or running."""
    asked = RunEstimate("asked")
    if cache.add(plan.key, asdict(asked), ASKED_S) or cache.get(plan.key, {}).get("state") == "failed":
        cache.set(plan.key, asdict(asked), ASKED_S)
        dispatch.enqueue(_task_of(plan, plan.unsaved_job()), asdict(plan))
    return asked


def _task_of(plan: JobPlan, job: ModelJob) -> str:
    return plan.SERVER_TASK if job.asks_server else plan.TASK


def calibrate(plan: JobPlan) -> None:
    """Calibrate and cache the estimate or the error. Passes the task to another worker if the model file is missing."""
    reading: RunEstimate | None
    try:
        reading = _calibrated(plan)
    except (BenchmarkError, JobError, model_files.ModelFileError) as error:
        reading = RunEstimate("failed", model_files.without_folder(str(error)))
    except Exception as error:
        log.exception("the calibration of %s failed", plan)
        reading = RunEstimate("failed", f"Unexpected error, which was logged: {error}")
    if reading is not None:
        cache.set(plan.key, asdict(reading), KEPT_S if reading.state == "known" else ASKED_S)


def _calibrated(plan: JobPlan) -> RunEstimate | None:
    job = plan.unsaved_job()
    if holders.is_for_another(_task_of(plan, job), asdict(plan), plan.files_of(job)):
        return None
    pace = plan.pace(job)
    basis = f"calibrated on {number_of(pace.calibration_rows, 'row')} in {duration(pace.calibration_s)}"
    return RunEstimate("known", f"{about(pace.seconds)} for {number_of(pace.rows, 'row')}", basis)


def row_count(plan: Plan) -> int:
    splits: dict[str, int] = Version.objects.values_list("conditions", flat=True).get(pk=plan.version)
    whole = sum(count for name, count in splits.items() if not plan.conditions or name in plan.conditions)
    return min(whole, plan.row_limit) if plan.row_limit else whole
