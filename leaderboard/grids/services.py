"""A bench from its start to its report. `execution.py` does the work; `runs/life.py` is shared with runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.db import transaction

from evaluation.core.pages.stored import document_as_json
from evaluation.core.suite.benches import BenchResult
from evaluation.core.terminal.wording import number_of
from leaderboard.grids import execution, orders
from leaderboard.grids.execution import BenchWatch
from leaderboard.grids.models import Bench
from leaderboard.runs import life
from leaderboard.runs.life import Ending
from leaderboard.runs.model_job import JobStatus
from leaderboard.runs.models import ModelFile

cancel, resume = life.cancel, life.resume


@transaction.atomic
def start(
    *,
    suite: str,
    executor: str,
    size: str,
    started_by: Any,
    model_file: ModelFile | None = None,
    values: dict[str, Any] | None = None,
    seeds: int = 0,
    parts: list[str] | None = None,
    thresholds: dict[str, float] | None = None,
) -> Bench:
    """Queue a bench.

    Args:
        suite: The name of the suite whose measurements are made.
        executor: Name of what answers (`adapter:llama_cpp`).
        size: How much is asked, by the suite's name for it.
        started_by: The account that asks for it.
        model_file: For an executor that takes one.
        values: Name of the setting -> value, of those that differ from the default.
        seeds: Other than the size has; 0 for these.
        parts: Names of those to run; None for all that the system can be asked.
        thresholds: Name of a bar -> another threshold.

    Returns:
        The bench.

    Raises:
        BenchError: Its parts do not go together.
        SettingsError: Names every bad setting.
    """
    bench = Bench(
        suite_name=suite,
        executor=executor,
        size=size,
        started_by=started_by,
        model_file=model_file,
        settings=values or {},
        seeds=seeds,
        parts=parts or [],
        thresholds=thresholds or {},
    )
    plan = orders.checked(bench)
    bench.plan = [list(part) for part in plan]
    bench.progress_total = sum(part.cells for part in plan)
    bench.save()
    life.record(bench, "Queued", actor=started_by)
    life.enqueue(bench)
    return bench


def execute(bench_id: str) -> bool:
    """Execute one bench. Safe to run twice and to be killed.

    Args:
        bench_id: Its primary key.

    Returns:
        Whether it finished here.
    """
    if (lease := life.claim(Bench, bench_id, execution.files_of)) is None:
        return False
    finished = False
    with lease:
        bench = lease.row("model_file")
        watch = BenchWatch(bench, lease, execution.copy_of(bench, lease))
        ending = life.attempt(bench, watch, lambda: _work(bench, watch))
        life.end(bench, watch, ending, progress_done=bench.progress_done, cells=bench.cells)
        finished = ending.status == JobStatus.FINISHED
    if finished:
        watch.copy.forget()
        execution.remove_folder(bench)
    return finished


def _work(bench: Bench, watch: BenchWatch) -> Ending:
    """Run what is not done."""
    result = execution.answer(bench, watch)
    watch.lease.check()  # who lost it is told to stop: that is nobody's wish
    ending = _ending(result)
    finished = ending.status == JobStatus.FINISHED
    measured = {
        "report": document_as_json(result.report),
        "bars": list(result.bars),
        "files_sha256": execution.kept_files(bench) if finished else "",
    }
    return replace(ending, changes=measured)


def _ending(result: BenchResult) -> Ending:
    """What a result of the engine means for the bench."""
    if result.paused:
        return life.paused(result.pause_reason or "Too many rows hold no answer.")
    if not result.finished:
        return life.CANCELLED
    missed = sum(bar["reached"] is False for bar in result.bars)
    return Ending(
        JobStatus.FINISHED, f"Finished; {number_of(missed, 'bar')} missed" if missed else "Finished"
    )
