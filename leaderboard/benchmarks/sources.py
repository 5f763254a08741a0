"""Where the rows of a version come from: its suite makes them, or a file that a maintainer sent brings them.

Such a file waits as it was sent (`Version.upload`) and is read once, by the worker that freezes it. It is kept, by its
hash, only when every row of it can be graded.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import uuid
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from django.conf import settings as site_settings
from django.core.files import File
from django.core.files.storage import FileSystemStorage, storages

from evaluation.core import jsonl
from evaluation.core.errors import RowError
from evaluation.core.files import limits
from evaluation.core.files.limits import Bounds, RefusedError
from evaluation.core.files.shape import Shape
from evaluation.core.records import Row
from evaluation.core.suite import Item, Problem, SuiteVersion
from leaderboard.benchmarks import storage
from leaderboard.benchmarks.models import Version

#: A frozen row may be a whole book.
MAX_LINE_BYTES = 64 << 20
#: Bytes of rows that a glance reads at most.
GLANCE_BYTES = 64 << 20
#: A frozen row may hold the events of a long timeline, and many questions may share a short book.
SHAPE, MAX_RATIO = Shape(depth=64, values=1_000_000), 300
#: Progress of a file is counted in these, since a version counts it in integers of four bytes.
KB = 1 << 10


class ImportRefusedError(Exception):
    """The file cannot become a version. `line` is where, None where it is the file as a whole."""

    def __init__(self, message: str, line: int | None = None) -> None:
        self.line = line
        super().__init__(f"Line {line:,}: {message}" if line else message)


class Generated:
    """Rows that the suite makes."""

    def __init__(self, version: SuiteVersion) -> None:
        self._version, self._total = version, version.count()

    def fingerprint(self) -> str:
        """None: no file brings them."""
        return ""

    def items(self) -> Iterator[Item]:
        """The units, in their order."""
        return self._version.generate()

    def progress(self, units: int) -> tuple[int, int]:
        """(done, total) in units."""
        return units, max(self._total, units)

    def keep(self) -> None:
        """There is nothing to keep: the settings make the same rows again."""


class FileRows:
    """Rows of a file of JSON lines with gold (gzip or not), read within bounds."""

    def __init__(self, path: Path, version: SuiteVersion) -> None:
        self._path, self._version = path, version
        self._lines = array("Q")  # the line of each row: blank lines are no rows
        self._read = 0

    def fingerprint(self) -> str:
        """The SHA-256 of the file's uncompressed bytes. Raises ImportRefusedError where they cannot be unpacked."""
        digest = hashlib.sha256()
        try:
            for chunk in limits.chunks(self._path, bounds()):
                digest.update(chunk)
        except RefusedError as error:
            raise ImportRefusedError(error.problem.message) from error
        return digest.hexdigest()

    def items(self, first: int | None = None) -> Iterator[Item]:
        """The units of the file, or of its `first` rows. Raises ImportRefusedError at the first row that is wrong."""
        try:
            yield from self._version.items_from_rows(self._rows(first))
        except RefusedError as error:
            raise ImportRefusedError(error.problem.message, error.problem.line) from error
        except RowError as error:
            line = self._lines[error.line - 1] if error.line else None
            raise ImportRefusedError(_sentence(error), line) from error
        if not self._lines:
            raise ImportRefusedError("The file holds no rows: one JSON object per line is expected.")

    def progress(self, units: int) -> tuple[int, int]:
        """(done, total) in KB of lines."""
        done = self._read // KB
        return done, max(done, self._total)

    @cached_property
    def _total(self) -> int:
        return max(1, _expanded_size(self._path) // KB)

    def keep(self) -> None:
        """Store the file by its hash."""
        storage.keep(self._path)

    def _rows(self, first: int | None) -> Iterator[Row]:
        for number, line in limits.lines(self._path, bounds()):
            if isinstance(line, Problem):
                raise ImportRefusedError(line.message, number)
            if first is not None and (len(self._lines) == first or self._read > GLANCE_BYTES):
                return
            self._lines.append(number)
            self._read += len(line) + 1
            try:
                row = jsonl.parse_row(line)
            except RowError as error:
                raise ImportRefusedError(_sentence(error), number) from error
            yield cast(Row, row)


class Stored(FileRows):
    """Rows of a file that is kept by its hash already."""

    def __init__(self, sha256: str, version: SuiteVersion) -> None:
        super().__init__(Path(sha256), version)
        self._sha256 = sha256

    def fingerprint(self) -> str:
        return self._sha256

    def progress(self, units: int) -> tuple[int, int]:
        return units, units

    def keep(self) -> None:
        """It is."""

    def _rows(self, first: int | None) -> Iterator[Row]:
        for number, row in enumerate(storage.rows(self._sha256), 1):
            self._lines.append(number)
            yield row


Source = Generated | FileRows


@contextmanager
def open_source(version: Version) -> Iterator[Source]:
    """The source of a version's rows."""
    if version.upload:
        with _local(version.upload) as path:
            yield FileRows(path, version.bound)
    elif version.source_sha256:
        yield Stored(version.source_sha256, version.bound)
    else:
        yield Generated(version.bound)


def is_there(version: Version) -> bool:
    """Whether the rows of a version can be had (again): a file that was refused is gone."""
    if version.upload:
        return storages["artifacts"].exists(version.upload)
    return not version.source_sha256 or storage.exists(version.source_sha256)


def bounds() -> Bounds:
    """The site's limits of a file to import."""
    return Bounds(
        max_bytes=site_settings.IMPORT_MAX_BYTES,
        max_expanded_bytes=site_settings.IMPORT_MAX_EXPANDED_BYTES,
        max_line_bytes=MAX_LINE_BYTES,
        max_ratio=MAX_RATIO,
        shape=SHAPE,
    )


def receive(file: File[Any] | Path) -> str:
    """Put a file where workers find it; its name there. A file that a browser sent is moved, not copied."""
    name = f"imports/{uuid.uuid4().hex}"
    if not isinstance(file, Path):
        return storage.put(name, file)
    with file.open("rb") as opened:
        return storage.put(name, File(opened))


def discard(upload: str) -> None:
    """Remove a file that waited for its import."""
    if upload:
        storages["artifacts"].delete(upload)


@contextmanager
def _local(upload: str) -> Iterator[Path]:
    """The file as one of this machine: a bucket's is copied."""
    kept = storages["artifacts"]
    if isinstance(kept, FileSystemStorage):
        yield Path(kept.path(upload))
        return
    with kept.open(upload, "rb") as remote, tempfile.NamedTemporaryFile() as copy:
        shutil.copyfileobj(remote, copy, 1 << 20)
        copy.flush()
        yield Path(copy.name)


def _expanded_size(path: Path) -> int:
    """The bytes of a file's lines: of a gzip file what its last four bytes tell, which is a hint and no more."""
    size = path.stat().st_size
    with path.open("rb") as file:
        if file.read(2) != jsonl.GZIP_MAGIC or size < 18:
            return size
        file.seek(-4, os.SEEK_END)
        return int.from_bytes(file.read(4), "little")


def _sentence(error: RowError) -> str:
    reason = f"{error.reason[:1].upper()}{error.reason[1:].rstrip('.')}."
    return f"{reason[:-1]} (column {error.column})." if error.column else reason
