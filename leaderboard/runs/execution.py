"""Executes a run: answers the rows of its version, saving each answer before the next row."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, cast

from django.conf import settings

from evaluation.adapters import load_adapter, row_limit, runner
from evaluation.adapters.prompt_sets import LEGACY, part_of_identity
from evaluation.adapters.run_files import RunFiles, begun_by
from evaluation.adapters.transcripts import Keep
from evaluation.adapters.transcripts.files import TranscriptFile
from evaluation.core import jsonl, row_states
from evaluation.core.errors import SettingsError
from evaluation.core.files.artifacts import is_artifact
from evaluation.core.files.documents.reader import RECENT
from evaluation.core.files.remembered import remembered
from evaluation.core.records import Row
from evaluation.core.suite import RowPreview
from leaderboard.benchmarks import expected_ids
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.rows import reading
from leaderboard.jobs import leases, locks
from leaderboard.runs import catalogue, copies, model_files, provenance
from leaderboard.runs.catalogue import ADAPTER_PREFIX
from leaderboard.runs.models import ModelFile, Run
from leaderboard.runs.watch import ANSWERING, Cancelled, Paused, Watch


def answer(run: Run, watch: Watch) -> Path:
    """Answer the remaining rows; returns the file of predictions. Raises Cancelled, or Paused if too many failed."""
    watch.check()
    watch.doing("Reading the rows")
    watch.copy.fetch()
    is_adapter = run.executor.startswith(ADAPTER_PREFIX)
    questions = questions_of(run) if is_adapter else []
    total = len(questions) if is_adapter else sum(1 for _ in rows_of(run))
    watch.lease.update(progress_total=total)
    run.provenance = provenance.run_provenance(run) | {"attempts": run.attempts}
    watch.doing("Waiting for its turn")
    try:
        with turn_of(run, str(run.pk), give_up=watch.should_stop):
            watch.check()  # after a long wait another worker may own these files
            started = time.perf_counter()
            if is_adapter:
                _run_adapter(run, questions, watch)
            else:
                _run_deterministic(run, total, watch)
    except locks.LockGivenUp:
        raise Cancelled from None
    run.provenance["seconds"] = round(time.perf_counter() - started, 3)
    return path_of(run)


def turn_of(run: Run, name: str, *, give_up: Callable[[], bool]) -> AbstractContextManager[None]:
    """Lock of the run's model, or of `name` if the run has no model file. Raises locks.LockGivenUp."""
    held = run.model_file.sha256 if run.model_file else name
    return locks.model_lock(held, give_up=give_up, alone=not run.asks_server)


def files_of(run: Run) -> list[ModelFile]:
    """The registered model files of a run; empty if any of them is missing."""
    known = catalogue.executors_for(run.version) if run.executor.startswith(ADAPTER_PREFIX) else {}
    with suppress(SettingsError):
        if executor := known.get(run.executor):
            return catalogue.files_of(executor, run.settings, run.model_file)
    return []


def path_of(run: Run) -> Path:
    folder = Path(settings.DATA_DIR) / "runs"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{run.pk}.jsonl"


def copy_of(run: Run, lease: leases.Lease) -> copies.Copy:
    folder = path_of(run).parent
    return copies.Copy(run, lease, folder, lambda: folder.glob(f"{run.pk}.*"))


def packed_transcripts(run: Run) -> Path | None:
    """Path of the compressed transcripts of a run; None if the run used no model."""
    return TranscriptFile(path_of(run)).pack()


def remove_files(run: Run) -> None:
    """Delete the working files of a finished run, whose content is in the submission."""
    for path in path_of(run).parent.glob(f"{run.pk}.*"):
        path.unlink(missing_ok=True)


def rows_of(run: Run, *, keep: int | None = RECENT) -> Iterator[Row]:
    """Yield public rows within the run's splits and limit, without gold. Caches `keep` recent texts; None: all."""
    taken = taken_by_limit(run)
    left = None if taken is None else len(taken)
    for row, asked in _requested(run.version, run.conditions, keep=keep):
        if taken is None or left is None:
            yield row
        elif here := sum(row_id in taken for row_id in asked):
            yield row
            if (left := left - here) <= 0:
                return


def _requested(
    version: Version, conditions: Sequence[str], *, keep: int | None = RECENT
) -> Iterator[tuple[Row, Sequence[str]]]:
    requested, splits = set(conditions), expected_ids.expected_rows(version).splits
    for row in reading.rows_of(version, keep=keep):
        cast(dict[str, object], row).pop("gold", None)
        asked = list(version.suite.expected([row]).splits)  # ids only: rows need not contain their splits
        if not requested or not requested.isdisjoint(splits[row_id] for row_id in asked):
            yield row, asked


def taken_by_limit(run: Run) -> frozenset[str] | None:
    """Ids of the questions within the run's limit; None without a limit. Runs of older releases use the first rows."""
    if run.row_limit is None:
        return None
    first = row_limit.began_with_first(begun_by(path_of(run)))
    return _taken(run.version, run.version.rows_sha256, tuple(run.conditions), run.row_limit, first)


@lru_cache(maxsize=16)  # a frozen version never changes, and a run asks several times
def _taken(
    version: Version, rows_sha256: str, conditions: tuple[str, ...], limit: int, first: bool
) -> frozenset[str]:
    rows = _requested(version, conditions)
    if first:
        ids = (row_id for _, asked in rows for row_id in asked)
        return frozenset(islice(ids, limit))
    expected = expected_ids.expected_rows(version)
    candidates = (
        row_limit.Candidate(row_id, expected.together(row_id), size)
        for row, asked in rows
        for size in [row_limit.size_of(row)]
        for row_id in asked
    )
    return row_limit.spread(candidates, limit)


def questions_of(run: Run) -> list[Row]:
    taken = taken_by_limit(run)
    keep = None if taken is None else RECENT  # a limited run needs few texts in memory
    questions = catalogue.kind_of(run.version).questions(rows_of(run, keep=keep))
    return [question for question in questions if taken is None or question["id"] in taken]


def _run_deterministic(run: Run, total: int, watch: Watch) -> None:
    """Answer all rows from the start. Resuming is not needed: this takes seconds and gives the same answers."""
    engine = run.version.suite
    system = engine.systems()[run.executor].build()
    tell: Callable[[], dict[str, object]] = getattr(system, "provenance", dict)
    run.provenance |= tell()
    watch.doing(ANSWERING)
    started, tokens, queries = time.perf_counter(), 0, 0
    taken = taken_by_limit(run)
    with open(path_of(run), "wb") as out:
        for done, row in enumerate(rows_of(run), 1):
            watch.check()
            predicted = system.predict(row)
            predictions = predicted if isinstance(predicted, list) else [predicted]
            built = [line for line in predictions if is_artifact(line)]
            predictions = [line for line in predictions if not is_artifact(line)]
            if taken is not None:
                predictions = [line for line in predictions if engine.row_id(line) in taken]
            out.writelines(jsonl.dumps(line) + b"\n" for line in [*built, *predictions])
            queries += len(predictions)
            tokens += _tokens(system, row, predictions, engine.row_previews(row))
            watch.progress(done, total, done / (time.perf_counter() - started))
    seconds = time.perf_counter() - started
    run.efficiency = {"tokens_per_query": tokens / queries, "wall_s_per_query": seconds / queries}


def _tokens(
    system: Any, row: Row, predictions: Sequence[Mapping[str, Any]], readings: list[RowPreview]
) -> int:
    """Number of tokens that the system used for a row; if the answers do not state it, the number of words read."""
    if all("tokens_used" in prediction for prediction in predictions):
        return sum(prediction["tokens_used"] for prediction in predictions)
    reads = getattr(system, "reads", None)
    if reads and (words := reads(row)) is not None:
        return int(words)
    return sum(_words(text) for reading in readings for _, text in reading.parts)


@remembered(256)  # rows of an episode need not follow each other
def _words(text: str) -> int:
    return len(text.split())


def _run_adapter(run: Run, rows: list[Row], watch: Watch) -> None:
    summary, usage = _generate(run, rows, watch)
    asked = summary.asked + summary.skipped
    run.efficiency = runner.efficiency(usage, asked)
    run.provenance = provenance.with_adapter(run.provenance, summary.provenance)
    run.progress_done, run.row_states = asked, dict(summary.states)
    if summary.paused:
        why = [summary.pause_reason, row_states.sentence(summary.states), *row_states.advice(summary.states)]
        raise Paused("\n".join(line for line in why if line))
    if summary.cancelled:
        raise Cancelled


def _goes_on_as_it_began(run: Run) -> None:
    """Let a resumed run keep its original prompt if it started before prompt sets existed."""
    begun = begun_by(path_of(run))
    if not begun or "prompt" in begun or "prompt" in run.settings:
        return
    known = {setting.name for setting in catalogue.executors_for(run.version)[run.executor].settings}
    if "prompt" in known:
        legacy = {name: value for name, value in LEGACY.items() if name in known}
        run.settings = legacy | run.settings
        run.save(update_fields=["settings"])


def _generate(run: Run, rows: list[Row], watch: Watch) -> tuple[runner.RunSummary, Any]:
    _goes_on_as_it_began(run)
    watch.doing("Loading the model")
    adapter = load(run)
    watch.doing(ANSWERING)
    if callable(tell := getattr(adapter, "tell_reading", None)):
        tell(watch.reading)
    close: Callable[[], None] = getattr(adapter, "close", lambda: None)
    try:
        kind = catalogue.kind_of(run.version)
        identity = {"run": str(run.pk), **part_of_identity(runner.provenance(adapter)), **_rows_identity(run)}
        keep, kept = run.go_on, Keep(settings.TRANSCRIPTS)
        with RunFiles(
            path_of(run), identity, resume=True, keep_unanswered=keep, kind=kind, keep=kept
        ) as files:
            states, spent = Counter(files.states), files.usage.cost

            def save(result: runner.RowResult) -> None:
                nonlocal spent
                watch.lease.check()
                files.save(result)
                states[result.state.value] += 1
                spent += result.usage.cost
                watch.progress(result.done, result.total, result.rate, states, spent)
                watch.copy.save()

            def save_artifact(episode_id: str, artifact: str) -> None:
                watch.lease.check()
                files.save_artifact(episode_id, artifact)

            summary = runner.run(
                rows,
                adapter,
                protocol=protocol_of(run),
                kind=kind,
                on_row=save,
                on_artifact=save_artifact,
                artifacts=files.artifacts,
                should_stop=watch.should_stop,
                done_ids=files.done_ids,
                done_states=files.states,
                may_pause=not run.go_on,
                record=kept is not Keep.OFF,
            )
            summary.provenance = files.over_all_attempts(summary.provenance)
            run.provenance |= {"asked_again": files.asked_again} if files.asked_again else {}
            return summary, summary.usage + files.usage
    finally:
        close()


def _rows_identity(run: Run) -> Mapping[str, str]:
    """Fields that record how a row limit chose the rows; empty without a limit or for runs of earlier releases."""
    limited = run.row_limit is not None and not row_limit.began_with_first(begun_by(path_of(run)))
    return row_limit.IDENTITY if limited else {}


def load(run: Run) -> Any:
    """Load the run's adapter with its model, after verifying the files."""
    executor = catalogue.executors_for(run.version)[run.executor]
    for file in catalogue.files_of(executor, run.settings, run.model_file):
        model_files.path_of(file)
    values = catalogue.with_files(executor, run.settings, run.model_file)
    # No environment: variables of the worker must not change what is tested.
    return load_adapter(executor.label, values, {executor.label: executor.factory}, environment={})


def protocol_of(run: Run) -> str:
    """`open_book` or `closed_book`. Protocol `build` is closed: the system gets only the artifact that it built."""
    return "open_book" if run.version.settings.get("protocol") in ("open", "open_book") else "closed_book"
