"""Celery tasks: fetch by id, call one function. They are queued by name (`leaderboard.jobs.dispatch`)."""

from __future__ import annotations

from threading import Thread
from typing import Any

from billiard.exceptions import WorkerLostError
from celery import shared_task
from celery.signals import celeryd_after_setup, task_failure, worker_ready, worker_shutting_down

from leaderboard.benchmarks import freezing
from leaderboard.benchmarks.sealing import verifying
from leaderboard.boards import pages_ahead
from leaderboard.boards.placements import ahead, computing
from leaderboard.conformance import services as conformance
from leaderboard.jobs import dispatch, keeper, reaper
from leaderboard.ready_pages import models as ready_pages
from leaderboard.runs import estimates, holders, model_checks
from leaderboard.runs import services as runs
from leaderboard.runs.benches import services as benches
from leaderboard.runs.model_job import RunQueue
from leaderboard.runs.models import ModelCheck
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import SubmissionCount

#: The jobs that read model files, and which.
MODEL_FILES: holders.Needs = {
    **{body.kind: body.files_of for body in (runs.BODY, benches.BODY)},
    ModelCheck: model_checks.files_of,
}
#: This worker, where it takes jobs that ask a model.
_holders: list[holders.Holder] = []


@shared_task
def freeze_version(version_id: int) -> bool:
    return freezing.freeze(version_id)


@shared_task
def verify_version(version_id: int) -> bool:
    return verifying.verify(version_id)


@shared_task
def place_version(version_id: int) -> int:
    return computing.compute(version_id)


@shared_task
def mark_placements(version_id: int) -> None:
    ahead.mark(version_id)


@shared_task
def render_pages() -> int:
    return pages_ahead.render()


@shared_task
def grade_submission(submission_id: str) -> bool:
    return submissions.grade(submission_id)


@shared_task
def execute_run(run_id: str) -> bool:
    return runs.execute(run_id)


@shared_task
def execute_server_run(run_id: str) -> bool:
    return runs.execute(run_id)


@shared_task
def check_model(check_id: int) -> bool:
    return model_checks.execute(check_id)


@shared_task
def calibrate_server(plan: dict[str, Any]) -> None:
    estimates.calibrate(estimates.Plan(**plan))


@shared_task
def calibrate(plan: dict[str, Any]) -> None:
    estimates.calibrate(estimates.Plan(**plan))


@shared_task
def execute_bench(bench_id: str) -> bool:
    return benches.execute(bench_id)


@shared_task
def execute_server_bench(bench_id: str) -> bool:
    return benches.execute(bench_id)


@shared_task
def calibrate_bench(plan: dict[str, Any]) -> None:
    estimates.calibrate(estimates.BenchPlan(**plan))


@shared_task
def calibrate_server_bench(plan: dict[str, Any]) -> None:
    estimates.calibrate(estimates.BenchPlan(**plan))


@shared_task
def run_conformance() -> None:
    conformance.run()


@shared_task
def reap() -> int:
    ready_pages.thin_out()
    SubmissionCount.fold()
    pages_ahead.plan_overdue()
    return reaper.enqueue_overdue() + ahead.enqueue_overdue()


@shared_task
def mark_late_placements() -> int:
    return computing.mark_late()


#: Of each worker's main process; one of all workers' does the work.
_keeper = keeper.Keeper(reap)


@celeryd_after_setup.connect
def take_from_a_queue_of_its_own(sender: str, instance: Any, **_: Any) -> None:
    """A worker that asks models can be woken by itself alone, for jobs whose model files it has.

    Args:
        sender: The worker's name.
        instance: The worker, before it takes from its queues.
        **_: Whatever else the signal says.
    """
    queues = instance.app.amqp.queues
    serves = {queue.value for queue in RunQueue} & queues.consume_from.keys()
    if serves:
        queues.select_add(own := f"models.{sender}")
        _holders[:] = [holders.Holder(MODEL_FILES, queue=own, serves=serves, at_once=instance.concurrency)]


@worker_ready.connect
def say_which_models_are_here(**_: Any) -> None:
    """Once, after the pool was forked: a worker is ready again after each loss of the broker."""
    for holder in _holders:
        holder.start()


@worker_ready.connect
def begin(**_: Any) -> None:
    """A worker that comes up looks for what was left behind, and for boards without ranks."""
    dispatch.enqueue("reap")
    dispatch.enqueue("mark_late_placements")
    _keeper.start()


@task_failure.connect
def recover_what_a_dead_process_left(sender: Any, exception: BaseException, args: Any, **_: Any) -> None:
    """In the worker's main process, when a child of it was killed: by the kernel for its memory, or by hand.

    Args:
        sender: The task.
        exception: Why it failed.
        args: Of the task.
        **_: Whatever else the signal says.
    """
    if isinstance(exception, WorkerLostError) and args:
        Thread(target=reaper.recover_broken_off, args=(sender.name.rpartition(".")[2], args[0])).start()


@worker_shutting_down.connect
def leave(**_: Any) -> None:
    """Before a worker that is told to stop is killed. In a thread: this is called from inside a signal handler."""
    _keeper.stop()
    Thread(target=reaper.forgive_ours).start()
    for holder in _holders:
        holder.stop()
