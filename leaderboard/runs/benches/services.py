"""Starts and executes benches (see `runs.life`): the engine measures in a folder, and can resume there."""

from __future__ import annotations

import shutil
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.db import transaction

from evaluation.adapters.run_files import JOURNAL_SUFFIX
from evaluation.core.errors import BenchmarkError
from evaluation.core.pages.document import document_as_json
from evaluation.core.suite.benches import Benches, BenchHooks, BenchProgress, BenchResult
from evaluation.core.terminal.wording import number_of
from leaderboard.benchmarks import storage
from leaderboard.jobs import leases, locks
from leaderboard.runs import copies, life, model_files
from leaderboard.runs.benches import orders
from leaderboard.runs.benches.models import Bench
from leaderboard.runs.catalogue import SettingValue
from leaderboard.runs.life import Body, Ending
from leaderboard.runs.model_job import JobError, JobStatus
from leaderboard.runs.models import ModelFile
from leaderboard.runs.watch import Cancelled, Watch

cancel, resume = life.cancel, life.resume
ARCHIVE = ".zip"
_SPOOLED = 8 << 20  # bytes of an archive in memory


@transaction.atomic
def start(
    *,
    suite: str,
    executor: str,
    size: str,
    started_by: Any,
    model_file: ModelFile | None = None,
    values: Mapping[str, SettingValue] | None = None,
    seeds: int = 0,
    parts: list[str] | None = None,
    thresholds: dict[str, float] | None = None,
) -> Bench:
    """Queue a bench.

    If `seeds` is 0, `size` sets the number of seeds. Without `parts`, the bench has all parts that the system answers.
    Raises `JobError` if the choices do not fit together, `SettingsError` with all invalid settings.
    """
    bench = Bench(
        suite_name=suite,
        executor=executor,
        size=size,
        started_by=started_by,
        model_file=model_file,
        settings=values or {},
        seeds=seeds,
        parts=parts or [],
        thresholds=thresholds or {},
    )
    plan = orders.checked(bench)
    bench.plan = [list(part) for part in plan]
    bench.progress_total = sum(part.cells for part in plan)
    bench.save()
    life.record(bench, "Queued", actor=started_by)
    life.enqueue(bench)
    return bench


def execute(bench_id: str) -> bool:
    """Execute a bench. Safe to repeat, also after a kill. True if this call finished the bench."""
    return life.execute(BODY, bench_id) is not None


def _work(bench: Bench, watch: BenchWatch) -> Ending:
    result = answer(bench, watch)
    watch.lease.check()  # a lost lease also stops the work, but is not a cancellation
    ending = _ending(result)
    finished = ending.status == JobStatus.FINISHED
    measured: dict[str, object] = {
        "report": document_as_json(result.report),
        "bars": list(result.bars),
        "files_sha256": kept_files(bench) if finished else "",
    }
    return replace(ending, changes=measured)


def _ending(result: BenchResult) -> Ending:
    if result.paused:
        return life.paused(result.pause_reason or "Too many rows have no answer.")
    if not result.finished:
        return life.CANCELLED
    missed = sum(bar["reached"] is False for bar in result.bars)
    return Ending(
        JobStatus.FINISHED, f"Finished; {number_of(missed, 'bar')} missed" if missed else "Finished"
    )


class BenchWatch(Watch):
    """Writes the progress of a bench, and tells the engine when to stop."""

    def __init__(self, bench: Bench, lease: leases.Lease, copy: copies.Copy) -> None:
        super().__init__(bench, lease, copy)
        self._bench = bench
        self._started = time.monotonic()

    def report(self, progress: BenchProgress) -> None:
        """Write the progress, and reset `attempts`, because there is progress. Raises leases.LostError."""
        self.lease.check()
        done, total = (sum(counts) for counts in zip(*progress.cells.values(), strict=True))
        self._bench.progress_done = done
        self._bench.cells = {name: counts[0] for name, counts in progress.cells.items()}
        seconds = time.monotonic() - self._started
        rate = progress.answered / seconds if progress.answered and seconds > 0 else None
        at_hand = {"cell": progress.cell, "row": progress.row, "rows": progress.rows} if progress.cell else {}
        self.lease.tell(
            done,
            total,
            force=done == total,
            cells=self._bench.cells,
            at_hand=at_hand,
            rate=rate,
            attempts=1,
            faults=0,
        )
        self.copy.save()


def answer(bench: Bench, watch: BenchWatch) -> BenchResult:
    """Run the measurements (cells) that are not finished. If the bench stops or pauses, the result is partial.

    Raises:
        Cancelled: Before the first measurement, the bench was stopped, or another worker took it over.
        BenchmarkError: The bench cannot be run.
        model_files.ModelFileError: A file differs from the registered one.
    """
    benches = orders.benches_named(bench.suite_name)
    executor = orders.executor_named(bench.suite_name, bench.executor)
    hooks = BenchHooks(watch.report, watch.should_stop)
    try:
        with _turn_of(bench, give_up=watch.should_stop):
            watch.check()  # after a long wait another worker may own these files
            watch.copy.fetch()
            for file in orders.files_of(bench, executor):
                model_files.path_of(file)
            order = orders.order_of(bench, executor)
            return benches.run(
                order, folder_of(bench), hooks, go_on=bench.go_on, transcripts=settings.TRANSCRIPTS
            )
    except locks.LockGivenUp:
        raise Cancelled from None


def _turn_of(bench: Bench, *, give_up: Callable[[], bool]) -> AbstractContextManager[None]:
    """Lock the bench's model on this machine. Other models may run meanwhile if a model server computes."""
    held = bench.model_file.sha256 if bench.model_file else str(bench.pk)
    return locks.model_lock(held, give_up=give_up, alone=not bench.asks_server)


def files_of(bench: Bench) -> list[ModelFile]:
    """The registered model files of a bench; empty if any of them is missing."""
    with suppress(BenchmarkError, JobError):
        return orders.files_of(bench, orders.executor_named(bench.suite_name, bench.executor))
    return []


def folder_of(bench: Bench) -> Path:
    return Path(settings.DATA_DIR) / "benches" / str(bench.pk)


def copy_of(bench: Bench, lease: leases.Lease) -> copies.Copy:
    """Copy of a bench's folder in the artifact store, without rows, which the settings can generate again."""
    folder = folder_of(bench)

    def files() -> Iterator[Path]:
        yield from orders.benches_named(bench.suite_name).files(folder)
        yield from folder.rglob(f"*{JOURNAL_SUFFIX}")

    return copies.Copy(bench, lease, folder.parent, files)


def kept_files(bench: Bench) -> str:
    """Store an archive of the bench's files and return its SHA-256. Raises storage.DamagedFileError or OSError."""
    with tempfile.SpooledTemporaryFile(_SPOOLED) as archive:
        _pack(folder_of(bench), orders.benches_named(bench.suite_name), archive)
        return storage.keep_bytes(archive, ARCHIVE)


def _pack(folder: Path, benches: Benches, archive: IO[bytes]) -> None:
    """Zip the files with a constant date, so that equal files give equal archives."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as packed:
        for path in benches.files(folder):
            name = zipfile.ZipInfo(path.relative_to(folder).as_posix())
            name.compress_type = zipfile.ZIP_DEFLATED
            with path.open("rb") as source, packed.open(name, "w") as target:
                shutil.copyfileobj(source, target, 1 << 20)


def remove_folder(bench: Bench) -> None:
    shutil.rmtree(folder_of(bench), ignore_errors=True)


def _watch(bench: Bench, lease: leases.Lease) -> BenchWatch:
    return BenchWatch(bench, lease, copy_of(bench, lease))


BODY = Body(
    kind=Bench,
    joins=("model_file",),
    files_of=files_of,
    watch=_watch,
    work=_work,
    made=lambda bench: {"progress_done": bench.progress_done, "cells": bench.cells},
    forget=remove_folder,
)
