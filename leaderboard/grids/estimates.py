"""How long a bench will take, before it is started: from a few rows of each part, answered in its queue.

What was calibrated is kept in the cache: where that forgets it, the honest answer is "not known yet" again.
"""

from __future__ import annotations

import hashlib
import logging
from dataclasses import asdict, dataclass, field
from typing import Any

import orjson

from evaluation.adapters.estimate import about, duration
from evaluation.core.errors import BenchmarkError
from evaluation.core.terminal.wording import number_of
from leaderboard.grids import execution, orders
from leaderboard.grids.models import Bench
from leaderboard.grids.orders import BenchError
from leaderboard.jobs import dispatch, locks
from leaderboard.runs import holders, model_files
from leaderboard.runs.catalogue import ADAPTER_PREFIX
from leaderboard.runs.estimates import ASKED_S, KEPT_S, RunEstimate
from leaderboard.runs.models import ModelFile
from leaderboard.web.results_cache import cache

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class BenchPlan:
    """A bench that is thought of, in JSON."""

    suite: str
    executor: str
    size: str
    seeds: int = 0
    model_file: int | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    parts: list[str] = field(default_factory=list)

    @property
    def key(self) -> str:
        data = orjson.dumps(asdict(self), option=orjson.OPT_SORT_KEYS)
        return f"bench-estimate:{hashlib.sha256(data).hexdigest()}"

    @property
    def is_adapter(self) -> bool:
        """Whether there is something to calibrate: a deterministic system takes seconds."""
        return self.executor.startswith(ADAPTER_PREFIX)

    def imagined(self) -> Bench:
        """A bench that is never saved."""
        return Bench(
            suite_name=self.suite,
            executor=self.executor,
            size=self.size,
            seeds=self.seeds,
            model_file=ModelFile.objects.filter(pk=self.model_file).first() if self.model_file else None,
            settings=dict(self.settings),
            parts=list(self.parts),
        )


def estimate_for(plan: BenchPlan) -> RunEstimate:
    """What is known of a plan now."""
    kept = cache.get(plan.key)
    return RunEstimate(**kept) if kept else RunEstimate("unknown")


def ask(plan: BenchPlan) -> RunEstimate:
    """Queue a calibration, unless one is on its way."""
    asked = RunEstimate("asked")
    if cache.add(plan.key, asdict(asked), ASKED_S) or cache.get(plan.key, {}).get("state") == "failed":
        cache.set(plan.key, asdict(asked), ASKED_S)
        dispatch.enqueue(_task_of(plan), asdict(plan))
    return asked


def _task_of(plan: BenchPlan) -> str:
    asks_server = orders.executor_named(plan.suite, plan.executor).asks_server
    return "calibrate_server_bench" if asks_server else "calibrate_bench"


def calibrate(plan: BenchPlan) -> None:
    """Answer a few rows of each part and keep what the whole would take; or the reason why that failed.

    A worker that lacks the model's file leaves it to one that has it.
    """
    reading: RunEstimate | None
    try:
        reading = _calibrated(plan)
    except (BenchmarkError, BenchError, model_files.ModelFileError) as error:
        reading = RunEstimate("failed", model_files.without_folder(str(error)))
    except Exception as error:
        log.exception("the calibration of %s failed", plan)
        reading = RunEstimate("failed", f"An unexpected error, which was logged: {error}")
    if reading is not None:
        cache.set(plan.key, asdict(reading), KEPT_S if reading.state == "known" else ASKED_S)


def _calibrated(plan: BenchPlan) -> RunEstimate | None:
    """What came of it; None where another worker does it."""
    bench = plan.imagined()
    if holders.is_for_another(_task_of(plan), asdict(plan), execution.files_of(bench)):
        return None
    orders.checked(bench)
    executor = orders.executor_named(plan.suite, plan.executor)
    held = bench.model_file.sha256 if bench.model_file else plan.key[-64:]
    with locks.model_lock(held, give_up=lambda: False, alone=not bench.asks_server):
        for file in orders.files_of(bench, executor):
            model_files.path_of(file)
        order = orders.order_of(bench, executor)
        pace = orders.benches_named(plan.suite).pace(order, lambda: False)
    basis = f"calibrated on {number_of(pace.calibration_rows, 'row')} in {duration(pace.calibration_s)}"
    return RunEstimate("known", f"{about(pace.seconds)} for {number_of(pace.rows, 'row')}", basis)
