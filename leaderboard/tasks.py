"""Celery tasks, queued by name (`leaderboard.jobs.dispatch`). Each calls one function, usually with a row's id."""

from __future__ import annotations

from threading import Thread
from typing import Any

from billiard.exceptions import WorkerLostError
from celery import shared_task
from celery.signals import celeryd_after_setup, task_failure, worker_ready, worker_shutting_down
from django.conf import settings

from leaderboard.accounts import outbox
from leaderboard.benchmarks import freezing
from leaderboard.benchmarks.sealing import verifying
from leaderboard.boards import pages_ahead
from leaderboard.boards.placements import ahead, computing
from leaderboard.care import retention
from leaderboard.conformance import services as conformance
from leaderboard.jobs import code, dispatch, keeper, reaper
from leaderboard.notices import deliveries, digests, mailing
from leaderboard.ready_pages import models as ready_pages
from leaderboard.runs import estimates, holders, model_checks
from leaderboard.runs import services as runs
from leaderboard.runs.benches import services as benches
from leaderboard.runs.gym import services as gym
from leaderboard.runs.model_job import RunQueue
from leaderboard.runs.models import ModelCheck
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import SubmissionCount
from leaderboard.watch import numbers

#: Kind of job -> the model files that a job reads.
MODEL_FILES: holders.Needs = {
    **{body.kind: body.files_of for body in (runs.BODY, benches.BODY)},
    ModelCheck: model_checks.files_of,
}
#: This worker's holder of model files, if it takes jobs that query a model.
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
def send_mail(mail_id: int) -> bool:
    return outbox.send(mail_id)


@shared_task
def mail_notices(user_id: int) -> int:
    return mailing.send(user_id)


@shared_task
def deliver_webhook(delivery_id: int) -> bool:
    return deliveries.deliver(delivery_id)


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
def execute_loop(loop_id: str) -> bool:
    return gym.execute(loop_id)


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
    queued = reaper.enqueue_overdue() + ahead.enqueue_overdue() + mailing.enqueue_overdue()
    digests.send_when_due()
    retention.remove_when_due()
    return queued


@shared_task
def mark_late_placements() -> int:
    return computing.mark_late()


#: One per worker's main process; a single one is active.
_keeper = keeper.Keeper(reap)


@celeryd_after_setup.connect
def take_from_a_queue_of_its_own(sender: str, instance: Any, **_: Any) -> None:
    """Give a worker for models its own queue, through which it wakes itself for jobs whose model files it has."""
    queues = instance.app.amqp.queues
    serves = {queue.value for queue in RunQueue} & queues.consume_from.keys()
    if serves:
        queues.select_add(own := f"models.{sender}")
        _holders[:] = [
            holders.Holder(MODEL_FILES, queue=own, serves=serves, concurrency=instance.concurrency)
        ]


@worker_ready.connect
def say_which_models_are_here(**_: Any) -> None:
    """Start to report this worker's model files. Runs after the fork; safe to repeat, as Celery repeats the signal."""
    for holder in _holders:
        holder.start()


@worker_ready.connect
def begin(sender: Any, **_: Any) -> None:
    """Queue overdue work and missing ranks, and start the periodic work and, if configured, the worker's metrics."""
    dispatch.enqueue("reap")
    dispatch.enqueue("mark_late_placements")
    if settings.WORKER_METRICS:
        numbers.serve(settings.WORKER_METRICS)
    _keeper.may_work = code.Door(sender).fits
    _keeper.start()


@task_failure.connect
def recover_what_a_dead_process_left(sender: Any, exception: BaseException, args: Any, **_: Any) -> None:
    """Release the row of a killed child process. Called in the worker's main process."""
    if isinstance(exception, WorkerLostError) and args:
        Thread(target=reaper.recover_broken_off, args=(sender.name.rpartition(".")[2], args[0])).start()


@worker_shutting_down.connect
def leave(**_: Any) -> None:
    _keeper.stop()
    # In a thread: this runs inside a signal handler.
    Thread(target=reaper.forgive_ours).start()
    for holder in _holders:
        holder.stop()
