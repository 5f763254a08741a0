"""Content-addressed files: frozen rows, gold, predictions and verdicts.

A file is named by the SHA-256 of its *uncompressed* JSON lines and lies there gzipped. So the name does not depend
on the compressor, an upload means the same with and without `.gz`, and a damaged file is found by reading it.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from django.core.files import File
from django.core.files.storage import storages

from evaluation import jsonl


class DamagedFileError(Exception):
    """A stored file does not hold what its name says, or is missing."""


class Writer:
    """Collects lines into a file; after `storage.writing()` closes it, `sha256` is its name."""

    def __init__(self, packed: IO[bytes]) -> None:
        self._packed = packed
        self._hash = hashlib.sha256()
        self.sha256 = ""
        self.size = 0
        self.stored_bytes = 0
        self.lines = 0

    def write_row(self, row: Any) -> None:
        self.write(jsonl.dumps(row) + b"\n")
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
def writing(*, level: int = 6) -> Iterator[Writer]:
    """A writer whose file is stored when the block ends without an error, and forgotten otherwise."""
    with tempfile.TemporaryFile() as raw:
        with gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=level, mtime=0) as packed:
            writer = Writer(packed)  # type: ignore[arg-type]
            yield writer
        writer.close()
        writer.stored_bytes = raw.tell()
        if not exists(writer.sha256):
            raw.seek(0)
            storages["artifacts"].save(name_of(writer.sha256), File(raw))


def keep(path: str | os.PathLike[str]) -> str:
    """Store a file of JSON lines (gzip or not). Returns its SHA-256."""
    with jsonl.open_binary(os.fspath(path)) as source, writing(level=4) as writer:
        while chunk := source.read(1 << 20):
            writer.write(chunk)
    return writer.sha256


def exists(sha256: str) -> bool:
    return bool(sha256) and storages["artifacts"].exists(name_of(sha256))


def open_packed(sha256: str) -> IO[bytes]:
    """The stored gzip bytes, for a download."""
    try:
        handle: IO[bytes] = storages["artifacts"].open(name_of(sha256), "rb")
    except FileNotFoundError as error:
        raise DamagedFileError(f"the stored file {sha256[:12]}… is missing") from error
    return handle


def lines(sha256: str) -> Iterator[bytes]:
    """The file's lines. Raises DamagedFileError at the end if they do not hash to the file's name."""
    digest = hashlib.sha256()
    with open_packed(sha256) as packed, gzip.GzipFile(fileobj=packed) as unpacked:
        try:
            for line in io.BufferedReader(unpacked, 1 << 20):  # type: ignore[arg-type]
                digest.update(line)
                yield line
        except (OSError, EOFError) as error:
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


def verify(sha256: str) -> None:
    """Read a file through. Raises DamagedFileError where it is missing or changed."""
    for _ in lines(sha256):
        pass
