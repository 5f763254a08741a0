"""Celery tasks: fetch by id, call one function. They are queued by name (`leaderboard.jobs.dispatch`)."""

from __future__ import annotations

from threading import Thread
from typing import Any

from celery import shared_task
from celery.signals import worker_ready, worker_shutting_down

from leaderboard.benchmarks import freezing
from leaderboard.boards.placements import ahead
from leaderboard.conformance import services as conformance
from leaderboard.jobs import dispatch, reaper
from leaderboard.runs import estimates
from leaderboard.runs import services as runs
from leaderboard.submissions import services as submissions


@shared_task
def freeze_version(version_id: int) -> bool:
    return freezing.freeze(version_id)


@shared_task
def verify_version(version_id: int) -> bool:
    return freezing.verify(version_id)


@shared_task
def place_version(version_id: int) -> int:
    return ahead.compute(version_id)


@shared_task
def grade_submission(submission_id: str) -> bool:
    return submissions.grade(submission_id)


@shared_task
def execute_run(run_id: str) -> bool:
    return runs.execute(run_id)


@shared_task
def calibrate(plan: dict[str, Any]) -> None:
    estimates.calibrate(estimates.Plan(**plan))


@shared_task
def run_conformance() -> None:
    conformance.run()


@shared_task
def reap() -> int:
    return reaper.enqueue_overdue()


@worker_ready.connect
def reap_at_start(**_: Any) -> None:
    """A worker that comes up looks for what was left behind, before the first beat."""
    dispatch.enqueue("reap")


@worker_shutting_down.connect
def forgive_what_is_interrupted(**_: Any) -> None:
    """Before a worker that is told to stop is killed. In a thread: this is called from inside a signal handler."""
    Thread(target=reaper.forgive_ours).start()
