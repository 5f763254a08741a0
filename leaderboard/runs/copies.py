"""Copies an unfinished job's files to the artifact store, so that another machine can resume at the last row.

The files are in the worker's `DATA_DIR` and mostly grow by whole lines. So a copy consists of parts, each with
the bytes that are new since the previous part. The job's row has the folder of its copy and the number of
parts, which only the holder of the lease can write; parts beyond that number are never read.

If the store itself is in `DATA_DIR`, all workers share that folder, and nothing is copied.
"""

from __future__ import annotations

import logging
import shutil
import tempfile
import time
import uuid
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from django.conf import settings
from django.core.files import File
from django.core.files.storage import FileSystemStorage, storages

from leaderboard.benchmarks import storage
from leaderboard.jobs import faults, leases
from leaderboard.runs.model_job import ModelJob

log = logging.getLogger(__name__)
#: Seconds before the next attempt after a failure of the store.
REFUSED_S = 300
#: After this many parts a new copy is started, so that few objects are read and deleted.
MOST_PARTS = 60
#: Suffixes of files that grow by whole lines or are replaced; other files are always copied whole.
GROWING = (".jsonl", ".journal")
#: Suffix of a local file with the name of the copy that has the same content as the local files.
MARK = ".copied"
_SPOOLED = 8 << 20  # bytes of a part in memory


def is_shared() -> bool:
    """True if the artifact store is a plain folder below `DATA_DIR`, which all workers then share."""
    store = storages["artifacts"]
    if not isinstance(store, FileSystemStorage):
        return False
    data, artifacts = Path(settings.DATA_DIR).resolve(), Path(store.location).resolve()
    artifacts.mkdir(parents=True, exist_ok=True)
    return artifacts.is_relative_to(data) and artifacts.stat().st_dev == data.stat().st_dev


class Copy:
    """The copy of a job's files; `folder` has the local files of all jobs of this kind."""

    def __init__(
        self, job: ModelJob, lease: leases.Lease, folder: Path, files: Callable[[], Iterator[Path]]
    ) -> None:
        self._job, self._lease, self._folder, self._list = job, lease, folder, files
        self._mark = folder / f"{job.pk}{MARK}"
        self._is_off = is_shared()
        self._copied: dict[str, tuple[int, int, int]] = {}  # name -> inode, size and time when it was copied
        self._begun = ""  # this attempt's folder in the store
        self._parts = 0
        self._next = time.monotonic() + settings.COPY_SECONDS

    def fetch(self) -> None:
        """Restore the files if another worker was the last to save. Raises OSError or storage.MissingFileError."""
        name, parts = self._job.files_copy.get("folder", ""), self._job.files_copy.get("parts", 0)
        if self._is_off or not parts or self._marked() == name:
            return
        self._mark.unlink(missing_ok=True)
        for path in self._files():
            path.unlink()
        for number in range(1, parts + 1):
            with storage.opened(self._name(name, number)) as part:
                self._unpack(part)
        self._set_mark(name)

    def save(self, *, force: bool = False) -> None:
        """Copy new bytes to the store, at most every `COPY_SECONDS` unless `force`.

        Temporary faults of the store are only logged. Raises leases.LostError.
        """
        if self._is_off or (time.monotonic() < self._next and not force):
            return
        try:
            self._save()
            self._next = time.monotonic() + settings.COPY_SECONDS
        except Exception as error:
            if isinstance(error, leases.LostError) or not faults.passing(error):
                raise
            leases.reconnect()
            log.warning("the files of %s were not copied: %s", self._job, error)
            self._next = time.monotonic() + REFUSED_S

    def forget(self) -> None:
        self._mark.unlink(missing_ok=True)
        _delete(self._job, self._job.files_copy)

    def _save(self) -> None:
        states = {path.relative_to(self._folder).as_posix(): _state(path) for path in self._files()}
        if states == self._copied:
            return
        if not self._begun or self._parts >= MOST_PARTS or self._copied.keys() - states.keys():
            self._begun, self._parts, self._copied = uuid.uuid4().hex, 0, {}
        with tempfile.SpooledTemporaryFile(_SPOOLED) as part:
            self._pack(part, states)
            storage.put(self._name(self._begun, self._parts + 1), File(part))
        former, now = self._job.files_copy, {"folder": self._begun, "parts": self._parts + 1}
        if not self._lease.update(files_copy=now):
            raise leases.LostError
        self._job.files_copy, self._copied = now, states
        self._parts += 1
        if former.get("folder") != self._begun:
            self._set_mark(self._begun)
            _delete(self._job, former)

    def _pack(self, part: IO[bytes], states: dict[str, tuple[int, int, int]]) -> None:
        """Write the new bytes as a zip, with members named `<offset>/<file>`."""
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=4) as packed:
            for name, (inode, size, changed) in states.items():
                before = self._copied.get(name, (0, 0, 0))
                if before == (inode, size, changed):
                    continue
                grown = name.endswith(GROWING) and before[0] == inode and before[1] <= size
                start = before[1] if grown else 0
                with (
                    (self._folder / name).open("rb") as source,
                    packed.open(f"{start}/{name}", "w") as target,
                ):
                    source.seek(start)
                    _copy(source, target, size - start)

    def _unpack(self, part: IO[bytes]) -> None:
        with zipfile.ZipFile(part) as packed:
            for member in packed.namelist():
                start, _, name = member.partition("/")
                path = self._folder / PurePosixPath(name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch()
                with packed.open(member) as source, path.open("rb+") as target:
                    target.truncate(int(start))
                    target.seek(int(start))
                    shutil.copyfileobj(source, target, 1 << 20)

    def _name(self, folder: str, number: int) -> str:
        return f"{_place(self._job)}/{folder}/{number}.zip"

    def _files(self) -> list[Path]:
        # Sorted: answers are copied before journal and transcripts, which may be ahead by a line but never
        # behind.
        return sorted(path for path in self._list() if path.is_file() and path != self._mark)

    def _marked(self) -> str:
        return self._mark.read_text() if self._mark.exists() else ""

    def _set_mark(self, name: str) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._mark.write_text(name)


def _place(job: ModelJob) -> str:
    return f"unfinished/{job._meta.model_name}/{job.pk}"


def _delete(job: ModelJob, copy: dict[str, int | str]) -> None:
    store = storages["artifacts"]
    for number in range(1, int(copy.get("parts", 0)) + 1):
        try:
            store.delete(f"{_place(job)}/{copy['folder']}/{number}.zip")
        except Exception as error:
            log.warning("a copy of the files of %s was not deleted: %s", job, error)
            return


def _state(path: Path) -> tuple[int, int, int]:
    status = path.stat()
    return status.st_ino, status.st_size, status.st_mtime_ns


def _copy(source: IO[bytes], target: IO[bytes], size: int) -> None:
    # Bounded: the file may grow meanwhile, and a partial line would be read as a whole one.
    while size > 0 and (chunk := source.read(min(size, 1 << 20))):
        target.write(chunk)
        size -= len(chunk)
