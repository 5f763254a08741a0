"""Run a system over a version: a deterministic one of the engine, or an adapter with a local model.

A run saves row by row, is cancelled within a row, goes on from its last saved row after a crash, and ends in
a *verified* submission that carries how it was made. `answering.py` does the work; here is its life.
"""

from __future__ import annotations

import hashlib
import logging
import socket
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils import timezone

from evaluation.errors import BenchmarkError
from leaderboard import answering, bell, catalogue, leases, modelfiles, submissions
from leaderboard.answering import Cancelled, OnProgress, Watch
from leaderboard.models import ModelFile, Run, RunEvent, Submission, System, Version

log = logging.getLogger(__name__)
#: How often a worker may die in a run without answering a row: a native crash must not loop forever.
MAX_ATTEMPTS = 3
#: Made to fail or to need a model: not part of the demo's boards.
NOT_IN_DEMO = {"dense+latest_step"}
NAME_LENGTH = 80
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
    ring: bool = True,
    by_hand: bool = False,
) -> Run:
    """Queue a run; `by_hand`: from the command line, which may name any server.

    Raises RunError where its parts do not go together, SettingsError for bad settings.
    """
    run = Run(
        version=version,
        started_by=started_by,
        executor=executor,
        model_file=model_file,
        settings=check(version, executor, model_file, values or {}, conditions or [], by_hand=by_hand),
        conditions=conditions or [],
        row_limit=row_limit,
        # A part of the rows is a trial: it is graded for its owner and never shown on a board.
        visibility=Submission.Visibility.PRIVATE if row_limit else Submission.Visibility.PUBLIC,
    )
    run.system = system or _system(run)
    run.save()
    record(run, "Queued", actor=started_by)
    if ring:
        ring_for(run)
    return run


def ring_for(run: Run) -> None:
    """Wake a worker once the transaction is through."""
    bell.ring_on_commit("execute_run", str(run.pk))


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
    known = catalogue.of(version) if by_hand else catalogue.offered(version)
    if executor not in known:
        raise RunError(f"Unknown system {executor!r}. Known: {', '.join(sorted(known))}.")
    if unknown := sorted(set(conditions) - set(version.conditions)):
        raise RunError(f"{version} has no condition {', '.join(unknown)}.")
    chosen = known[executor]
    if chosen.needs_model and model_file is None:
        raise RunError(f"Choose a model file: {chosen.label} needs one.")
    if model_file is not None and not chosen.takes_model:
        raise RunError(f"{chosen.label} runs no model file.")
    return catalogue.checked(chosen, values, model_file, by_hand=by_hand)


def _system(run: Run) -> System:
    """The system that a run stands for: one per executor, model file and settings, owned by who starts it."""
    if run.executor.startswith(catalogue.ADAPTER_PREFIX):
        name, fields = _adapter_name(run), _model_fields(run.model_file)
    else:
        spec = run.version.benchmark.engine.systems()[run.executor]
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
    parameters = modelfiles.size_in_words(model.parameters)
    return {"kind": System.Kind.LLM, "quantization": model.quantization, "parameters": parameters}


@transaction.atomic
def cancel(run: Run, *, actor: Any = None) -> None:
    """Ask a run to stop. One that nobody works on stops at once, a running one within its row."""
    of_run = Run.objects.filter(pk=run.pk)
    idle = of_run.filter(leases.free(), status__in=Run.ACTIVE)
    if idle.update(
        status=Run.Status.CANCELLED, lease_until=None, cancel_requested=False, finished_at=timezone.now()
    ):
        record(run, "Cancelled before a worker took it", actor=actor)
    elif of_run.filter(status=Run.Status.RUNNING, cancel_requested=False).update(cancel_requested=True):
        record(run, "Asked to stop", actor=actor)


@transaction.atomic
def resume(run: Run, *, actor: Any = None, ring: bool = True) -> bool:
    """Queue a cancelled or failed run again, from its last saved row. False where it is neither."""
    again = Run.objects.filter(pk=run.pk, status__in=Run.RESUMABLE)
    if not again.update(
        status=Run.Status.QUEUED,
        cancel_requested=False,
        lease_until=None,
        attempts=0,
        error="",
        finished_at=None,
    ):
        return False
    record(run, "Queued again", actor=actor)
    if ring:
        ring_for(run)
    return True


@dataclass(frozen=True, slots=True)
class _Outcome:
    """How an attempt ended."""

    status: str
    what: str
    error: str = ""
    submission: Submission | None = None


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
    if (run := _claim(run_id)) is None:
        return False
    with leases.Lease(run) as lease:
        outcome = _attempt(run, Watch(run, lease, on_progress, stop))
    if not _finish(run, lease, outcome):
        log.warning("run %s was taken over by another worker", run_id)
        return False
    if outcome.submission is None:
        return False
    answering.remove_files(run)
    if grade_now:
        submissions.grade(str(outcome.submission.pk))
    return True


def _claim(run_id: str) -> Run | None:
    """The run, if it is waiting for somebody to work on it; with this worker's lease."""
    worker, waiting = socket.gethostname()[:100], Run.objects.filter(pk=run_id, status__in=Run.ACTIVE)
    taken = leases.claim(
        waiting, status=Run.Status.RUNNING, attempts=leases.one_more(), worker=worker, error="", rate=None
    )
    if not taken:
        return None
    run = Run.objects.select_related("version__benchmark", "system", "model_file", "submission").get(
        pk=run_id
    )
    Run.objects.filter(pk=run.pk, started_at=None).update(started_at=timezone.now())
    record(
        run,
        f"Started on {worker}" if run.attempts == 1 else f"Picked up again on {worker} after its worker died",
    )
    return run


def _attempt(run: Run, watch: Watch) -> _Outcome:
    """Work until it is finished, cancelled or failed. Every fault ends as a reason that a person can read."""
    try:
        if run.attempts > MAX_ATTEMPTS:
            raise RunError(
                f"The worker died {MAX_ATTEMPTS} times without answering a row: the model may be damaged, "
                "or need more memory than there is."
            )
        submission = run.submission or _submit(run, answering.answer(run, watch))
        return _Outcome(Run.Status.FINISHED, "Finished", submission=submission)
    except Cancelled:
        return _Outcome(Run.Status.CANCELLED, "Cancelled; what is answered is saved")
    except (BenchmarkError, RunError, modelfiles.ModelFileError, submissions.RejectedError) as error:
        reason = modelfiles.without_folder(str(error))
    except MemoryError:
        reason = (
            "There is not enough memory for this model with these settings. A smaller `context` needs less."
        )
    except Exception as error:
        log.exception("run %s failed", run.pk)
        reason = modelfiles.without_folder(f"An unexpected error, which was logged: {error}")
    return _Outcome(Run.Status.FAILED, f"Failed: {reason}", error=reason)


@transaction.atomic
def _finish(run: Run, lease: leases.Lease, outcome: _Outcome) -> bool:
    """Write how it ended; False where another worker holds the run by now."""
    ours = lease.update(
        status=outcome.status,
        error=outcome.error,
        submission=outcome.submission,
        lease_until=None,
        cancel_requested=False,
        finished_at=timezone.now(),
        provenance=run.provenance,
        efficiency=run.efficiency,
        **({"progress_done": run.progress_done} if run.progress_done else {}),
    )
    if ours:
        record(run, outcome.what)
    return ours


def _submit(run: Run, path: Path) -> Submission:
    """The finished predictions as a verified submission, once, however often the run was restarted."""
    partial = run.row_limit is not None
    accepted = submissions.accept(run.version, path, file_name=f"{run.system.slug}.jsonl", partial=partial)
    with transaction.atomic():
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
        Run.objects.filter(pk=run.pk).update(submission=submission)
    return submission
