"""Starts and executes runs of a system (deterministic, or an adapter with a model) over a version.

A run saves each row, so that a cancelled run can resume after its last saved row. It ends in a *verified* submission
with its provenance. `execution` answers the rows; `life` is shared with benches.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Required, TypedDict

from django.db import transaction

from leaderboard.benchmarks import storage
from leaderboard.benchmarks.models import Version
from leaderboard.jobs import leases
from leaderboard.runs import catalogue, execution, life, naming
from leaderboard.runs.life import Body, Ending
from leaderboard.runs.model_job import JobError, JobStatus
from leaderboard.runs.models import ModelFile, Run
from leaderboard.runs.watch import OnProgress, Watch
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission, System
from leaderboard.submissions.services import repeats as entries

cancel, resume = life.cancel, life.resume
#: Systems that the demo does not run, because they need a model.
NOT_IN_DEMO = {"dense+latest_step"}


def executors(version: Version) -> dict[str, str]:
    """Name -> description of the systems that need no model to run over a version."""
    return {name: executor.description for name, executor in catalogue.deterministic(version).items()}


def demo_executors(version: Version) -> list[str]:
    return [name for name in executors(version) if name not in NOT_IN_DEMO]


@transaction.atomic
def start(
    *,
    version: Version,
    executor: str,
    started_by: Any,
    system: System | None = None,
    model_file: ModelFile | None = None,
    values: Mapping[str, catalogue.SettingValue] | None = None,
    splits: list[str] | None = None,
    row_limit: int | None = None,
    wake_worker: bool = True,
    by_hand: bool = False,
    go_on: bool = False,
    declared: bool = False,
) -> Run:
    """Queue a run.

    Args:
        system: None: the system of this executor, model file and settings.
        row_limit: Maximum number of questions; makes the run a private trial. None: all questions.
        wake_worker: False if the caller executes the run.
        by_hand: True if started on the command line, which may name any server.
        go_on: Do not pause if many rows are unanswered.
        declared: Show the result on the board, regardless of its score. Ignored for a trial.

    Raises:
        JobError: The choices do not fit together.
        SettingsError: Settings are invalid; lists all errors.
    """
    settings = check(version, executor, model_file, values or {}, splits or [], by_hand=by_hand)
    run = Run(
        queue=catalogue.executors_for(version)[executor].queue,
        version=version,
        started_by=started_by,
        executor=executor,
        model_file=model_file,
        settings=settings,
        conditions=expanded(version, splits or []),
        row_limit=row_limit,
        go_on=go_on,
        declared=declared and row_limit is None,
        # A limited run is a trial, graded for its owner and never shown on a board.
        visibility=Submission.Visibility.PRIVATE if row_limit else Submission.Visibility.PUBLIC,
    )
    run.system = system or naming.system_of(run)
    run.save()
    life.record(run, "Queued", actor=started_by)
    if wake_worker:
        life.enqueue(run)
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
    """Queue the runs of an entry: one run, or several repeats whose mean is shown on the board.

    If an entry of repeats is incomplete, as after a failed run, only the missing runs are started. Repeats get
    different seeds if the executor has a seed. They must be declared, without `row_limit`. Raises like `start`.
    """
    try:
        entries.check(repeats, declared=declared)
    except submissions.RepeatsError as error:
        raise JobError(str(error)) from error
    options |= {"version": version, "executor": executor, "started_by": started_by, "declared": declared}
    if repeats == 1:
        return [start(**options, row_limit=row_limit)]
    if row_limit is not None:
        raise JobError("Repeats must answer all rows: leave out the row limit.")
    first = start(**options)
    mean = entries.mean_for(version=version, system=first.system, submitter=started_by, repeats=repeats)
    places = entries.free_places(mean)
    others = [start(**options | {"system": first.system}) for _ in places[1:]]
    return [_placed(run, mean, number) for run, number in zip([first, *others], places, strict=True)]


def _placed(run: Run, mean: Submission, number: int) -> Run:
    run.mean, run.repeat = mean, number
    settings = catalogue.executors_for(run.version)[run.executor].settings
    if seed := next((each for each in settings if each.name == "seed"), None):
        run.settings["seed"] = int(run.settings.get("seed", seed.default)) + number - 1
    run.save(update_fields=["mean", "repeat", "settings"])
    life.record(run, f"Repeat {number} of {mean.repeats}")
    return run


def check(
    version: Version,
    executor: str,
    model_file: ModelFile | None,
    values: Mapping[str, catalogue.SettingValue],
    splits: list[str],
    *,
    by_hand: bool = False,
) -> dict[str, catalogue.SettingValue]:
    """Check that a run can be started. Returns its typed settings. Raises JobError or SettingsError."""
    if not version.is_open:
        raise JobError(f"{version} does not accept submissions.")
    known = catalogue.executors_for(version) if by_hand else catalogue.offered(version)
    if executor not in known:
        raise JobError(f"Unknown system {executor!r}. Known: {', '.join(sorted(known))}.")
    expanded(version, splits)
    chosen = known[executor]
    chosen.check_file(model_file)
    return catalogue.checked(chosen, asked_with(version, chosen) | dict(values), model_file, by_hand=by_hand)


def asked_with(version: Version, chosen: catalogue.Executor) -> dict[str, catalogue.SettingValue]:
    """The version's default settings for adapters, such as a prompt, without settings that this system lacks."""
    known = {setting.name for setting in chosen.settings}
    return {name: value for name, value in version.bound.settings.asked_with().items() if name in known}


def expanded(version: Version, names: Sequence[str]) -> list[str]:
    """The named splits in the version's order. On a sealed version, a name may also be a form: a group of splits.

    Raises JobError if a name is unknown, or if the choice would reveal a sealed split (a run's rows are public).
    """
    form_of, known = version.suite.form_of, list(version.conditions)
    sealed = version.disclosure.hides_splits
    chosen = [name for name in known if name in names or (sealed and form_of(name) in names)]
    forms = {form_of(name) for name in known} if sealed else set()
    if unknown := sorted(set(names) - {*known, *forms}):
        raise JobError(f"{version} has no condition {', '.join(unknown)}.")
    if sealed and any(form_of(name) in set(map(form_of, chosen)) and name not in chosen for name in known):
        raise JobError(
            f"{version} is sealed, so the rows of a single condition are secret. Choose {' or '.join(sorted(forms))}."
        )
    return chosen


def execute(
    run_id: str,
    *,
    grade_now: bool = False,
    on_progress: OnProgress | None = None,
    stop: threading.Event | None = None,
) -> bool:
    """Execute a run. Safe to repeat, also after a kill. True if this call finished the run.

    `on_progress` is called after each row with (rows done, rows in all, rows per second). Set `stop` to cancel.
    """
    run = life.execute(BODY, run_id, on_progress=on_progress, stop=stop)
    if run is not None and grade_now:
        grade_here(run.submission)
    return run is not None


def _watch(run: Run, lease: leases.Lease, **watching: Any) -> Watch:
    return Watch(run, lease, execution.copy_of(run, lease), **watching)


def _work(run: Run, watch: Watch) -> Ending:
    if run.submission is None:
        answered = execution.answer(run, watch)
        watch.doing("Checking the answers")
        run.submission = _submit(run, answered, watch.lease)
    return Ending(JobStatus.FINISHED, "Finished")


def _made(run: Run) -> dict[str, object]:
    return {
        "submission": run.submission,
        "provenance": run.provenance,
        "efficiency": run.efficiency,
        **({"progress_done": run.progress_done} if run.progress_done else {}),
        **({"row_states": run.row_states} if run.row_states else {}),
    }


BODY = Body(
    kind=Run,
    joins=("version__benchmark", "system", "model_file", "submission"),
    files_of=execution.files_of,
    watch=_watch,
    work=_work,
    made=_made,
    forget=execution.remove_files,
)


def grade_here(submission: Submission) -> None:
    rows = Submission.objects.filter(pk=submission.pk)
    # A worker may have been faster; then wait until its lease ends.
    while not submissions.grade(str(submission.pk)) and rows.at_work().exists():
        time.sleep(0.2)


def _submit(run: Run, path: Path, lease: leases.Lease) -> Submission:
    """Submit the predictions exactly once, even if the run restarts. Raises leases.LostError."""
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


class Entry(TypedDict, total=False):
    """Columns that tell whether a submission counts alone or as one of several repeats that are averaged."""

    declared: Required[bool]
    mean: Submission
    repeat: int


def _entry(run: Run) -> Entry:
    declared = run.declared and run.visibility == Submission.Visibility.PUBLIC
    if run.mean is None:
        return {"declared": declared}
    # Meanwhile the place may have been taken, or the mean withdrawn.
    if declared and entries.keeps_place(run.mean, run.repeat):
        return {"declared": True, "mean": run.mean, "repeat": run.repeat}
    return {"declared": False}
