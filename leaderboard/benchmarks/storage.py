"""Content-addressed files: frozen rows, gold, predictions and verdicts.

A file of JSON lines is named by the SHA-256 of them *uncompressed* and lies there gzipped. So the name does not depend
on the compressor, an upload means the same with and without `.gz`, and a damaged file is found by reading it. Any other
file (Parquet) is named by the SHA-256 of its bytes and lies there as it is.

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
from leaderboard.web.results_cache import cache

#: What a file is called on disk until it is whole. One that a crash left behind may be deleted.
UNFINISHED = ".part"
LINES = ".jsonl.gz"
#: What a file hashes to is read again once a month.
REMEMBER_SECONDS = 30 * 24 * 3600


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


def name_of(sha256: str, suffix: str = LINES) -> str:
    """Where a file lies in the storage.

    Args:
        sha256: Of its lines uncompressed, or of its bytes where it is stored as it is.
        suffix: What its name ends in, from the first dot on.

    Returns:
        The path from the root of the storage.
    """
    return f"{sha256[:2]}/{sha256}{suffix}"


@contextmanager
def writing(*, level: int = 6, only: Collection[str] | None = None) -> Iterator[Writer]:
    """A writer whose file is stored when the block ends without an error, and forgotten otherwise.

    Args:
        level: How hard gzip compresses, from 0 to 9. The name does not depend on it.
        only: The names (SHA-256) that may be stored; a file of another name is forgotten, too. None: any.

    Raises:
        DamagedFileError: The storage keeps something else than it was given.
        OSError: The disk is full.
    """
    with tempfile.TemporaryFile() as raw:
        with gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=level, mtime=0) as packed:
            writer = Writer(packed)
            yield writer
        writer.close()
        writer.stored_bytes = raw.tell()
        if only is None or writer.sha256 in only:
            _store(name_of(writer.sha256), raw, lambda kept: verify(writer.sha256, name=kept))


def keep_bytes(content: IO[bytes], suffix: str) -> str:
    """Store a file as it is.

    Args:
        content: The file, which can be sought; read from its beginning.
        suffix: What its name ends in, from the first dot on.

    Returns:
        The SHA-256 of its bytes.

    Raises:
        DamagedFileError: The storage keeps something else than it was given.
        OSError: The disk is full.
    """
    sha256 = hash_of(content)
    _store(name_of(sha256, suffix), content, lambda kept: verify_bytes(sha256, name=kept))
    return sha256


def hash_of(content: IO[bytes]) -> str:
    """The SHA-256 of all bytes of a file."""
    digest = hashlib.sha256()
    content.seek(0)
    while chunk := content.read(1 << 20):
        digest.update(chunk)
    return digest.hexdigest()


def _store(name: str, content: IO[bytes], check: Callable[[str], None]) -> None:
    """Put a file under its name, unless it lies there whole, and read it back.

    Args:
        name: Where it is to lie in the storage.
        content: The file, which can be sought.
        check: Reads the file of a name through, and raises DamagedFileError where it holds something else.

    Raises:
        DamagedFileError: Something else was kept.
    """
    with suppress(DamagedFileError):
        return check(name)
    content.seek(0)
    put(name, File(content), check=check)
    cache.delete(_packed_key(name, content.seek(0, io.SEEK_END)))
    files = storages["artifacts"]
    if isinstance(files, FileSystemStorage):
        return None  # read back before it got its name
    try:
        return check(name)
    except DamagedFileError:
        files.delete(name)
        raise


def put(name: str, content: File[Any], *, check: Callable[[str], None] = lambda kept: None) -> str:
    """Store a file under exactly this name, in place of another there. It appears as a whole or not at all.

    Args:
        name: Where it is to lie in the storage.
        content: The file.
        check: Called on disk with the name that the file has until it is whole; what it raises, leaves nothing.

    Returns:
        The name.

    Raises:
        OSError: The disk is full, or two wrote the name to a bucket at once. Whatever else the storage of a bucket
            raises, is raised as it is.
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
    """Store a file of JSON lines (gzip or not). Returns its SHA-256.

    A byte order mark at its start is no part of the lines, and is left out.
    """
    with writing(level=4) as writer:
        for chunk in _chunks(path):
            writer.write(chunk)
    return writer.sha256


def lines_sha256(path: str | os.PathLike[str]) -> str:
    """What a file of JSON lines (gzip or not) would be called if it were stored.

    Args:
        path: The file.

    Returns:
        The SHA-256 of its lines.
    """
    digest = hashlib.sha256()
    for chunk in _chunks(path):
        digest.update(chunk)
    return digest.hexdigest()


def _chunks(path: str | os.PathLike[str]) -> Iterator[bytes]:
    with jsonl.open_binary(os.fspath(path)) as source:
        chunk = source.read(1 << 20).removeprefix(jsonl.BOM)
        while chunk:
            yield chunk
            chunk = source.read(1 << 20)


def discard(sha256: str, suffix: str = LINES) -> None:
    """Delete a stored file that nothing names any more; nothing where it is not there.

    Args:
        sha256: Its SHA-256.
        suffix: What its name ends in, from the first dot on.
    """
    storages["artifacts"].delete(name_of(sha256, suffix))


def exists(sha256: str, suffix: str = LINES) -> bool:
    """Whether a file of this name is stored. It is not read: what is there may be damaged.

    Args:
        sha256: Its SHA-256; empty where there is no file to ask for.
        suffix: What its name ends in, from the first dot on.
    """
    return bool(sha256) and storages["artifacts"].exists(name_of(sha256, suffix))


def open_packed(sha256: str, suffix: str = LINES) -> IO[bytes]:
    """The stored bytes, gzipped where they are lines. They are not verified.

    Args:
        sha256: The name of the file.
        suffix: What its name ends in, from the first dot on.

    Returns:
        The file, open for reading; the caller closes it.

    Raises:
        MissingFileError: It is not there.
    """
    return _open(sha256, name_of(sha256, suffix))


def _open(sha256: str, name: str) -> IO[bytes]:
    try:
        handle: IO[bytes] = storages["artifacts"].open(name, "rb")
    except FileNotFoundError as error:
        raise MissingFileError(f"the stored file {sha256[:12]}… is missing") from error
    return handle


def packed_sha256(sha256: str, suffix: str = LINES) -> str:
    """The SHA-256 of the stored bytes, as `sha256sum` prints it of a download; remembered while their size is the same.

    Args:
        sha256: The name of the file.
        suffix: What its name ends in, from the first dot on.

    Raises:
        MissingFileError: It is not there.
    """
    with open_packed(sha256, suffix) as packed:
        key = _packed_key(name_of(sha256, suffix), packed.seek(0, io.SEEK_END))
        known: str | None = cache.get(key)
        if known is None:
            known = hash_of(packed)
            cache.set(key, known, REMEMBER_SECONDS)
    return known


def _packed_key(name: str, size: int) -> str:
    return f"packed-sha256:{name}:{size}"


def lines(sha256: str, *, name: str = "") -> Iterator[bytes]:
    """The file's lines. An error of the disk or network is raised as it is: it says nothing of the file.

    Args:
        sha256: The name of the file, which its lines have to hash to.
        name: Where it lies for now; empty for where it belongs.

    Yields:
        One line after another, each with its line break.

    Raises:
        MissingFileError: It is not there.
        DamagedFileError: It cannot be unpacked; or, once all lines were read, they do not hash to its name.
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
    """Read a file of lines through.

    Args:
        sha256: The name of the file, which its lines have to hash to.
        name: Where it lies for now; empty for where it belongs.

    Raises:
        DamagedFileError: It is missing or changed.
    """
    for _ in lines(sha256, name=name):
        pass


def verify_bytes(sha256: str, *, name: str) -> None:
    """Read a file through that is stored as it is.

    Args:
        sha256: What its bytes have to hash to.
        name: Where it lies in the storage.

    Raises:
        DamagedFileError: It is missing or changed.
    """
    with _open(sha256, name) as kept:
        if hash_of(kept) != sha256:
            raise DamagedFileError(f"the stored file {sha256[:12]}… does not match its SHA-256")
