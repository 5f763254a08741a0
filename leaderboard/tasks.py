"""Celery tasks: fetch by id, call one function, nothing else."""

from __future__ import annotations

import logging
from typing import Any

from celery import Task, shared_task
from celery.signals import worker_ready

log = logging.getLogger(__name__)


def enqueue(task: Task, *args: Any) -> None:
    """Ring the bell. A broker that is away delays the work until the reaper's next round, no more."""
    try:
        task.apply_async(args, retry=False)
    except Exception as error:
        log.warning("the broker is away (%s); %s%s waits for the reaper", error, task.name, args)


@shared_task
def freeze_version(version_id: int) -> bool:
    from leaderboard import freezing

    return freezing.freeze(version_id)


@shared_task
def grade_submission(submission_id: str) -> bool:
    from leaderboard import submissions

    return submissions.grade(submission_id)


@shared_task
def execute_run(run_id: str) -> bool:
    from leaderboard import runs

    return runs.execute(run_id)


@shared_task
def calibrate(plan: dict[str, Any]) -> None:
    from leaderboard import estimates

    estimates.calibrate(estimates.Plan(**plan))


@shared_task
def run_conformance() -> None:
    from leaderboard import conformance

    conformance.run()


@shared_task
def reap() -> int:
    from leaderboard import reaper

    return reaper.ring_overdue()


@worker_ready.connect
def reap_at_start(**_: Any) -> None:
    """A worker that comes up looks for what was left behind, before the first beat."""
    enqueue(reap)
