"""Run a system over a version: a deterministic one of the engine, or an adapter with a local model.

A run saves row by row, is cancelled within a row, goes on from its last saved row after a crash, and ends in
a *verified* submission that carries how it was made. `answering.py` does the work; here is its life.
"""

from __future__ import annotations

import hashlib
import logging
import socket
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils import timezone

from evaluation.core.errors import BenchmarkError
from leaderboard.benchmarks.models import Version
from leaderboard.jobs import backoff, dispatch, faults, leases
from leaderboard.jobs.querysets import free
from leaderboard.runs import catalogue, execution, model_files
from leaderboard.runs.execution import Cancelled, OnProgress, Paused, Watch
from leaderboard.runs.models import ModelFile, Run, RunEvent
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission, System

log = logging.getLogger(__name__)
#: Made to fail or to need a model: not part of the demo's boards.
NOT_IN_DEMO = {"dense+latest_step"}
NAME_LENGTH = 80  # characters, as `System.name` holds
#: Settings of the machine and its speed. All others are part of what is tested, and of its name.
SPEED_SETTINGS = {"threads", "gpu_layers", "batch", "parallel", "flash_attention", "repack"}
#: An address tells readers nothing of what was tested, and is nobody's business.
UNNAMED_SETTINGS = SPEED_SETTINGS | catalogue.SERVER_SETTINGS


class RunError(Exception):
    """A run cannot be started as asked; the text says why."""


def executors(version: Version) -> dict[str, str]:
    """What can run over a version without a model: name -> description."""
    return {name: executor.description for name, executor in catalogue.deterministic(version).items()}


def demo_executors(version: Version) -> list[str]:
    """What the demo runs."""
    return [name for name in executors(version) if name not in NOT_IN_DEMO]


@transaction.atomic
def start(
    *,
    version: Version,
    executor: str,
    started_by: Any,
    system: System | None = None,
    model_file: ModelFile | None = None,
    values: dict[str, Any] | None = None,
    conditions: list[str] | None = None,
    row_limit: int | None = None,
    wake_worker: bool = True,
    by_hand: bool = False,
    go_on: bool = False,
) -> Run:
    """Queue a run; `by_hand`: from the command line, which may name any server.

    Raises RunError where its parts do not go together, SettingsError for bad settings.
    """
    settings = check(version, executor, model_file, values or {}, conditions or [], by_hand=by_hand)
    run = Run(
        version=version,
        started_by=started_by,
        executor=executor,
        model_file=model_file,
        settings=settings,
        conditions=expanded(version, conditions or []),
        row_limit=row_limit,
        go_on=go_on,
        # A part of the rows is a trial: it is graded for its owner and never shown on a board.
        visibility=Submission.Visibility.PRIVATE if row_limit else Submission.Visibility.PUBLIC,
    )
    run.system = system or _system(run)
    run.save()
    record(run, "Queued", actor=started_by)
    if wake_worker:
        enqueue_run(run)
    return run


def enqueue_run(run: Run) -> None:
    """Wake a worker once the transaction is through."""
    dispatch.enqueue_on_commit("execute_run", str(run.pk))


def record(run: Run, what: str, *, actor: Any = None) -> None:
    """Add a line to a run's history."""
    RunEvent.objects.create(run=run, what=what[:300], actor=actor)


def check(
    version: Version,
    executor: str,
    model_file: ModelFile | None,
    values: dict[str, Any],
    conditions: list[str],
    *,
    by_hand: bool = False,
) -> dict[str, Any]:
    """The settings, with their types, of a run that can be started. Raises RunError or SettingsError."""
    if not version.is_open:
        raise RunError(f"{version} takes no submissions.")
    known = catalogue.executors_for(version) if by_hand else catalogue.offered(version)
    if executor not in known:
        raise RunError(f"Unknown system {executor!r}. Known: {', '.join(sorted(known))}.")
    expanded(version, conditions)
    chosen = known[executor]
    if chosen.needs_model and model_file is None:
        raise RunError(f"Choose a model file: {chosen.label} needs one.")
    if model_file is not None and not chosen.takes_model:
        raise RunError(f"{chosen.label} runs no model file.")
    return catalogue.checked(chosen, values, model_file, by_hand=by_hand)


def expanded(version: Version, names: Sequence[str]) -> list[str]:
    """The conditions that are meant. On a sealed version what rows show stands for all conditions that show it.

    Raises RunError for one that does not exist, and for a choice by which a sealed one would be known: the rows that a
    run answers are public.
    """
    form_of, known = version.suite.form_of, list(version.conditions)
    sealed = version.disclosure.hides_conditions
    meant = [name for name in known if name in names or (sealed and form_of(name) in names)]
    forms = {form_of(name) for name in known} if sealed else set()
    if unknown := sorted(set(names) - {*known, *forms}):
        raise RunError(f"{version} has no condition {', '.join(unknown)}.")
    if sealed and any(form_of(name) in set(map(form_of, meant)) and name not in meant for name in known):
        raise RunError(
            f"{version} is sealed: which rows belong to a condition is secret. Choose {' or '.join(sorted(forms))}."
        )
    return meant


def _system(run: Run) -> System:
    """The system that a run stands for: one per executor, model file and settings, owned by who starts it."""
    if run.executor.startswith(catalogue.ADAPTER_PREFIX):
        name, fields = _adapter_name(run), _model_fields(run.model_file)
    else:
        spec = run.version.suite.systems()[run.executor]
        name, fields = spec.name, {"kind": spec.kind, "description": spec.description[:300]}
    found = System.objects.filter(owner=run.started_by, name=name).order_by("pk").first()
    return found or System.objects.create(owner=run.started_by, name=name, **fields)


def _adapter_name(run: Run) -> str:
    """`tiny · llama_cpp · mode=select`: settings are part of what is tested, those that a cut leaves out by a hash."""
    parts = [run.model_file.name] if run.model_file else []
    parts += [run.executor.removeprefix(catalogue.ADAPTER_PREFIX)]
    names = sorted(run.settings.keys() - UNNAMED_SETTINGS, key=catalogue.telling)
    told = [f"{name}={run.settings[name]}" for name in names]
    name = " · ".join([*parts, ", ".join(told)] if told else parts)
    told_apart = hashlib.sha256(name.encode()).hexdigest()[:6]
    return name if len(name) <= NAME_LENGTH else f"{name[: NAME_LENGTH - 8]}… {told_apart}"


def _model_fields(model: ModelFile | None) -> dict[str, Any]:
    if model is None:
        return {"kind": System.Kind.PIPELINE}
    parameters = model_files.size_in_words(model.parameters)
    return {"kind": System.Kind.LLM, "quantization": model.quantization, "parameters": parameters}


@transaction.atomic
def cancel(run: Run, *, actor: Any = None) -> None:
    """Ask a run to stop. One that nobody works on stops at once, a running one within its row."""
    of_run = Run.objects.filter(pk=run.pk)
    idle = of_run.filter(free(), status__in=[*Run.ACTIVE, Run.Status.PAUSED])
    ended = {"status": Run.Status.CANCELLED, "cancel_requested": False, "finished_at": timezone.now()}
    if idle.update(**ended, error="", **leases.RELEASED):
        waited = run.status == Run.Status.PAUSED
        record(run, "Cancelled" if waited else "Cancelled before a worker took it", actor=actor)
    elif of_run.filter(status=Run.Status.RUNNING, cancel_requested=False).update(cancel_requested=True):
        record(run, "Asked to stop", actor=actor)


@transaction.atomic
def resume(run: Run, *, actor: Any = None, wake_worker: bool = True, go_on: bool = False) -> bool:
    """Queue a run that stopped again, from its last saved row. False where there is nothing to resume.

    A run that has paused asks the rows without an answer again; with `go_on` they stay wrong, and it pauses no more.
    """
    again = Run.objects.filter(pk=run.pk, status__in=Run.RESUMABLE)
    if not again.update(
        **({"go_on": True} if go_on else {}),
        status=Run.Status.QUEUED,
        cancel_requested=False,
        error="",
        finished_at=None,
        **leases.FRESH,
    ):
        return False
    what = "Queued again, whatever holds no answer" if go_on else "Queued again"
    record(run, what, actor=actor)
    if wake_worker:
        enqueue_run(run)
    return True


@dataclass(frozen=True, slots=True)
class _Outcome:
    """How an attempt ended."""

    status: str
    what: str
    error: str = ""
    submission: Submission | None = None


_CANCELLED = _Outcome(Run.Status.CANCELLED, "Cancelled; what is answered is saved")


def execute(
    run_id: str,
    *,
    grade_now: bool = False,
    on_progress: OnProgress | None = None,
    stop: threading.Event | None = None,
) -> bool:
    """Execute one run. Safe to run twice and to be killed; True where it finished here.

    A caller who sits in front of it is told of every row, and may set `stop` to cancel.
    """
    if (lease := _claim(run_id)) is None:
        return False
    submission = None
    with lease:
        run = lease.row("version__benchmark", "system", "model_file", "submission")
        outcome = _attempt(run, Watch(run, lease, on_progress, stop))
        leases.reconnect()
        _end(run, lease, outcome)
        submission = outcome.submission
    if submission is None:
        return False
    execution.remove_files(run)
    if grade_now:
        _grade_now(submission)
    return True


def _grade_now(submission: Submission) -> None:
    """Grade it here, or wait for the worker that was faster: its lease ends, whatever becomes of it."""
    rows = Submission.objects.filter(pk=submission.pk)
    while not submissions.grade(str(submission.pk)) and rows.at_work().exists():
        time.sleep(0.2)


@transaction.atomic
def _claim(run_id: str) -> leases.Lease | None:
    """This worker's lease of the run, if it is waiting for somebody to work on it."""
    worker, waiting = socket.gethostname()[:100], Run.objects.filter(pk=run_id, status__in=Run.ACTIVE)
    lease = leases.claim(waiting, status=Run.Status.RUNNING, worker=worker, rate=None)
    if lease is not None:
        Run.objects.filter(pk=run_id, started_at=None).update(started_at=timezone.now())
        record(run := lease.row(), f"{_begins(run)} on {worker}{_because(run)}")
    return lease


def _begins(run: Run) -> str:
    return "Picked up again" if run.attempts > 1 or run.faults else "Started"


def _because(run: Run) -> str:
    """Why a run is picked up again."""
    if run.attempts > 1:
        return " after its worker died"
    return " after a fault of this site" if run.faults else ""


def _attempt(run: Run, watch: Watch) -> _Outcome:
    """Work until it is finished, cancelled or failed. Every fault ends as a reason that a person can read."""
    try:
        if run.attempts > backoff.MAX_ATTEMPTS:
            raise RunError(
                f"The worker died {backoff.MAX_ATTEMPTS} times without answering a row, in the course of a day: "
                "the model may be damaged, or need more memory than there is."
            )
        submission = run.submission or _submit(run, execution.answer(run, watch), watch.lease)
        return _Outcome(Run.Status.FINISHED, "Finished", submission=submission)
    except leases.LostError:
        raise
    except Paused as pause:
        return _Outcome(Run.Status.PAUSED, f"Paused: {pause}".partition("\n")[0], error=str(pause))
    except Cancelled:
        watch.lease.check()
        return _CANCELLED
    except (BenchmarkError, RunError, model_files.ModelFileError, submissions.RejectedError) as error:
        reason = model_files.without_folder(str(error))
    except MemoryError:
        reason = (
            "There is not enough memory for this model with these settings. A smaller `context` needs less."
        )
    except Exception as error:
        if reason := faults.passing(error):
            log.warning("run %s waits: %s", run.pk, error)
            return _Outcome(Run.Status.QUEUED, f"Waiting: {reason}; what is answered is saved", error=reason)
        log.exception("run %s failed", run.pk)
        reason = model_files.without_folder(f"An unexpected error, which was logged: {error}")
    return _Outcome(Run.Status.FAILED, f"Failed: {reason}", error=reason)


@transaction.atomic
def _end(run: Run, lease: leases.Lease, outcome: _Outcome) -> None:
    """Write how an attempt ended. Raises leases.LostError where another worker holds the run by now."""
    if outcome.status == Run.Status.QUEUED:
        if Run.objects.filter(pk=run.pk, cancel_requested=True).exists():
            outcome = _CANCELLED
        else:
            record(run, outcome.what)
            lease.wait(outcome.error)
            return
    record(run, outcome.what)
    lease.release(
        status=outcome.status,
        error=outcome.error,
        submission=outcome.submission,
        cancel_requested=False,
        finished_at=timezone.now(),
        provenance=run.provenance,
        efficiency=run.efficiency,
        **({"progress_done": run.progress_done} if run.progress_done else {}),
        **({"row_states": run.row_states} if run.row_states else {}),
    )


def _submit(run: Run, path: Path, lease: leases.Lease) -> Submission:
    """The finished predictions as a verified submission, once, however often the run was restarted.

    Raises leases.LostError.
    """
    lease.check()
    partial = run.row_limit is not None
    accepted = submissions.accept(run.version, path, file_name=f"{run.system.slug}.jsonl", partial=partial)
    run.row_states = accepted.states
    with transaction.atomic():
        lease.confirm()
        submission = submissions.create(
            accepted,
            system=run.system,
            submitter=run.started_by,
            source=Submission.Source.RUN,
            verified=True,
            visibility=run.visibility,
            efficiency=run.efficiency,
            provenance=run.provenance,
        )
        lease.update(submission=submission)
    return submission
