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
from evaluation.core.suite import reference_of
from leaderboard.accounts import services as accounts
from leaderboard.benchmarks import storage
from leaderboard.benchmarks.models import Version
from leaderboard.jobs import backoff, dispatch, faults, leases
from leaderboard.jobs.querysets import free
from leaderboard.runs import catalogue, execution, model_files
from leaderboard.runs.execution import Cancelled, OnProgress, Paused, Watch
from leaderboard.runs.models import ModelFile, Run, RunEvent
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission, System
from leaderboard.submissions.services import repeats as entries

log = logging.getLogger(__name__)
#: Made to fail or to need a model: not part of the demo's boards.
NOT_IN_DEMO = {"dense+latest_step"}
NAME_LENGTH = 80  # characters, as `System.name` holds
#: Settings of the machine and its speed. All others are part of what is tested, and of its name.
SPEED_SETTINGS = frozenset(
    {"threads", "gpu_layers", "batch", "ubatch", "parallel", "flash_attention", "repack", "draft_model"}
)
#: An address says nothing about what was tested, and must not be published.
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
    splits: list[str] | None = None,
    row_limit: int | None = None,
    wake_worker: bool = True,
    by_hand: bool = False,
    go_on: bool = False,
    declared: bool = False,
) -> Run:
    """Queue a run.

    Args:
        version: Whose rows are answered.
        executor: Name of what answers them (`adapter:llama_cpp`).
        started_by: The account that owns the result.
        system: Whose result it is; None for the one that stands for executor, model file and settings.
        model_file: For an executor that takes one.
        values: Name of the setting -> value, of those that differ from the default.
        splits: Names of those to answer; None for all.
        row_limit: Questions to answer at most; None for all. Such a part is a trial, and stays private.
        wake_worker: False where the caller executes it itself.
        by_hand: Whether it comes from the command line, which may name any server.
        go_on: Whether it never pauses, however many rows hold no answer.
        declared: Whether its result stands for the system, whatever it scores; a trial never does.

    Returns:
        The run.

    Raises:
        RunError: Its parts do not go together.
        SettingsError: Names every bad setting.
    """
    settings = check(version, executor, model_file, values or {}, splits or [], by_hand=by_hand)
    run = Run(
        queue=catalogue.queue_of(version, executor),
        version=version,
        started_by=started_by,
        executor=executor,
        model_file=model_file,
        settings=settings,
        conditions=expanded(version, splits or []),
        row_limit=row_limit,
        go_on=go_on,
        declared=declared and row_limit is None,
        # A part of the rows is a trial: it is graded for its owner and never shown on a board.
        visibility=Submission.Visibility.PRIVATE if row_limit else Submission.Visibility.PUBLIC,
    )
    run.system = system or _system(run)
    run.save()
    record(run, "Queued", actor=started_by)
    if wake_worker:
        enqueue_run(run)
    return run


@transaction.atomic
def start_repeats(
    *,
    repeats: int,
    version: Version,
    executor: str,
    started_by: Any,
    declared: bool,
    row_limit: int | None = None,
    **options: Any,
) -> list[Run]:
    """Queue the runs of an entry: one, or k repeats whose mean stands for the system.

    Where an entry of as many repeats waits for some, as after a run that failed, only those are started. An executor
    with a seed gets another one in each repeat.

    Args:
        repeats: How many stand together; 1 is an entry of one run, or no entry.
        version: Whose rows are answered.
        executor: Name of what answers them.
        started_by: The account that owns the results.
        declared: Whether the result stands for the system; repeats have to.
        row_limit: Questions to answer at most; None for all, as repeats do.
        **options: What else `start` takes.

    Returns:
        The runs, in the order of the repeats.

    Raises:
        RunError: The parts do not go together.
        SettingsError: Names every bad setting.
    """
    try:
        entries.check(repeats, declared=declared)
    except submissions.RepeatsError as error:
        raise RunError(str(error)) from error
    options |= {"version": version, "executor": executor, "started_by": started_by, "declared": declared}
    if repeats == 1:
        return [start(**options, row_limit=row_limit)]
    if row_limit is not None:
        raise RunError("A trial of a part of the rows is no entry: repeats answer all of them.")
    first = start(**options)
    mean = entries.mean_for(version=version, system=first.system, submitter=started_by, repeats=repeats)
    places = entries.free_places(mean)
    others = [start(**options | {"system": first.system}) for _ in places[1:]]
    return [_placed(run, mean, number) for run, number in zip([first, *others], places, strict=True)]


def _placed(run: Run, mean: Submission, number: int) -> Run:
    """A new run as one of the repeats of a mean, with a seed of its own."""
    run.mean, run.repeat = mean, number
    settings = catalogue.executors_for(run.version)[run.executor].settings
    if seed := next((each for each in settings if each.name == "seed"), None):
        run.settings["seed"] = int(run.settings.get("seed", seed.default)) + number - 1
    run.save(update_fields=["mean", "repeat", "settings"])
    record(run, f"Repeat {number} of {mean.repeats}")
    return run


def enqueue_run(run: Run) -> None:
    """Wake a worker once the transaction is through."""
    dispatch.enqueue_on_commit(run.task, str(run.pk))


def record(run: Run, what: str, *, actor: Any = None) -> None:
    """Add a line to a run's history.

    Args:
        run: The run.
        what: What happened, cut to 300 characters.
        actor: The account that did it; None for the site itself.
    """
    RunEvent.objects.create(run=run, what=what[:300], actor=actor)


def check(
    version: Version,
    executor: str,
    model_file: ModelFile | None,
    values: dict[str, Any],
    splits: list[str],
    *,
    by_hand: bool = False,
) -> dict[str, Any]:
    """Check that a run can be started.

    Args:
        version: Whose rows are answered.
        executor: Name of what answers them (`adapter:llama_cpp`).
        model_file: For an executor that takes one.
        values: Name of the setting -> value, of those that differ from the default.
        splits: Names of those to answer; empty for all.
        by_hand: Whether it comes from the command line, which may name any server.

    Returns:
        The settings, with their types.

    Raises:
        RunError: Its parts do not go together.
        SettingsError: Names every bad setting.
    """
    if not version.is_open:
        raise RunError(f"{version} takes no submissions.")
    known = catalogue.executors_for(version) if by_hand else catalogue.offered(version)
    if executor not in known:
        raise RunError(f"Unknown system {executor!r}. Known: {', '.join(sorted(known))}.")
    expanded(version, splits)
    chosen = known[executor]
    if chosen.needs_model and model_file is None:
        raise RunError(f"Choose a model file: {chosen.label} needs one.")
    if model_file is not None and not chosen.file_kinds:
        raise RunError(f"{chosen.label} runs no model file.")
    if model_file is not None and model_file.kind not in chosen.file_kinds:
        raise RunError(f"{chosen.label} cannot run {model_file}, which is a trained {model_file.kind}.")
    return catalogue.checked(chosen, values, model_file, by_hand=by_hand)


def expanded(version: Version, names: Sequence[str]) -> list[str]:
    """The splits that are meant. On a sealed version what rows show stands for all splits that show it.

    Args:
        version: Whose splits they are.
        names: Of splits, or on a sealed version of what rows show; empty for all.

    Returns:
        Names of splits in the version's order; empty for all.

    Raises:
        RunError: A split does not exist, or a sealed one would be known by the choice: the rows that a run answers are
            public.
    """
    form_of, known = version.suite.form_of, list(version.conditions)
    sealed = version.disclosure.hides_splits
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
        if accounts.is_service(run.started_by):  # what a person runs contests the board
            fields["reference"] = reference_of(spec)
    system = System.objects.filter(owner=run.started_by, name=name).order_by("pk").first()
    if system is None:
        system = System.objects.create(owner=run.started_by, name=name, **fields)
    if run.model_file and (changed := system.fill_from_file(model_files.card_facts(run.model_file))):
        system.save(update_fields=changed)
    if system.reference != (role := fields.get("reference", system.reference)):
        system.reference = role  # an earlier release of the suite said otherwise
        system.save(update_fields=["reference"])
    return system


def _adapter_name(run: Run) -> str:
    executor = catalogue.executors_for(run.version)[run.executor]
    return adapter_name(executor, run.model_file, run.settings)


def adapter_name(executor: catalogue.Executor, model_file: ModelFile | None, settings: dict[str, Any]) -> str:
    """`tiny · llama_cpp · standard@1 · mode=select`: settings are part of what is tested, those that a cut leaves out
    by a hash.

    Args:
        executor: The adapter.
        model_file: What it runs, where it runs a file.
        settings: Those that were given.
    """
    prompted = model_file is None or model_file.is_language_model
    told, values = catalogue.named(executor, settings, prompted=prompted)
    parts = [*([model_file.name] if model_file else []), *told]
    names = sorted(values.keys() - UNNAMED_SETTINGS, key=catalogue.telling)
    pairs = [f"{name}={values[name]}" for name in names]
    name = " · ".join([*parts, ", ".join(pairs)] if pairs else parts)
    told_apart = hashlib.sha256(name.encode()).hexdigest()[:6]
    return name if len(name) <= NAME_LENGTH else f"{name[: NAME_LENGTH - 8]}… {told_apart}"


def _model_fields(model: ModelFile | None) -> dict[str, Any]:
    if model is not None and model.is_language_model:
        return {"kind": System.Kind.LLM}
    known = model is not None and model.kind in System.Kind.values
    return {"kind": model.kind if model is not None and known else System.Kind.PIPELINE}


@transaction.atomic
def cancel(run: Run, *, actor: Any = None) -> None:
    """Ask a run to stop. One that nobody works on stops at once, a running one within its row.

    Args:
        run: The run.
        actor: The account that asks; None for the site itself.
    """
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
    """Queue a run that stopped again, from its last saved row.

    A run that has paused asks the rows without an answer again.

    Args:
        run: The run.
        actor: The account that asks; None for the site itself.
        wake_worker: False where the caller executes it itself.
        go_on: Whether rows without an answer stay wrong, and it pauses no more.

    Returns:
        Whether it was queued; False where there is nothing to resume.
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
    what = "Queued again; rows without an answer stay wrong" if go_on else "Queued again"
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
    """Execute one run. Safe to run twice and to be killed.

    Args:
        run_id: Its primary key.
        grade_now: Whether to grade the result here instead of leaving it to a worker.
        on_progress: Called after each row with (rows done, rows in all, rows per second), for an interactive caller.
        stop: Set by such a caller to cancel.

    Returns:
        Whether it finished here.
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
        grade_here(submission)
    return True


def grade_here(submission: Submission) -> None:
    """Grade a submission here, or wait for the worker that was faster: its lease ends, whatever becomes of it."""
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
    transcripts = execution.packed_transcripts(run)
    transcripts_sha256 = storage.keep(transcripts) if transcripts else ""
    with transaction.atomic():
        lease.confirm()
        submission = submissions.create(
            accepted,
            system=run.system,
            submitter=run.started_by,
            source=Submission.Source.RUN,
            verified=True,
            visibility=run.visibility,
            **_entry(run),
            efficiency=run.efficiency,
            provenance=run.provenance,
            transcripts_sha256=transcripts_sha256,
        )
        lease.update(submission=submission)
    return submission


def _entry(run: Run) -> dict[str, Any]:
    """What the result of a run stands for: its place of the mean, unless that was taken or withdrawn meanwhile."""
    declared = run.declared and run.visibility == Submission.Visibility.PUBLIC
    if run.mean is None:
        return {"declared": declared}
    if declared and entries.keeps_place(run.mean, run.repeat):
        return {"declared": True, "mean": run.mean, "repeat": run.repeat}
    return {"declared": False}
