"""Read and write JSON lines (`.gz` too). Every error carries file, line and column."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import orjson

from evaluation.errors import RowError

GZIP_MAGIC = b"\x1f\x8b"


def open_binary(path: str | Path) -> IO[bytes]:
    """The file's bytes, decompressed where it is gzip (by its first bytes, not by its name)."""
    handle = open(path, "rb")
    if handle.peek(2)[:2] == GZIP_MAGIC:
        handle.close()  # GzipFile closes only a file that it opened itself
        return io.BufferedReader(gzip.GzipFile(path), 1 << 20)
    return handle


def lines(path: str | Path) -> Iterator[tuple[int, bytes]]:
    """(line number from 1, raw line without its newline), blank lines left out."""
    with open_binary(path) as handle:
        number = 0
        try:
            for number, line in enumerate(handle, 1):
                if text := line.strip():
                    yield number, text
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise RowError(f"the gzip data is damaged: {error}", path=str(path), line=number + 1) from error


def parse(line: bytes, *, path: str = "", number: int = 0) -> Any:
    """One line as JSON. Raises RowError with the column of the fault."""
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise RowError(f"not JSON: {error.msg}", path=path, line=number, column=error.colno) from error


def read(path: str | Path) -> Iterator[dict[str, Any]]:
    """The rows of a file, each a JSON object. Raises RowError at the first line that is none."""
    for number, line in lines(path):
        row = parse(line, path=str(path), number=number)
        if not isinstance(row, dict):
            raise RowError(
                f"a row must be a JSON object, not {type(row).__name__}", path=str(path), line=number
            )
        yield row


def dumps(value: Any) -> bytes:
    """Compact JSON, keys in the order given."""
    return orjson.dumps(value)


def canonical(value: Any) -> bytes:
    """JSON with sorted keys: what is hashed."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def write(path: str | Path, rows: Iterable[Any]) -> int:
    """Write rows, gzip where the name ends in `.gz` (same rows, same bytes). Returns the number of rows."""
    count = 0
    with open(path, "wb") as raw, _packed(raw, path) as out:
        for count, row in enumerate(rows, 1):
            out.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
    return count


def _packed(raw: IO[bytes], path: str | Path) -> IO[bytes]:
    if str(path).endswith(".gz"):
        return gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=6, mtime=0)  # type: ignore[return-value]
    return io.BufferedWriter(raw, 1 << 20)
