"""The work of a bench: the engine runs its cells into a folder, of which the rest is run where it broke off."""

from __future__ import annotations

import shutil
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import IO

from django.conf import settings

from evaluation.adapters.run_files import JOURNAL_SUFFIX
from evaluation.core.errors import BenchmarkError
from evaluation.core.suite.benches import Benches, BenchHooks, BenchProgress, BenchResult
from leaderboard.benchmarks import storage
from leaderboard.grids import orders
from leaderboard.grids.models import Bench
from leaderboard.jobs import leases, locks
from leaderboard.runs import copies, model_files
from leaderboard.runs.execution import Cancelled, Watch
from leaderboard.runs.models import ModelFile

ARCHIVE = ".zip"
_SPOOLED = 8 << 20  # bytes of an archive in memory


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
    with suppress(BenchmarkError, orders.BenchError):
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
