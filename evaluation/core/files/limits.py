"""Read an untrusted file within size limits, so that oversized input raises an error instead of filling memory."""

from __future__ import annotations

import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.core import jsonl
from evaluation.core.checks import Problem
from evaluation.core.files import shape
from evaluation.core.files.shape import Shape

MB = 1 << 20
#: Unpacked bytes allowed at any ratio: a few hundred similar lines compress far better than `max_ratio`.
ANY_RATIO = MB
_LINE_END = ord("\n")
_CHUNK = 1 << 16
_GZIP = 31  # zlib's word for: one member of a gzip file, with its checksum


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits on the cost of reading a file.

    `max_ratio` limits unpacked / packed bytes of a gzip file. Legitimate files stay far below: a file with 200,000
    identical long refusals has a ratio of 61. `max_members` limits the gzip members; bgzip writes one per 64 KB.
    """

    max_bytes: int = 256 * MB
    max_expanded_bytes: int = 1024 * MB
    max_line_bytes: int = MB
    max_rows: int = 2_000_000  # lines, blank ones included: a few bytes of gzip hold millions
    max_ratio: int = 200
    max_members: int = 20_000
    shape: Shape = shape.OF_ANSWER


class RefusedError(Exception):
    """The file exceeds a bound or is damaged, and reading stopped."""

    def __init__(self, code: str, message: str, line: int | None = None) -> None:
        self.problem = Problem(code, message, line)
        super().__init__(message)


def lines(path: Path, bounds: Bounds) -> Iterator[tuple[int, bytes | Problem]]:
    """Yield (line number from 1, line) for lines that are not blank. A line that breaks a bound is given as a Problem.

    Raises RefusedError if the whole file breaks a bound or is damaged.
    """
    tiny = min(bounds.shape.depth, bounds.shape.values)  # bytes that can break neither bound
    for number, line in _whole_lines(path, bounds):
        if number > bounds.max_rows:
            message = f"The file has more than {bounds.max_rows:,} lines, blank ones included."
            raise RefusedError("too_many_rows", message, number)
        if number == 1:  # Windows editors write a byte order mark
            line = line.removeprefix(jsonl.BOM)
        if len(line) > bounds.max_line_bytes:
            yield number, Problem("line_too_long", f"The line has more than {_size(bounds.max_line_bytes)}.")
        elif text := line.strip():
            fault = shape.fault(text, bounds.shape) if len(text) > tiny else None
            yield number, _problem(fault) if fault else text


def chunks(path: Path, bounds: Bounds) -> Iterator[bytes]:
    """Yield the file's unpacked bytes, a megabyte at a time. Raises RefusedError."""
    with _opened(path, bounds) as handle:
        try:
            while chunk := handle.read(MB):
                yield chunk
        except jsonl.GZIP_ERRORS as error:
            raise _damaged(error) from error


def _whole_lines(path: Path, bounds: Bounds) -> Iterator[tuple[int, bytes]]:
    """Yield (number, line); an overlong line is cut one byte after the bound."""
    number, most = 1, bounds.max_line_bytes + 1
    start = b""
    with _opened(path, bounds) as handle:
        read = handle.readline  # a million times
        try:
            while part := read(most):
                start = start or part
                if part[-1] == _LINE_END:
                    yield number, start[:-1] if part is start else start
                    number, start = number + 1, b""
        except jsonl.GZIP_ERRORS as error:
            raise _damaged(error) from error
    if start:
        yield number, start


def _damaged(error: Exception) -> RefusedError:
    return RefusedError("damaged_gzip", f"The gzip data is damaged ({error}): pack the file again.")


@contextmanager
def _opened(path: Path, bounds: Bounds) -> Iterator[io.BufferedReader[Any]]:
    """Open a file, unpacking gzip. Opening it and reading from it may raise RefusedError."""
    with io.BufferedReader(io.FileIO(path), jsonl.BUFFER) as handle:
        size = os.fstat(handle.fileno()).st_size
        if size > bounds.max_bytes:
            message = f"The file has {_size(size)}; at most {_size(bounds.max_bytes)} are accepted."
            raise RefusedError("file_too_large", message)
        if handle.peek(2)[:2] == jsonl.GZIP_MAGIC:
            yield io.BufferedReader(_Unpacked(handle, size, bounds), jsonl.BUFFER)
        elif size > bounds.max_expanded_bytes:
            raise _expands(f"The unpacked file is larger than {_size(bounds.max_expanded_bytes)}.")
        else:
            yield handle


class _Unpacked(io.RawIOBase):
    """The members of a gzip file, unpacked only as far as they are read. Reading raises RefusedError.

    (`gzip.GzipFile` would unpack any number of empty members in one uninterruptible call.)
    """

    def __init__(self, packed: io.BufferedReader[Any], size: int, bounds: Bounds) -> None:
        self._packed, self._size, self._bounds = packed, size, bounds
        self._member = zlib.decompressobj(_GZIP)
        self._rest = b""  # read and not unpacked yet
        self._members, self._expanded = 1, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._next(len(buffer))
        self._expanded += len(data)
        self._check()
        buffer[: len(data)] = data
        return len(data)

    def _next(self, most: int) -> bytes:
        while self._is_in_member():
            packed = self._rest or self._packed.read(_CHUNK)
            data = self._member.decompress(packed, most)
            self._rest = self._member.unused_data if self._member.eof else self._member.unconsumed_tail
            if data:
                return data
            if not packed and not self._member.eof:
                raise EOFError("it ends too early")
        return b""

    def _is_in_member(self) -> bool:
        """True if data remains in this gzip member or a later one (padding is skipped). Raises RefusedError."""
        if not self._member.eof:
            return True
        while not (rest := self._rest.lstrip(b"\0")):
            if not (rest := self._packed.read(_CHUNK)):
                return False
            self._rest = rest
        self._rest = rest
        self._member = zlib.decompressobj(_GZIP)
        self._members += 1
        if self._members > self._bounds.max_members:
            message = (
                f"The gzip file has more than {self._bounds.max_members:,} parts: pack it again, in one part."
            )
            raise RefusedError("too_many_members", message)
        return True

    def _check(self) -> None:
        """Raise RefusedError for a gzip bomb. The ratio is not checked for a pipe, whose packed size is unknown."""
        bounds = self._bounds
        if self._expanded > bounds.max_expanded_bytes:
            raise _expands(f"The unpacked file is larger than {_size(bounds.max_expanded_bytes)}.")
        if self._size and self._expanded > ANY_RATIO + bounds.max_ratio * self._size:
            raise _expands(
                f"The file unpacks to more than {bounds.max_ratio} times its size: send it without gzip."
            )


def _expands(message: str) -> RefusedError:
    return RefusedError("expands_too_far", message)


def _problem(fault: jsonl.Fault) -> Problem:
    return Problem(fault.code, capital(fault.reason), column=fault.column or None)


def capital(sentence: str) -> str:
    return f"{sentence[:1].upper()}{sentence[1:]}."


def _size(count: int) -> str:
    return f"{count / MB:,.0f} MB" if count >= MB else f"{count:,} bytes"
