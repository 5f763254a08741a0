"""Content-addressed files: frozen rows, gold, predictions and verdicts.

A file of JSON lines is named by the SHA-256 of the *uncompressed* lines and stored gzipped, so that its name
does not depend on the compressor. Other files (Parquet) are named by the SHA-256 of their bytes and stored
unchanged.

Existing files are not trusted: a stored file is read back before its name is returned, and a damaged file is
written again. On disk a file is renamed when complete: a full disk or a power cut leaves no partial file.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import re
import tempfile
import uuid
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import IO, Any, Protocol

from django.core.files import File
from django.core.files.storage import FileSystemStorage, Storage, storages

from evaluation.core import jsonl
from leaderboard.jobs.faults import PassingError
from leaderboard.web.results_cache import cache

#: Suffix on disk until a file is complete. Files left by a crash may be deleted.
UNFINISHED = ".part"
LINES = ".jsonl.gz"
#: Names made by `name_of`.
_HASHED = re.compile(r"[0-9a-f]{2}/(?P<sha256>[0-9a-f]{64})(?P<suffix>\..+)")
#: Hashes of gzipped files are recomputed once a month.
REMEMBER_SECONDS = 30 * 24 * 3600


class DamagedFileError(Exception):
    """Raised if the content of a stored file does not match the hash in its name, or the file is missing."""


class MissingFileError(DamagedFileError, PassingError):
    """Raised if a stored file is missing. It may come back if its disk, mount or bucket is only unavailable."""


class Sink(Protocol):
    def write(self, data: bytes, /) -> int: ...


class Writer:
    """Writes lines to a file. `sha256` is empty until `storage.writing()` has closed the file."""

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
    """Storage name of a file; `suffix` includes its leading dot."""
    return f"{sha256[:2]}/{sha256}{suffix}"


@contextmanager
def writing(*, level: int = 6, only: Collection[str] | None = None) -> Iterator[Writer]:
    """Give the block a writer, whose file is stored when the block ends without an error.

    `only` has the hashes of files that may be stored (None: all). Raises DamagedFileError if the stored bytes differ,
    and OSError if the disk is full.
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
    """Store a seekable file unchanged and return its SHA-256. Raises DamagedFileError or OSError."""
    sha256 = hash_of(content)
    _store(name_of(sha256, suffix), content, lambda kept: verify_bytes(sha256, name=kept))
    return sha256


def hash_of(content: IO[bytes]) -> str:
    digest = hashlib.sha256()
    content.seek(0)
    while chunk := content.read(1 << 20):
        digest.update(chunk)
    return digest.hexdigest()


def _store(name: str, content: IO[bytes], check: Callable[[str], None]) -> None:
    """Store a file unless an intact copy is stored; `check` verifies a stored file by name. Raises DamagedFileError."""
    with suppress(DamagedFileError):
        return check(name)
    content.seek(0)
    put(name, File(content), check=check)
    cache.delete(_packed_key(name, content.seek(0, io.SEEK_END)))
    files = storages["artifacts"]
    if isinstance(files, FileSystemStorage):
        return None  # verified before it got its name
    try:
        return check(name)
    except DamagedFileError:
        files.delete(name)
        raise


def put(name: str, content: File[Any], *, check: Callable[[str], None] = lambda kept: None) -> str:
    """Store a file under exactly this name, replacing an existing file. It appears completely or not at all.

    On disk, `check` is called with the temporary name; if it raises, nothing is stored. Raises OSError if the
    disk is full, or if two processes write the name to a bucket at once; other bucket errors are not converted.
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
    for folder in Path(files.path(name)).parents[:2]:  # both may be new
        _flush(folder)


def _flush(path: str | Path) -> None:
    # Survive a power cut.
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _put_in_bucket(files: Storage, name: str, content: File[Any]) -> None:
    """Write an object to a bucket. If the storage class never overwrites, the former object is deleted first."""
    if files.get_available_name(name) != name:
        files.delete(name)
    kept = files.save(name, content)
    if kept != name:
        files.delete(kept)
        raise OSError(f"the bucket stored {name} under another name: two processes wrote it at once")


def keep(path: str | os.PathLike[str]) -> str:
    """Store a file of JSON lines (gzipped or not). Removes its byte order mark, if any. Returns its SHA-256."""
    with writing(level=4) as writer:
        for chunk in _chunks(path):
            writer.write(chunk)
    return writer.sha256


def lines_sha256(path: str | os.PathLike[str]) -> str:
    """The SHA-256 that `keep` would return for a file, without storing it."""
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
    """Delete a stored file that nothing refers to. Missing files are ignored."""
    storages["artifacts"].delete(name_of(sha256, suffix))


def exists(sha256: str, suffix: str = LINES) -> bool:
    """True if a file with this hash is stored, possibly damaged; False for an empty hash."""
    return bool(sha256) and storages["artifacts"].exists(name_of(sha256, suffix))


def open_packed(sha256: str, suffix: str = LINES) -> IO[bytes]:
    """Open a stored file (gzipped lines) without verifying it; the caller closes it. Raises MissingFileError."""
    return _open(sha256, name_of(sha256, suffix))


def _open(sha256: str, name: str) -> IO[bytes]:
    return opened(name, called=f"{sha256[:12]}…")


def opened(name: str, *, called: str = "") -> IO[bytes]:
    """Open the stored file with this name. `called` replaces the name in errors. Raises MissingFileError."""
    try:
        handle: IO[bytes] = storages["artifacts"].open(name, "rb")
    except FileNotFoundError as error:
        raise MissingFileError(f"the stored file {called or name} is missing") from error
    return handle


def packed_sha256(sha256: str) -> str:
    """SHA-256 of the stored bytes, as `sha256sum` prints it; cached by name and size. Raises MissingFileError."""
    with open_packed(sha256) as packed:
        key = _packed_key(name_of(sha256), packed.seek(0, io.SEEK_END))
        known: str | None = cache.get(key)
        if known is None:
            known = hash_of(packed)
            cache.set(key, known, REMEMBER_SECONDS)
    return known


def _packed_key(name: str, size: int) -> str:
    return f"packed-sha256:{name}:{size}"


def lines(sha256: str, *, name: str = "") -> Iterator[bytes]:
    """Read the lines of a stored file, with line breaks. `name` is its storage name, if not `name_of(sha256)`.

    Raises MissingFileError, or DamagedFileError if the file cannot be unpacked or, after all lines, its hash differs.
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
    """Parse the rows of a stored file. Raises as `lines` does."""
    return (
        jsonl.parse(line, path=sha256[:12], number=n)
        for n, line in enumerate(lines(sha256), 1)
        if line.strip()
    )


def verify(sha256: str, *, name: str = "") -> None:
    """Verify a file of lines. Raises DamagedFileError."""
    for _ in lines(sha256, name=name):
        pass


def names(folder: str = "") -> Iterator[str]:
    """Names of the completely written files in the storage, or in a folder and its subfolders, unordered."""
    try:
        folders, files = storages["artifacts"].listdir(folder)
    except FileNotFoundError:  # not created yet, or removed by another process
        return
    yield from (str(PurePosixPath(folder, name)) for name in files if not name.endswith(UNFINISHED))
    for each in folders:
        yield from names(str(PurePosixPath(folder, each)))


def check(name: str) -> None:
    """Verify a stored file against the hash in its name. Without a hash, only read it. Raises DamagedFileError."""
    if not (hashed := _HASHED.fullmatch(name)):
        with _open(name, name) as kept:
            hash_of(kept)
    elif hashed["suffix"] == LINES:
        verify(hashed["sha256"])
    else:
        verify_bytes(hashed["sha256"], name=name)


def check_copy(path: Path, name: str) -> None:
    """Verify a local copy against the hash in the original's storage name. Raises DamagedFileError."""
    if not (hashed := _HASHED.fullmatch(name)):
        return
    try:
        if hashed["suffix"] == LINES:
            sha256 = lines_sha256(path)
        else:
            with path.open("rb") as copy:
                sha256 = hash_of(copy)
    except jsonl.GZIP_ERRORS as error:
        raise DamagedFileError(f"the stored file {name} cannot be unpacked: {error}") from error
    if sha256 != hashed["sha256"]:
        raise DamagedFileError(f"the stored file {name} does not match its SHA-256")


def verify_bytes(sha256: str, *, name: str) -> None:
    """Verify a file that is stored unchanged, not as gzipped lines. Raises DamagedFileError."""
    with _open(sha256, name) as kept:
        if hash_of(kept) != sha256:
            raise DamagedFileError(f"the stored file {sha256[:12]}… does not match its SHA-256")
