"""The work of a run: answer the rows of its version, saving each before the next is made."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, cast

from django.conf import settings
from django.db import Error as DatabaseTrouble

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
from leaderboard.jobs.models import Job
from leaderboard.runs import catalogue, copies, model_files, provenance
from leaderboard.runs.catalogue import ADAPTER_PREFIX
from leaderboard.runs.models import ModelFile, Run

#: Called after each row with (rows done, rows in all, rows per second).
OnProgress = Callable[[int, int, float], None]


class Cancelled(Exception):
    """Somebody asked the run to stop, or works on it now instead of us."""


class Paused(Exception):
    """Too many rows hold no answer, or no further one can be had; the text says which, and what may help."""


class Watch:
    """Progress out, the wish to stop in: either at most twice a second."""

    EVERY_S = 0.5

    def __init__(
        self,
        run: Job,
        lease: leases.Lease,
        copy: copies.Copy,
        on_progress: OnProgress | None = None,
        stop: threading.Event | None = None,
    ) -> None:
        self.copy = copy
        rows: Any = type(run)._default_manager  # a kind of job that can be cancelled
        self._wish = rows.filter(pk=run.pk, cancel_requested=True)
        self.lease, self._on_progress, self._stop = lease, on_progress, stop or threading.Event()
        self._next_look = 0.0

    def progress(
        self,
        done: int,
        total: int,
        rate: float,
        states: Mapping[str, int] | None = None,
        cost: float = 0.0,
    ) -> None:
        """Report how far it is. A run that gets on is no crash loop: its attempts count from one again.

        Args:
            done: Rows done.
            total: Rows in all.
            rate: Rows per second.
            states: State of a row (`RowState`) -> how many of the rows done are in it; None where that is not counted.
            cost: What the rows done have cost, where that is known.
        """
        if self._on_progress:
            self._on_progress(done, total, rate)
        counted: dict[str, object] = {"row_states": dict(states)} if states else {}
        counted |= {"efficiency": {"cost": cost}} if cost else {}
        self.lease.tell(done, total, at_once=done == total, rate=rate, attempts=1, faults=0, **counted)

    def should_stop(self) -> bool:
        """Whether to stop now. Called from inside llama.cpp, where an exception would be lost."""
        if (now := time.monotonic()) >= self._next_look:
            self._next_look = now + self.EVERY_S
            self._look()
        return self.lease.lost or self._stop.is_set()

    def check(self) -> None:
        """Raises Cancelled."""
        if self.should_stop():
            raise Cancelled

    def _look(self) -> None:
        with suppress(DatabaseTrouble):  # busy for a moment: it is asked again in half a second
            if self._wish.exists():
                self._stop.set()


def answer(run: Run, watch: Watch) -> Path:
    """Answer every row that is not answered yet. Fills in the run's provenance and efficiency.

    Args:
        run: The run.
        watch: Is told of the progress, and says when to stop.

    Returns:
        The predictions file.

    Raises:
        Cancelled: Somebody asked the run to stop, or works on it now.
        Paused: Too many rows hold no answer.
    """
    watch.check()
    watch.copy.fetch()
    is_adapter = run.executor.startswith(ADAPTER_PREFIX)
    questions = questions_of(run) if is_adapter else []
    total = len(questions) if is_adapter else sum(1 for _ in rows_of(run))
    watch.lease.update(progress_total=total)
    run.provenance = provenance.run_provenance(run) | {"attempts": run.attempts}
    try:
        with turn_of(run, str(run.pk), give_up=watch.should_stop):
            watch.check()  # who waited too long for its turn must not touch the files of another
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
    """The turn of a run: alone with its model on this machine, or beside others where a server computes.

    Args:
        run: The run.
        name: What is locked where it has no model file.
        give_up: Asked while waiting; True ends that.

    Raises:
        locks.LockGivenUp: On entering: the waiting was called off.
    """
    held = run.model_file.sha256 if run.model_file else name
    return locks.model_lock(held, give_up=give_up, alone=not run.asks_server)


def files_of(run: Run) -> list[ModelFile]:
    """The registered files that a run reads; none where it names one that is gone, which its attempt says.

    Args:
        run: The run.
    """
    known = catalogue.executors_for(run.version) if run.executor.startswith(ADAPTER_PREFIX) else {}
    with suppress(SettingsError):
        if executor := known.get(run.executor):
            return catalogue.files_of(executor, run.settings, run.model_file)
    return []


def path_of(run: Run) -> Path:
    """Where a run saves its predictions while it goes on."""
    folder = Path(settings.DATA_DIR) / "runs"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{run.pk}.jsonl"


def copy_of(run: Run, lease: leases.Lease) -> copies.Copy:
    """The copy in the artifact store of the files that a run saves.

    Args:
        run: As it was claimed.
        lease: Of this worker.
    """
    folder = path_of(run).parent
    return copies.Copy(run, lease, folder, lambda: folder.glob(f"{run.pk}.*"))


def packed_transcripts(run: Run) -> Path | None:
    """What a run that is answered exchanged with its model, compressed; None where it asked none."""
    return TranscriptFile(path_of(run)).pack()


def remove_files(run: Run) -> None:
    """Forget what a finished run saved on its way; the submission has it all."""
    for path in path_of(run).parent.glob(f"{run.pk}.*"):
        path.unlink(missing_ok=True)


def rows_of(run: Run, *, keep: int | None = RECENT) -> Iterator[Row]:
    """The public rows of the splits asked for: a run sees what a submitter sees.

    Where a limit is set, the rows with a question that it takes.

    Args:
        run: The run.
        keep: How many texts that rows share stay in memory; None for who holds all rows.
    """
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
    """The public rows of the splits asked for, each with the ids of its questions."""
    requested, splits = set(conditions), expected_ids.expected_rows(version).splits
    for row in reading.rows_of(version, keep=keep):
        cast(dict[str, object], row).pop("gold", None)
        asked = list(version.suite.expected([row]).splits)  # the ids; rows need not say their splits
        if not requested or not requested.isdisjoint(splits[row_id] for row_id in asked):
            yield row, asked


def taken_by_limit(run: Run) -> frozenset[str] | None:
    """The ids of the questions that a run's limit takes; None where it has none.

    A run that was begun when a limit took the first rows goes on with these.
    """
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
    """What an adapter is asked: the questions of the rows that the run's limit takes."""
    taken = taken_by_limit(run)
    keep = None if taken is None else RECENT  # a part of the rows need not hold the texts of all
    questions = catalogue.kind_of(run.version).questions(rows_of(run, keep=keep))
    return [question for question in questions if taken is None or question["id"] in taken]


def _run_deterministic(run: Run, total: int, watch: Watch) -> None:
    """These take seconds and give the same every time, so an interrupted run starts over.

    Row by row: of the texts few are in memory.
    """
    engine = run.version.suite
    system = engine.systems()[run.executor].build()
    tell: Callable[[], dict[str, object]] = getattr(system, "provenance", dict)
    run.provenance |= tell()
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
    """What the answers say they took, else what the system says it reads, else the words of all that was shown."""
    if all("tokens_used" in prediction for prediction in predictions):
        return sum(prediction["tokens_used"] for prediction in predictions)
    reads = getattr(system, "reads", None)
    if reads and (words := reads(row)) is not None:
        return int(words)
    return sum(_words(text) for reading in readings for _, text in reading.parts)


@remembered(256)  # rows of an episode need not follow each other
def _words(text: str) -> int:
    """Whitespace-separated words: the token of a system without a tokenizer."""
    return len(text.split())


def _run_adapter(run: Run, rows: list[Row], watch: Watch) -> None:
    """Row by row with a journal; what an earlier attempt saved is not answered again."""
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
    """Have a run that was begun before there were prompt sets go on with the prompt that it was begun with."""
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
    adapter = load(run)
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
            summary.provenance = files.of_all_attempts(summary.provenance)
            run.provenance |= {"asked_again": files.asked_again} if files.asked_again else {}
            return summary, summary.usage + files.usage
    finally:
        close()


def _rows_identity(run: Run) -> Mapping[str, str]:
    """What the journal says of the rows of a limited run."""
    limited = run.row_limit is not None and not row_limit.began_with_first(begun_by(path_of(run)))
    return row_limit.IDENTITY if limited else {}


def load(run: Run) -> Any:
    """The run's adapter with its model in memory, after a look that its files are still those registered."""
    executor = catalogue.executors_for(run.version)[run.executor]
    for file in catalogue.files_of(executor, run.settings, run.model_file):
        model_files.path_of(file)
    values = catalogue.with_files(executor, run.settings, run.model_file)
    # The settings of a run are its own: a variable of the worker's environment must not change what was tested.
    return load_adapter(executor.label, values, {executor.label: executor.factory}, environment={})


def protocol_of(run: Run) -> str:
    """Whether the version shows the log or the book (under `build` the one that the system built)."""
    return "open_book" if run.version.settings.get("protocol") in ("open", "open_book") else "closed_book"
