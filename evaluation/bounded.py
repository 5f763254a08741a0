"""Lines of a file that a stranger sent, read within bounds.

A huge line, a gzip bomb or a damaged archive ends in a sentence and never in a full memory.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evaluation import jsonl
from evaluation.suites import Problem

MB = 1 << 20
RATIO_FROM = 16 * MB  # unpacked bytes before the ratio is judged: short files may pack extremely well


@dataclass(frozen=True, slots=True)
class Bounds:
    """What reading a file may cost. `max_ratio` is unpacked to packed bytes of a gzip file."""

    max_bytes: int = 256 * MB
    max_expanded_bytes: int = 1024 * MB
    max_line_bytes: int = MB
    max_rows: int = 2_000_000  # lines, blank ones too: a few bytes of gzip hold millions of them
    max_ratio: int = 300


class RefusedError(Exception):
    """The rest of the file is not worth reading."""

    def __init__(self, code: str, message: str, line: int | None = None) -> None:
        self.problem = Problem(code, message, line)
        super().__init__(message)


def lines(path: Path, bounds: Bounds) -> Iterator[tuple[int, bytes | Problem]]:
    """(number from 1, line or the problem with it), blank lines left out. Raises RefusedError."""
    size = path.stat().st_size
    if size > bounds.max_bytes:
        raise RefusedError(
            "file_too_large", f"The file has {_size(size)}; at most {_size(bounds.max_bytes)} are taken."
        )
    number = 0
    for number, line in _whole_lines(path, size, bounds):
        if number > bounds.max_rows:
            raise RefusedError("too_many_rows", f"The file has more than {bounds.max_rows:,} lines.", number)
        if number == 1 and line.startswith(jsonl.BOM):
            fault = jsonl.fault_of(line)
            yield 1, Problem(fault.code, capital(fault.reason), column=fault.column)
            line = line.removeprefix(jsonl.BOM)
        if len(line) > bounds.max_line_bytes:
            yield number, Problem("line_too_long", f"The line has more than {_size(bounds.max_line_bytes)}.")
        elif text := line.strip():
            yield number, text


def _whole_lines(path: Path, size: int, bounds: Bounds) -> Iterator[tuple[int, bytes]]:
    """(number, line); of an overlong line the beginning, one byte longer than the bound."""
    number, expanded, most = 1, 0, bounds.max_line_bytes + 1
    start = b""
    with jsonl.open_binary(path) as handle:
        packed = 0 if isinstance(handle.raw, io.FileIO) else size
        while part := _next_part(handle, number, most):
            expanded += len(part)
            _check_expansion(expanded, packed, number, bounds)
            start = start or part
            if part.endswith(b"\n"):
                yield number, start.rstrip(b"\n") if part is start else start
                number, start = number + 1, b""
    if start:
        yield number, start


def _next_part(handle: io.BufferedReader, number: int, most: int) -> bytes:
    """The next line, or as much of it as fits the bound."""
    try:
        return handle.readline(most)
    except jsonl.GZIP_ERRORS as error:
        raise RefusedError(
            "damaged_gzip", f"The gzip data is damaged ({error}): pack the file again.", number
        ) from error


def _check_expansion(expanded: int, packed: int, number: int, bounds: Bounds) -> None:
    """`packed` is the size of a gzip file, 0 of another. Raises RefusedError for a bomb."""
    if expanded > bounds.max_expanded_bytes:
        message = f"The file holds more than {_size(bounds.max_expanded_bytes)} of lines."
        raise RefusedError("expands_too_far", message, number)
    if packed and expanded > RATIO_FROM and expanded > bounds.max_ratio * packed:
        message = f"The file unpacks to more than {bounds.max_ratio} times its size."
        raise RefusedError("expands_too_far", message, number)


def capital(sentence: str) -> str:
    """A reason as a sentence of its own."""
    return f"{sentence[:1].upper()}{sentence[1:]}."


def _size(count: int) -> str:
    return f"{count / MB:,.0f} MB" if count >= MB else f"{count:,} bytes"
