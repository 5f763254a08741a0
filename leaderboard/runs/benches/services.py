"""A bench from its start to its report: the engine runs its cells into a folder, and goes on there where it broke off.

What becomes of a job meanwhile is `runs.life`'s.
"""

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
from leaderboard.runs.execution import Cancelled, Watch
from leaderboard.runs.life import Body, Ending
from leaderboard.runs.model_job import JobError, JobStatus
from leaderboard.runs.models import ModelFile

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

    Args:
        suite: The name of the suite whose measurements are made.
        executor: Name of what answers (`adapter:llama_cpp`).
        size: How much is asked, by the suite's name for it.
        started_by: The account that asks for it.
        model_file: For an executor that takes one.
        values: Name of the setting -> value, of those that differ from the default.
        seeds: Other than the size has; 0 for these.
        parts: Names of those to run; None for all that the system can be asked.
        thresholds: Name of a bar -> another threshold.

    Returns:
        The bench.

    Raises:
        JobError: Its parts do not go together.
        SettingsError: Names every bad setting.
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
    """Execute one bench. Safe to run twice and to be killed. True if it finished here."""
    return life.execute(BODY, bench_id) is not None


def _work(bench: Bench, watch: BenchWatch) -> Ending:
    """Run what is not done."""
    result = answer(bench, watch)
    watch.lease.check()  # who lost it is told to stop: that is nobody's wish
    ending = _ending(result)
    finished = ending.status == JobStatus.FINISHED
    measured: dict[str, object] = {
        "report": document_as_json(result.report),
        "bars": list(result.bars),
        "files_sha256": kept_files(bench) if finished else "",
    }
    return replace(ending, changes=measured)


def _ending(result: BenchResult) -> Ending:
    """What a result of the engine means for the bench."""
    if result.paused:
        return life.paused(result.pause_reason or "Too many rows hold no answer.")
    if not result.finished:
        return life.CANCELLED
    missed = sum(bar["reached"] is False for bar in result.bars)
    return Ending(
        JobStatus.FINISHED, f"Finished; {number_of(missed, 'bar')} missed" if missed else "Finished"
    )


class BenchWatch(Watch):
    """Progress by cells and rows out, the wish to stop in."""

    def __init__(self, bench: Bench, lease: leases.Lease, copy: copies.Copy) -> None:
        super().__init__(bench, lease, copy)
        self._bench = bench
        self._started = time.monotonic()

    def told(self, progress: BenchProgress) -> None:
        """Write how far it is, and keep it for the end. A bench that gets on is no crash loop: its attempts count
        from one again.

        Args:
            progress: As the engine counts it.

        Raises:
            leases.LostError: Another worker has the bench.
        """
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
            at_once=done == total,
            cells=self._bench.cells,
            at_hand=at_hand,
            rate=rate,
            attempts=1,
            faults=0,
        )
        self.copy.save()


def answer(bench: Bench, watch: BenchWatch) -> BenchResult:
    """Run every cell that is not done.

    Args:
        bench: The job.
        watch: Is told of the progress, and says when to stop.

    Returns:
        What came of it; a part of it where it was stopped or paused.

    Raises:
        Cancelled: Somebody asked it to stop before it was its turn, or another works on it now.
        BenchmarkError: It cannot be run.
        model_files.ModelFileError: A file is no longer the one that was registered.
    """
    benches = orders.benches_named(bench.suite_name)
    executor = orders.executor_named(bench.suite_name, bench.executor)
    hooks = BenchHooks(watch.told, watch.should_stop)
    try:
        with _turn_of(bench, give_up=watch.should_stop):
            watch.check()  # who waited too long for its turn must not touch the files of another
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
    """Alone with its model on this machine, or beside others where a server computes."""
    held = bench.model_file.sha256 if bench.model_file else str(bench.pk)
    return locks.model_lock(held, give_up=give_up, alone=not bench.asks_server)


def files_of(bench: Bench) -> list[ModelFile]:
    """The registered files that a bench reads; none where it names one that is gone, which its attempt says.

    Args:
        bench: The job.
    """
    with suppress(BenchmarkError, JobError):
        return orders.files_of(bench, orders.executor_named(bench.suite_name, bench.executor))
    return []


def folder_of(bench: Bench) -> Path:
    """Where a bench lies until it is done."""
    return Path(settings.DATA_DIR) / "benches" / str(bench.pk)


def copy_of(bench: Bench, lease: leases.Lease) -> copies.Copy:
    """The copy in the artifact store of the folder of a bench, without the rows, which the settings make again.

    Args:
        bench: As it was claimed.
        lease: Of this worker.
    """
    folder = folder_of(bench)

    def files() -> Iterator[Path]:
        yield from orders.benches_named(bench.suite_name).files(folder)
        yield from folder.rglob(f"*{JOURNAL_SUFFIX}")

    return copies.Copy(bench, lease, folder.parent, files)


def kept_files(bench: Bench) -> str:
    """Store what is worth keeping of its folder. Returns the SHA-256 of the archive.

    Raises:
        storage.DamagedFileError: The storage keeps something else than it was given.
        OSError: The disk is full.
    """
    with tempfile.SpooledTemporaryFile(_SPOOLED) as archive:
        _pack(folder_of(bench), orders.benches_named(bench.suite_name), archive)
        return storage.keep_bytes(archive, ARCHIVE)


def _pack(folder: Path, benches: Benches, archive: IO[bytes]) -> None:
    """The files under their names in the folder, all with one date, so that the same files give the same archive."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as packed:
        for path in benches.files(folder):
            name = zipfile.ZipInfo(path.relative_to(folder).as_posix())
            name.compress_type = zipfile.ZIP_DEFLATED
            with path.open("rb") as source, packed.open(name, "w") as target:
                shutil.copyfileobj(source, target, 1 << 20)


def remove_folder(bench: Bench) -> None:
    """Forget what a finished bench saved on its way; its report and archive have it all."""
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
