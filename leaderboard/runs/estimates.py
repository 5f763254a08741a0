"""How long a run will take, before it is started: from a short calibration, or from an earlier run.

A calibration answers a few rows in the queue that the run would wait in. Its result is kept in the cache: where that
forgets it, the honest answer is "not known yet" again.
"""

from __future__ import annotations

import hashlib
import logging
from dataclasses import asdict, dataclass, field
from typing import Any

import orjson

from evaluation.adapters.estimate import about, duration, estimate
from evaluation.core.errors import BenchmarkError
from evaluation.core.terminal.wording import number_of
from leaderboard.benchmarks.models import Version
from leaderboard.jobs import dispatch
from leaderboard.runs import catalogue, execution, holders, model_files
from leaderboard.runs.models import ModelFile, Run
from leaderboard.web.results_cache import cache

log = logging.getLogger(__name__)
KEPT_S = 30 * 24 * 3600  # a month, for a finished calibration
#: A calibration that takes longer than this, or whose worker died, counts as not asked for.
ASKED_S = 15 * 60


@dataclass(frozen=True, slots=True)
class Plan:
    """A run that is thought of, in JSON."""

    version: int
    executor: str
    model_file: int | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    conditions: list[str] = field(default_factory=list)
    row_limit: int | None = None

    @property
    def key(self) -> str:
        data = orjson.dumps(asdict(self), option=orjson.OPT_SORT_KEYS)
        return f"estimate:{hashlib.sha256(data).hexdigest()}"

    @property
    def is_adapter(self) -> bool:
        """Whether there is something to calibrate: a deterministic system takes seconds."""
        return self.executor.startswith(catalogue.ADAPTER_PREFIX)


@dataclass(frozen=True, slots=True)
class RunEstimate:
    """What is known: `state` is unknown, asked, known or failed; `basis` says what the figure rests on."""

    state: str
    text: str = ""
    basis: str = ""


def estimate_for(plan: Plan) -> RunEstimate:
    """What is known of a plan now."""
    if kept := cache.get(plan.key):
        return RunEstimate(**kept)
    return _from_earlier(plan) or RunEstimate("unknown")


def ask(plan: Plan) -> RunEstimate:
    """Queue a calibration, unless one is on its way."""
    asked = RunEstimate("asked")
    if cache.add(plan.key, asdict(asked), ASKED_S) or cache.get(plan.key, {}).get("state") == "failed":
        cache.set(plan.key, asdict(asked), ASKED_S)
        dispatch.enqueue(_task_of(_imagined(plan)), asdict(plan))
    return asked


def _task_of(run: Run) -> str:
    """The task that calibrates a run."""
    return "calibrate_server" if run.asks_server else "calibrate"


def calibrate(plan: Plan) -> None:
    """Answer a few rows and keep what the whole would take; or the reason why that failed.

    A worker that lacks the model's file leaves it to one that has it.
    """
    reading: RunEstimate | None
    try:
        reading = _calibrated(plan)
    except (BenchmarkError, model_files.ModelFileError) as error:
        reading = RunEstimate("failed", model_files.without_folder(str(error)))
    except Exception as error:
        log.exception("the calibration of %s failed", plan)
        reading = RunEstimate("failed", f"An unexpected error, which was logged: {error}")
    if reading is not None:
        cache.set(plan.key, asdict(reading), KEPT_S if reading.state == "known" else ASKED_S)


def _calibrated(plan: Plan) -> RunEstimate | None:
    """What came of it; None where another worker does it."""
    run = _imagined(plan)
    if holders.is_for_another(_task_of(run), asdict(plan), execution.files_of(run)):
        return None
    questions, kind = execution.questions_of(run), catalogue.kind_of(run.version)
    with execution.turn_of(run, plan.key[-64:], give_up=lambda: False):
        adapter = execution.load(run)
        try:
            calibrated = estimate(questions, adapter, protocol=execution.protocol_of(run), kind=kind)
        finally:
            getattr(adapter, "close", lambda: None)()
    basis = f"calibrated on {number_of(calibrated.calibration_rows, 'row')} in {duration(calibrated.calibration_s)}"
    return RunEstimate("known", f"{about(calibrated.seconds)} for {number_of(calibrated.rows, 'row')}", basis)


def _imagined(plan: Plan) -> Run:
    """A run that is never saved."""
    version = Version.objects.select_related("benchmark").get(pk=plan.version)
    return Run(
        version=version,
        executor=plan.executor,
        queue=catalogue.queue_of(version, plan.executor),
        model_file=ModelFile.objects.filter(pk=plan.model_file).first() if plan.model_file else None,
        settings=plan.settings,
        conditions=plan.conditions,
        row_limit=plan.row_limit,
    )


def _from_earlier(plan: Plan) -> RunEstimate | None:
    """Carried over from the newest finished run of the same system: over this version, else over any."""
    same = Run.objects.filter(
        executor=plan.executor, model_file=plan.model_file, settings=plan.settings, status=Run.Status.FINISHED
    ).select_related("version")
    earlier = same.filter(version=plan.version).first() or same.first()
    pace = (earlier.efficiency or {}).get("wall_s_per_query") if earlier else None
    if earlier is None or not pace:
        return None
    rows = row_count(plan)
    basis = f"at the pace of the run over {earlier.version} on {earlier.created_at:%-d %b %Y}"
    return RunEstimate("known", f"{about(pace * rows)} for {number_of(rows, 'row')}", basis)


def row_count(plan: Plan) -> int:
    """How many rows a plan answers."""
    splits: dict[str, int] = Version.objects.values_list("conditions", flat=True).get(pk=plan.version)
    whole = sum(count for name, count in splits.items() if not plan.conditions or name in plan.conditions)
    return min(whole, plan.row_limit) if plan.row_limit else whole
