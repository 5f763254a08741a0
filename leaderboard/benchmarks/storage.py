"""Content-addressed files: frozen rows, gold, predictions and verdicts.

A file is named by the SHA-256 of its *uncompressed* JSON lines and lies there gzipped. So the name does not depend
on the compressor, an upload means the same with and without `.gz`, and a damaged file is found by reading it.

Nothing is trusted because it is there. What is stored is read back before anybody is given its name, and a file that
lies there already is read through; one that does not verify is written again. On disk a file gets its name by
renaming, once it is written to the end, flushed and read back: a full disk or a power cut leaves no torn file.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import tempfile
import uuid
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Protocol

from django.core.files import File
from django.core.files.storage import FileSystemStorage, Storage, storages

from evaluation.core import jsonl
from leaderboard.jobs.faults import PassingError

#: What a file is called on disk until it is whole. One that a crash left behind may be deleted.
UNFINISHED = ".part"


class DamagedFileError(Exception):
    """A stored file does not hold what its name says, or is missing."""


class MissingFileError(DamagedFileError, PassingError):
    """A stored file is not there. It may come back: its disk, mount or bucket may be away."""


class Sink(Protocol):
    """What bytes can be written to."""

    def write(self, data: bytes, /) -> int: ...


class Writer:
    """Collects lines into a file; after `storage.writing()` closes it, `sha256` is its name."""

    def __init__(self, packed: Sink) -> None:
        self._packed = packed
        self._hash = hashlib.sha256()
        self.sha256 = ""
        self.size = 0
        self.stored_bytes = 0
        self.lines = 0

    def write_row(self, row: Any) -> None:
        self.write_line(jsonl.dumps(row))

    def write_line(self, line: bytes) -> None:
        self.write(line + b"\n")
        self.lines += 1

    def write(self, data: bytes) -> None:
        self._hash.update(data)
        self.size += len(data)
        self._packed.write(data)

    def close(self) -> str:
        self.sha256 = self._hash.hexdigest()
        return self.sha256


def name_of(sha256: str) -> str:
    """Where a file lies in the storage."""
    return f"{sha256[:2]}/{sha256}.jsonl.gz"


@contextmanager
def writing(*, level: int = 6, only: Collection[str] | None = None) -> Iterator[Writer]:
    """A writer whose file is stored when the block ends without an error, and forgotten otherwise.

    Args:
        only: the names that may be stored; a file of another name is forgotten, too.

    Raises: DamagedFileError where the storage keeps something else than it was given, OSError where it is full.
    """
    with tempfile.TemporaryFile() as raw:
        with gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=level, mtime=0) as packed:
            writer = Writer(packed)
            yield writer
        writer.close()
        writer.stored_bytes = raw.tell()
        if (only is None or writer.sha256 in only) and not _is_whole(writer.sha256):
            raw.seek(0)
            _store(writer.sha256, raw)


def _is_whole(sha256: str) -> bool:
    """Whether a file lies there and holds what its name says."""
    try:
        verify(sha256)
    except DamagedFileError:
        return False
    return True


def _store(sha256: str, packed: IO[bytes]) -> None:
    """Put a file under its name and read it back. Raises DamagedFileError where something else was kept."""
    files, name = storages["artifacts"], name_of(sha256)
    put(name, File(packed), check=lambda kept: verify(sha256, name=kept))
    if isinstance(files, FileSystemStorage):
        return  # read back before it got its name
    try:
        verify(sha256)
    except DamagedFileError:
        files.delete(name)
        raise


def put(name: str, content: File[Any], *, check: Callable[[str], None] = lambda kept: None) -> str:
    """Store a file under exactly this name, in place of another there. It appears as a whole or not at all.

    Args:
        check: called on disk with the name that the file has until it is whole; what it raises, leaves nothing.

    Returns: the name.
    Raises: OSError where the disk is full, and whatever the storage of a bucket raises.
    """
    files = storages["artifacts"]
    if isinstance(files, FileSystemStorage):
        _put_on_disk(files, name, content, check)
    else:
        _put_in_bucket(files, name, content)
    return name


def _put_on_disk(
    files: FileSystemStorage, name: str, content: File[Any], check: Callable[[str], None]
) -> None:
    part = f"{name}.{uuid.uuid4().hex}{UNFINISHED}"
    try:
        files.save(part, content)
        _flush(files.path(part))
        check(part)
        os.replace(files.path(part), files.path(name))
    except BaseException:
        with suppress(OSError):
            files.delete(part)
        raise
    for folder in Path(files.path(name)).parents[:2]:  # its own may be new, too
        _flush(folder)


def _flush(path: str | Path) -> None:
    """Have the operating system write a file or folder to its disk, so that a power cut does not lose it."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _put_in_bucket(files: Storage, name: str, content: File[Any]) -> None:
    """A bucket's object appears as a whole. Where it never replaces one, the one that is there goes first."""
    if files.get_available_name(name) != name:
        files.delete(name)
    kept = files.save(name, content)
    if kept != name:
        files.delete(kept)
        raise OSError(f"the storage kept {name} under another name: two wrote it at once")


def keep(path: str | os.PathLike[str]) -> str:
    """Store a file of JSON lines (gzip or not). Returns its SHA-256."""
    with jsonl.open_binary(os.fspath(path)) as source, writing(level=4) as writer:
        while chunk := source.read(1 << 20):
            writer.write(chunk)
    return writer.sha256


def exists(sha256: str) -> bool:
    return bool(sha256) and storages["artifacts"].exists(name_of(sha256))


def open_packed(sha256: str) -> IO[bytes]:
    """The stored gzip bytes, for a download. Raises MissingFileError."""
    return _open(sha256, name_of(sha256))


def _open(sha256: str, name: str) -> IO[bytes]:
    try:
        handle: IO[bytes] = storages["artifacts"].open(name, "rb")
    except FileNotFoundError as error:
        raise MissingFileError(f"the stored file {sha256[:12]}… is missing") from error
    return handle


def lines(sha256: str, *, name: str = "") -> Iterator[bytes]:
    """The file's lines. Raises DamagedFileError at the end if they do not hash to the file's name.

    An error of the disk or network is raised as it is: it says nothing of the file. `name`: where it lies for now.
    """
    digest = hashlib.sha256()
    with _open(sha256, name or name_of(sha256)) as packed, gzip.GzipFile(fileobj=packed) as unpacked:
        try:
            for line in io.BufferedReader(unpacked, 1 << 20):
                digest.update(line)
                yield line
        except jsonl.GZIP_ERRORS as error:
            raise DamagedFileError(f"the stored file {sha256[:12]}… cannot be unpacked: {error}") from error
    if digest.hexdigest() != sha256:
        raise DamagedFileError(f"the stored file {sha256[:12]}… does not match its SHA-256")


def rows(sha256: str) -> Iterator[Any]:
    """The file's rows, verified as `lines` does."""
    return (
        jsonl.parse(line, path=sha256[:12], number=n)
        for n, line in enumerate(lines(sha256), 1)
        if line.strip()
    )


def verify(sha256: str, *, name: str = "") -> None:
    """Read a file through. Raises DamagedFileError where it is missing or changed."""
    for _ in lines(sha256, name=name):
        pass
