"""Life cycle of a job that queries a model: queued, taken by a worker, cancelled, resumed, ended."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.db import models, transaction
from django.utils import timezone

from evaluation.core.errors import BenchmarkError
from leaderboard.accounts import audit
from leaderboard.jobs import backoff, dispatch, faults, leases
from leaderboard.jobs.querysets import free
from leaderboard.runs import holders, model_files
from leaderboard.runs.model_job import JobError, JobStatus, ModelJob
from leaderboard.runs.models import ModelFile
from leaderboard.runs.watch import Cancelled, Paused, Watch
from leaderboard.submissions import services as submissions

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Ending:
    """How an attempt ended: status, line for the history, the job's error, and further columns."""

    status: JobStatus
    what: str
    error: str = ""
    changes: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Body:
    """Functions that `execute` needs for a kind of job. `made` returns result columns, written after every attempt."""

    kind: type[ModelJob]
    joins: tuple[str, ...]
    files_of: Callable[[Any], list[ModelFile]]
    watch: Callable[..., Watch]
    work: Callable[[Any, Any], Ending]
    made: Callable[[Any], dict[str, object]]
    forget: Callable[[Any], None]


CANCELLED = Ending(JobStatus.CANCELLED, "Cancelled; answers are saved")


def paused(reason: str) -> Ending:
    """Ending of an attempt that pauses the job until a user decides. The history gets the first line of the reason."""
    return Ending(JobStatus.PAUSED, f"Paused: {reason}".partition("\n")[0], reason)


def enqueue(job: ModelJob) -> None:
    dispatch.enqueue_on_commit(job.task, str(job.pk))


def record(job: ModelJob, what: str, *, actor: Any = None) -> None:
    """Add a line to a job's history, cut to 300 characters. `actor` None: the site itself."""
    job.events.create(what=what[:300], actor=actor)


@transaction.atomic
def cancel(job: ModelJob, *, actor: Any = None) -> None:
    """Cancel a job: at once if no worker runs it, else by asking the worker to stop."""
    of_job = _rows(type(job), job.pk)
    idle = of_job.filter(free(), status__in=[*job.ACTIVE, JobStatus.PAUSED])
    ended = {"status": JobStatus.CANCELLED, "cancel_requested": False, "finished_at": timezone.now()}
    if idle.update(**ended, error="", **job.AT_REST, **leases.RELEASED):
        waited = job.status == JobStatus.PAUSED
        record(job, "Cancelled" if waited else "Cancelled before a worker took it", actor=actor)
    elif of_job.filter(status=JobStatus.RUNNING, cancel_requested=False).update(cancel_requested=True):
        record(job, "Asked to stop", actor=actor)
    else:
        return
    audit.record("cancel", job, before={"status": job.status})


@transaction.atomic
def resume(job: ModelJob, *, actor: Any = None, wake_worker: bool = True, go_on: bool = False) -> bool:
    """Queue a stopped job again, to continue after its last saved row. False if there is nothing to resume.

    A paused job retries its unanswered rows, unless `go_on`. Set `wake_worker` False to execute it yourself.
    """
    again = _rows(type(job), job.pk).filter(status__in=job.RESUMABLE)
    if not again.update(
        **({"go_on": True} if go_on else {}),
        status=JobStatus.QUEUED,
        cancel_requested=False,
        error="",
        finished_at=None,
        **leases.FRESH,
    ):
        return False
    what = "Queued again; rows without an answer stay wrong" if go_on else "Queued again"
    record(job, what, actor=actor)
    audit.record("resume", job, before={"status": job.status})
    if wake_worker:
        enqueue(job)
    return True


def go_on(job: ModelJob, *, actor: Any = None) -> bool:
    """Resume a paused job without retrying its unanswered rows, which count as wrong. False if it is not paused."""
    return job.status == JobStatus.PAUSED and resume(job, actor=actor, go_on=True)


def claim(kind: type[ModelJob], pk: str, files_of: Callable[[Any], list[ModelFile]]) -> leases.Lease | None:
    """Claim a waiting job if this worker has its model files. Returns None if the job is not claimed."""
    job = _rows(kind, pk).select_related("model_file").filter(status__in=kind.ACTIVE).first()
    if job is None:
        return None
    if missing := holders.missing_here(files_of(job)):
        log.info("%s needs a worker with the files %s", job, ", ".join(file.path for file in missing))
        return None
    return _claimed(kind, pk)


def execute(body: Body, pk: str, **watching: Any) -> Any:
    """Execute a job. Returns the job if this call finished it, else None. Safe to repeat, also after a kill.

    `watching` has arguments for `body.watch`.
    """
    if (lease := claim(body.kind, pk, body.files_of)) is None:
        return None
    finished = False
    with lease:  # swallows LostError
        job = lease.row(*body.joins)
        watch = body.watch(job, lease, **watching)
        ending = attempt(job, watch, lambda: body.work(job, watch))
        end(job, watch, ending, **body.made(job))
        finished = ending.status == JobStatus.FINISHED
    if not finished:
        return None
    watch.copy.forget()
    body.forget(job)
    return job


@transaction.atomic
def _claimed(kind: type[ModelJob], pk: str) -> leases.Lease | None:
    rows, worker = _rows(kind, pk), socket.gethostname()[:100]
    waiting = rows.filter(status__in=kind.ACTIVE)
    lease = leases.claim(waiting, status=JobStatus.RUNNING, worker=worker, rate=None, **kind.AT_REST)
    if lease is not None:
        rows.filter(started_at=None).update(started_at=timezone.now())
        record(job := lease.row(), f"{_begins(job)} on {worker}{_because(job)}")
    return lease


def _rows(kind: type[ModelJob], pk: Any) -> models.QuerySet[Any]:
    return kind._default_manager.filter(pk=pk)


def _begins(job: ModelJob) -> str:
    return "Picked up again" if job.attempts > 1 or job.faults else "Started"


def _because(job: ModelJob) -> str:
    if job.attempts > 1:
        return " after its worker died"
    return " after a fault of this site" if job.faults else ""


def attempt(job: ModelJob, watch: Watch, work: Callable[[], Ending]) -> Ending:
    """Call `work` and turn its errors into an ending. Raises leases.LostError."""
    try:
        if job.attempts > backoff.MAX_ATTEMPTS:
            raise JobError(
                f"The worker died {backoff.MAX_ATTEMPTS} times without progress in the course of a day: the "
                "model may be damaged, or there is too little memory for it."
            )
        return work()
    except leases.LostError:
        raise
    except Paused as pause:
        return paused(str(pause))
    except Cancelled:
        watch.lease.check()  # a lost lease also stops the work, but is not a cancellation
        return CANCELLED
    except (BenchmarkError, JobError, model_files.ModelFileError, submissions.RejectedError) as error:
        reason = model_files.without_folder(str(error))
    except MemoryError:
        reason = "There is not enough memory for this model with these settings. Choose a smaller `context`."
    except Exception as error:
        name = job._meta.verbose_name
        if reason := faults.passing(error):
            log.warning("%s %s waits: %s", name, job.pk, error)
            return Ending(JobStatus.QUEUED, f"Waiting: {reason}; answers are saved", reason)
        log.exception("%s %s failed", name, job.pk)
        reason = model_files.without_folder(f"Unexpected error, which was logged: {error}")
    return Ending(JobStatus.FAILED, f"Failed: {reason}", reason)


def end(job: ModelJob, watch: Watch, ending: Ending, **changes: Any) -> None:
    """Write how an attempt ended; also write `changes`, unless the job waits for a retry. Raises leases.LostError.

    A job that would wait is cancelled instead if a stop was requested.
    """
    leases.reconnect()
    if ending.status != JobStatus.FINISHED:
        watch.copy.save(force=True)
    with transaction.atomic():
        wish = _rows(type(job), job.pk).filter(cancel_requested=True)
        if ending.status == JobStatus.QUEUED and wish.exists():
            ending = CANCELLED
        record(job, ending.what)
        if ending.status == JobStatus.QUEUED:
            watch.lease.wait(ending.error)
            return
        watch.lease.release(
            status=ending.status,
            error=ending.error,
            cancel_requested=False,
            finished_at=timezone.now(),
            **job.AT_REST | ending.changes | changes,
        )
