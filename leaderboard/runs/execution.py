"""The work of a run: answer the rows of its version, saving each before the next is made."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import Error as DatabaseTrouble

from evaluation.adapters import load_adapter, runner
from evaluation.adapters.run_files import RunFiles
from evaluation.core import jsonl, row_states
from evaluation.core.suite import RowPreview
from leaderboard.benchmarks import expected_ids, storage
from leaderboard.jobs import leases, locks
from leaderboard.runs import catalogue, model_files, provenance
from leaderboard.runs.catalogue import ADAPTER_PREFIX
from leaderboard.runs.models import Run

#: Called after each row with (rows done, rows in all, rows per second).
OnProgress = Callable[[int, int, float], None]


class Cancelled(Exception):
    """Somebody asked the run to stop, or works on it now instead of us."""


class Paused(Exception):
    """Too many rows hold no answer; the text says which, and what may help."""


class Watch:
    """Progress out, the wish to stop in: either at most twice a second."""

    EVERY_S = 0.5

    def __init__(
        self,
        run: Run,
        lease: leases.Lease,
        on_progress: OnProgress | None = None,
        stop: threading.Event | None = None,
    ) -> None:
        self._wish = Run.objects.filter(pk=run.pk, cancel_requested=True)
        self.lease, self._on_progress, self._stop = lease, on_progress, stop or threading.Event()
        self._next_look = 0.0

    def progress(self, done: int, total: int, rate: float, states: Mapping[str, int] | None = None) -> None:
        """Report how far it is. A run that gets on is no crash loop: its attempts count from one again."""
        if self._on_progress:
            self._on_progress(done, total, rate)
        counted = {"row_states": dict(states)} if states else {}
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
    """Answer every row that is not answered yet; the predictions file. Fills in provenance and efficiency."""
    watch.check()
    is_adapter = run.executor.startswith(ADAPTER_PREFIX)
    rows = questions_of(run) if is_adapter else list(rows_of(run))
    watch.lease.update(progress_total=len(rows))
    run.provenance = provenance.run_provenance(run) | {"attempts": run.attempts}
    work = _run_adapter if is_adapter else _run_deterministic
    try:
        with locks.model_lock(
            run.model_file.sha256 if run.model_file else str(run.pk), give_up=watch.should_stop
        ):
            watch.check()  # who waited too long for its turn must not touch the files of another
            started = time.perf_counter()
            work(run, rows, watch)
    except locks.LockGivenUp:
        raise Cancelled from None
    run.provenance["seconds"] = round(time.perf_counter() - started, 3)
    return path_of(run)


def path_of(run: Run) -> Path:
    """Where a run saves its predictions while it goes on."""
    folder = Path(settings.DATA_DIR) / "runs"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{run.pk}.jsonl"


def remove_files(run: Run) -> None:
    """Forget what a finished run saved on its way; the submission has it all."""
    for path in path_of(run).parent.glob(f"{run.pk}.*"):
        path.unlink(missing_ok=True)


def rows_of(run: Run) -> Iterator[dict[str, Any]]:
    """The public rows of the conditions asked for: a run sees what a submitter sees.

    Where a limit is set, the rows that together ask at least so many questions.
    """
    wanted, left = set(run.conditions), run.row_limit
    engine, conditions = run.version.suite, expected_ids.expected_rows(run.version).conditions
    for row in storage.rows(run.version.rows_sha256):
        row.pop("gold", None)
        asked = engine.expected([row]).conditions  # the ids; rows need not say their conditions
        if wanted and wanted.isdisjoint(conditions[row_id] for row_id in asked):
            continue
        yield row
        if left is not None and (left := left - len(asked)) <= 0:
            return


def questions_of(run: Run) -> list[dict[str, Any]]:
    """What an adapter is asked: the questions of the rows, at most as many as the run's limit."""
    questions = catalogue.kind_of(run.version).questions(rows_of(run))
    return list(islice(questions, run.row_limit))


def _run_deterministic(run: Run, rows: list[dict[str, Any]], watch: Watch) -> None:
    """These take seconds and give the same every time, so a broken run starts anew."""
    engine = run.version.suite
    system = engine.systems()[run.executor].build()
    tell: Callable[[], dict[str, Any]] = getattr(system, "provenance", dict)
    run.provenance |= tell()
    started, tokens, queries = time.perf_counter(), 0, 0
    with open(path_of(run), "wb") as out:
        for done, row in enumerate(rows, 1):
            watch.check()
            found = system.predict(row)
            predictions = found if isinstance(found, list) else [found]
            if run.row_limit:
                predictions = predictions[: run.row_limit - queries]
            out.writelines(jsonl.dumps(prediction) + b"\n" for prediction in predictions)
            queries += len(predictions)
            tokens += _tokens(system, row, predictions, engine.row_previews(row))
            watch.progress(done, len(rows), done / (time.perf_counter() - started))
    seconds = time.perf_counter() - started
    run.efficiency = {"tokens_per_query": tokens / queries, "wall_s_per_query": seconds / queries}


def _tokens(
    system: Any, row: dict[str, Any], predictions: list[dict[str, Any]], readings: list[RowPreview]
) -> int:
    """What the answers say they took, else what the system says it reads, else the words of all that was shown."""
    if all("tokens_used" in prediction for prediction in predictions):
        return sum(prediction["tokens_used"] for prediction in predictions)
    if reads := getattr(system, "reads", None):
        return int(reads(row))
    return sum(_words(text) for reading in readings for _, text in reading.parts)


@lru_cache(maxsize=256)  # rows of an episode need not follow each other
def _words(text: str) -> int:
    """Whitespace-separated words: the token of a system without a tokenizer."""
    return len(text.split())


def _run_adapter(run: Run, rows: list[dict[str, Any]], watch: Watch) -> None:
    """Row by row with a journal; what an earlier attempt saved is not answered again."""
    summary, usage = _generate(run, rows, watch)
    asked = summary.asked + summary.skipped
    run.efficiency = runner.efficiency(usage, asked)
    run.provenance = provenance.with_adapter(run.provenance, summary.provenance)
    run.progress_done, run.row_states = asked, dict(summary.states)
    if summary.paused:
        raise Paused("\n".join([row_states.sentence(summary.states), *row_states.advice(summary.states)]))
    if summary.cancelled:
        raise Cancelled


def _generate(run: Run, rows: list[dict[str, Any]], watch: Watch) -> tuple[runner.RunSummary, Any]:
    adapter = load(run)
    close: Callable[[], None] = getattr(adapter, "close", lambda: None)
    try:
        kind = catalogue.kind_of(run.version)
        identity, keep = {"run": str(run.pk)}, run.go_on
        with RunFiles(path_of(run), identity, resume=True, keep_unanswered=keep, kind=kind) as files:
            states = Counter(files.states)

            def save(result: runner.RowResult) -> None:
                watch.lease.check()
                files.save(result)
                states[result.state.value] += 1
                watch.progress(result.done, result.total, result.rate, states)

            summary = runner.run(
                rows,
                adapter,
                protocol=protocol_of(run),
                kind=kind,
                on_row=save,
                should_stop=watch.should_stop,
                done_ids=files.done_ids,
                done_states=files.states,
                may_pause=not run.go_on,
            )
            run.provenance |= {"asked_again": files.asked_again} if files.asked_again else {}
            return summary, summary.usage + files.usage
    finally:
        close()


def load(run: Run) -> Any:
    """The run's adapter with its model in memory, after a look that the file is still the one registered."""
    if run.model_file:
        model_files.path_of(run.model_file)
    executor = catalogue.executors_for(run.version)[run.executor]
    values = catalogue.with_files(executor, run.settings, run.model_file)
    # The settings of a run are its own: a variable of the worker's environment must not change what was tested.
    return load_adapter(executor.label, values, {executor.label: executor.factory}, environment={})


def protocol_of(run: Run) -> str:
    """Whether the version shows the log or the book."""
    return "open_book" if run.version.settings.get("protocol") == "open_book" else "closed_book"
