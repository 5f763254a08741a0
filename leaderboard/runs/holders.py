"""Tracks which worker has which model files: workers report them, and take only jobs whose files they have.

A message may wake any worker of a queue. A worker that lacks a file leaves the row unchanged, which costs no
attempt. An idle worker that has the files of a waiting row wakes itself through its own queue. So a job starts
within seconds once a worker with its files is free, regardless of which worker got the message.
"""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.core.cache import caches
from django.db import Error as DatabaseTrouble
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from evaluation.adapters.llama import model_file as gguf_file
from evaluation.core.errors import BenchmarkError
from leaderboard.jobs import dispatch, forks, leases
from leaderboard.jobs.models import Job
from leaderboard.jobs.querysets import JobQuerySet
from leaderboard.runs import model_files
from leaderboard.runs.model_job import SILENT
from leaderboard.runs.models import ModelFile, ModelHolder

log = logging.getLogger(__name__)
#: Kind of job -> function that returns the registered files that a row needs.
Needs = Mapping[type[Job], Callable[[Any], Sequence[ModelFile]]]
EVERY_S = 2  # interval between looks at the folder and the queue
#: Interval at which a worker repeats its report.
SAY_EVERY_S = 20
#: If a worker has not taken the row after this time, it wakes itself again: the message may be lost.
WAKE_EVERY_S = 30
BATCH = 100  # waiting rows of a kind per look, oldest first
REMEMBER_SECONDS = 30 * 24 * 3600


def missing_here(files: Iterable[ModelFile]) -> list[ModelFile]:
    """The files that this machine lacks or has with different content."""
    return [file for file in files if not is_here(file)]


def is_here(model: ModelFile) -> bool:
    """True if this machine has the file with its registered content. The file is hashed again only if it changes."""
    try:
        path = model_files.resolve(model.path)
        if gguf_file.size_of(path) != model.size:
            return False
        states = [shard.stat() for shard in gguf_file.shards_of(path)]
        known = tuple((s.st_dev, s.st_ino, s.st_size, s.st_mtime_ns, s.st_ctime_ns) for s in states)
        return _sha256(path, known) == model.sha256
    except (model_files.ModelFileError, BenchmarkError, OSError):
        return False


@lru_cache(maxsize=1000)
def _sha256(path: Path, states: tuple[tuple[int, ...], ...]) -> str:
    """SHA-256 of a model file, cached across restarts because hashing gigabytes takes a while."""
    told = hashlib.sha256(repr((leases.HOST, str(path), states)).encode()).hexdigest()
    key, kept = f"model-sha256:{told}", caches["results"]
    try:
        known: str | None = kept.get(key)
        if known is None:
            kept.set(key, known := gguf_file.sha256(path), REMEMBER_SECONDS)
        return known
    except (OSError, BenchmarkError):
        raise
    except Exception as error:
        log.warning("the cache is unreachable (%s): %s is hashed again", error, path.name)
        return gguf_file.sha256(path)


def reason(files: Collection[ModelFile]) -> str:
    """Message that a job with these files waits because no worker has all of them. Empty if a worker has all."""
    held = _held(files)
    if not files or any(len(own) == len(set(files)) for _, own in held.values()):
        return ""
    anywhere = {pk for _, own in held.values() for pk in own}
    lacking = [file for file in files if file.pk not in anywhere] or files
    names = " and ".join(f"{file.path} (SHA-256 {file.sha256[:12]}…)" for file in lacking)
    where = "all of them" if len(lacking) > 1 else "it"
    return (
        f"No worker has {names}. Put {where} into the MODELS_DIR of a worker; the job then starts automatically. "
        "The content must be the same, not only the name."
    )


def is_for_another(task: str, plan: dict[str, object], files: Collection[ModelFile]) -> bool:
    """If files are missing here, queue the task for another worker that has all of them. Returns True if queued."""
    if not missing_here(files):
        return False
    for worker, (queue, own) in _held(files).items():
        if worker != leases.HOLDER and len(own) == len(set(files)):
            dispatch.enqueue(task, plan, queue=queue)
            return True
    return False


def _held(files: Collection[ModelFile]) -> dict[str, tuple[str, set[int]]]:
    said = ModelHolder.objects.filter(model_file__in=files, seen_at__gte=Now() - SILENT)
    held: dict[str, tuple[str, set[int]]] = {}
    for worker, queue, pk in said.values_list("worker", "queue", "model_file"):
        held.setdefault(worker, (queue, set()))[1].add(pk)
    return held


class Holder:
    """Reports a worker's model files, and wakes the worker for jobs that it can do.

    `queue` is the worker's own queue; `serves` are the shared queues from which it takes jobs.
    """

    def __init__(self, needs: Needs, *, queue: str, serves: Collection[str], concurrency: int) -> None:
        self._needs, self._queue, self._serves, self._concurrency = needs, queue, serves, concurrency
        self._said: set[int] = set()  # files of the last report
        self._say_again = 0.0
        self._woken: dict[Any, float] = {}  # row -> when its message was sent
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="model files", daemon=True)

    def start(self) -> None:
        """Call `look` repeatedly in a thread, as jobs may occupy the worker's processes for hours."""
        if self._thread.ident is None:
            self._thread.start()

    def stop(self) -> None:
        """Withdraw the report and stop calling `look`."""
        self._ended.set()

    def look(self) -> None:
        """Report the files. Wake this worker if it is idle and a waiting row needs only files that it has."""
        with forks.between_forks():
            known = list(ModelFile.objects.all())
        here = {model.pk for model in known if is_here(model)}  # hashing may take minutes at first
        with forks.between_forks():
            self._say(here)
            row = self._next(here) if here and self._at_work() < self._concurrency else None
        if row is not None:
            self._woken[row.pk] = time.monotonic()
            dispatch.enqueue(row.task, row.pk if isinstance(row.pk, int) else str(row.pk), queue=self._queue)

    def _keep(self) -> None:
        while not self._ended.wait(EVERY_S):
            try:
                self.look()
            except DatabaseTrouble as error:  # temporary
                log.warning("this worker could not report its model files: %s", error)
            except Exception:
                log.exception("reporting the model files of this worker failed")
        with suppress(DatabaseTrouble), forks.between_forks():
            ModelHolder.objects.filter(worker=leases.HOLDER).delete()

    def _say(self, here: set[int]) -> None:
        now = time.monotonic()
        if self._said == here and now < self._say_again:
            return
        ModelHolder.objects.filter(worker=leases.HOLDER).exclude(model_file__in=here).delete()
        ModelHolder.objects.filter(seen_at__lt=Now() - 10 * SILENT).delete()  # of workers that are gone
        for pk in here:
            told = {"queue": self._queue, "seen_at": Now()}
            ModelHolder.objects.update_or_create(worker=leases.HOLDER, model_file_id=pk, defaults=told)
        self._said, self._say_again = here, now + SAY_EVERY_S

    def _at_work(self) -> int:
        ours: Iterable[Any] = (
            JobQuerySet(kind).at_work().filter(lease_holder=leases.HOLDER) for kind in self._needs
        )
        return sum(rows.count() for rows in ours)

    def _next(self, here: Collection[int]) -> Any:
        """The oldest waiting row whose files are here and for which this worker was not woken lately."""
        now = time.monotonic()
        self._woken = {pk: sent for pk, sent in self._woken.items() if now - sent < WAKE_EVERY_S}
        for row in self._waiting(here):
            files = self._needs[type(row)](row)
            if row.pk not in self._woken and files and {file.pk for file in files} <= set(here):
                return row
        return None

    def _waiting(self, here: Collection[int]) -> list[Any]:
        """The oldest waiting jobs that need no model file, or one that is here; they may need further files."""
        fits = Q(model_file__in=here) | Q(model_file=None)
        queues = (
            (kind, queue) for kind in self._needs for queue in kind.queues() if queue.name in self._serves
        )
        rows: list[Any] = []
        for kind, queue in queues:
            waiting: QuerySet[Any] = (
                JobQuerySet(kind).waiting().filter(queue.rows, fits).select_related("model_file")
            )
            rows += waiting.order_by("created_at")[:BATCH]
        return sorted(rows, key=lambda row: row.created_at)
