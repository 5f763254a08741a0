"""Read and write JSON Lines, plain or gzip. Every error has file, line and column.

A file is written under a temporary name in its folder and renamed when complete. The name `-` is standard output.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import IO, Any, NamedTuple

import orjson

from evaluation.core.errors import BenchmarkError, RowError

STANDARD_OUTPUT = "-"
GZIP_MAGIC = b"\x1f\x8b"
BOM = b"\xef\xbb\xbf"
BUFFER = 1 << 20
#: Bytes handed to the writing thread at a time, and chunks in its queue before the producer waits.
CHUNK, CHUNKS_BEHIND = 4 << 20, 3
_LARGEST = 2.0**63  # orjson reads longer integers as floats
PARTS_AT_ONCE = 1024  # IOV_MAX of Linux, macOS and the BSDs
GZIP_ERRORS = (EOFError, zlib.error, gzip.BadGzipFile)
_written: ContextVar[dict[str, int | None] | None] = ContextVar("written", default=None)


def open_binary(path: str | Path) -> io.BufferedReader[Any]:
    """Open a file for reading bytes. Gzip is recognised by the first bytes, not by the name, and unpacked."""
    # opened once and peeked, as a pipe cannot be read twice
    handle: io.BufferedReader[Any] = io.BufferedReader(io.FileIO(path), BUFFER)
    try:
        packed = handle.peek(2)[:2] == GZIP_MAGIC
    except OSError:
        handle.close()
        raise
    if not packed:
        return handle
    unpacking = gzip.GzipFile(fileobj=handle)
    unpacking.myfileobj = handle  # type: ignore[assignment] # what GzipFile closes besides itself
    return io.BufferedReader(unpacking, BUFFER)


def read_again(path: str | Path) -> str | Path:
    """Return the path if the file can be read twice. Raises BenchmarkError for a pipe."""
    with io.FileIO(path) as handle:
        if not handle.seekable():
            raise BenchmarkError(
                f"{path} is a pipe, but this input is read more than once. Save it to a file first."
            )
    return path


def lines(path: str | Path) -> Iterator[tuple[int, bytes]]:
    """Yield (line number from 1, raw line with newline). Blank lines and a leading byte order mark are skipped."""
    with open_binary(path) as handle:
        number = 0
        try:
            for number, line in enumerate(handle, 1):
                if number == 1:
                    line = line.removeprefix(BOM)
                if line and not line.isspace():
                    yield number, line
        except GZIP_ERRORS as error:
            raise RowError(f"the gzip data is damaged: {error}", path=str(path), line=number + 1) from error


def parse(line: bytes, *, path: str = "", number: int = 0) -> Any:
    """Parse one line of JSON. Raises RowError with `path`, `number` and the column of the fault."""
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError as error:
        fault = fault_of(line)
        raise RowError(fault.reason, path=path, line=number, column=fault.column) from error


def loads(text: str | bytes) -> Any:
    """Parse JSON with orjson, or with `json.loads` if orjson fails or rounds a large integer in the field `value`.

    `json.loads` also accepts NaN and lone surrogates. Raises ValueError and RecursionError.
    """
    try:
        payload = orjson.loads(text)
        value = payload.get("value") if isinstance(payload, dict) else None
        if not isinstance(value, float) or abs(value) < _LARGEST:
            return payload
    except orjson.JSONDecodeError:
        pass
    return json.loads(text if isinstance(text, str) else text.decode())


class Fault(NamedTuple):
    code: str
    reason: str
    column: int = 0


def fault_of(line: bytes) -> Fault:
    """Explain why a line is not JSON: encoding, NaN, nesting or syntax."""
    if line.startswith(BOM):
        return Fault("bom", "a byte order mark may only be at the start of a file", 1)
    try:
        json.loads(line.decode().rstrip(), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        byte = line[error.start]
        return Fault("not_utf8", f"byte 0x{byte:02x} is not UTF-8: save the file as UTF-8", error.start + 1)
    except _ConstantError as error:
        at = line.find(error.name.encode())
        return Fault("not_a_number", f"{error.name} is not JSON: write null or a number", at + 1)
    except RecursionError:
        return Fault("nested_too_deeply", "the line is nested too deeply")
    except json.JSONDecodeError as error:
        return Fault("not_json", f"not JSON: {error.msg}", error.colno)
    except ValueError:  # CPython refuses to convert integers of more than 4,300 digits
        return Fault("number_too_long", "a number has thousands of digits")
    return Fault("not_json", "not JSON: a text contains half of a surrogate pair, or a number is too large")


class _ConstantError(Exception):
    """The text contains NaN, Infinity or -Infinity, which JSON does not have."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(name)


def _refuse_constant(name: str) -> Any:
    raise _ConstantError(name)


def read(path: str | Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file. Raises RowError at the first line that is not a JSON object."""
    return (row for _, row in read_numbered(path))


def read_numbered(path: str | Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line number, row). Raises RowError at the first line that is not a JSON object."""
    for number, line in lines(path):
        yield number, parse_row(line, path=str(path), number=number)


def parse_row(line: bytes, *, path: str = "", number: int = 0) -> dict[str, Any]:
    """Parse one line as a JSON object. Raises RowError for anything else."""
    row = parse(line, path=path, number=number)
    if not isinstance(row, dict):
        raise RowError(f"a line must be a JSON object, not {kind(row)}", path=path, line=number)
    return row


def kind(value: Any) -> str:
    """Name the type of a JSON value in words."""
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case str():
            return "a text"
        case int() | float():
            return "a number"
        case _:
            return "a list" if isinstance(value, list) else "an object"


def dumps(value: Any) -> bytes:
    """Encode a value as compact JSON, with keys in the order given."""
    return orjson.dumps(value)


def canonical(value: Any) -> bytes:
    """Encode a value as compact JSON with sorted keys, for hashing."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def write(path: str | Path, rows: Iterable[Any], *, sources: Iterable[str | Path] = ()) -> int:
    """Write rows, as reproducible gzip if the name ends in `.gz`. Returns the number of rows.

    Raises BenchmarkError if `path` is one of the `sources` that the rows are read from.
    """
    option = orjson.OPT_APPEND_NEWLINE
    return write_parts(path, ((orjson.dumps(row, option=option),) for row in rows), sources=sources)


def write_parts(
    path: str | Path, lines: Iterable[Sequence[bytes]], *, sources: Iterable[str | Path] = ()
) -> int:
    """Write encoded lines given in parts, so that a text shared by several lines is not copied. See `write`."""
    count = 0
    with fresh(path, sources=sources) as raw, _packed(raw, path) as out, _Behind(out) as behind:
        for parts in lines:
            behind.write(parts)
            count += 1
    _note(path, count)
    return count


class _Behind:
    """Writes chunks in a background thread. An error in the thread is raised by the next `write`, or on exit."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out
        self._chunk: list[bytes] = []
        self._size = 0
        self._chunks: Queue[list[bytes]] = Queue(CHUNKS_BEHIND)
        self._fault: BaseException | None = None
        self._thread: Thread | None = None

    def __enter__(self) -> _Behind:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Write the remaining parts, unless the block failed: the incomplete file is then deleted."""
        if self._thread is not None:
            if kind is None and self._chunk:
                self._hand_over()
            self._chunks.put([])
            self._thread.join()
        elif kind is None:
            _write_all(self._out, self._chunk)
        if kind is None and self._fault is not None:
            raise self._fault

    def write(self, parts: Sequence[bytes]) -> None:
        self._chunk += parts
        self._size += sum(map(len, parts))
        if self._size >= CHUNK:
            self._hand_over()

    def _hand_over(self) -> None:
        if self._fault is not None:
            raise self._fault
        if self._thread is None:
            self._thread = Thread(target=self._work, daemon=True)
            self._thread.start()
        self._chunks.put(self._chunk)
        self._chunk, self._size = [], 0

    def _work(self) -> None:
        while chunk := self._chunks.get():
            # after an error keep emptying the queue, or the producer would block on a full one
            if self._fault is None:
                try:
                    _write_all(self._out, chunk)
                except BaseException as fault:
                    self._fault = fault


def _write_all(out: IO[bytes], parts: Sequence[bytes]) -> None:
    if not isinstance(out, io.BufferedWriter) or not hasattr(os, "writev"):  # packed, or another system
        out.writelines(parts)
        return
    for start in range(0, len(parts), PARTS_AT_ONCE):
        batch = parts[start : start + PARTS_AT_ONCE]
        written = os.writev(out.fileno(), batch)
        if written < sum(map(len, batch)):  # a pipe, a signal, a disk that is nearly full
            rest = memoryview(b"".join(batch))[written:]
            while rest:
                rest = rest[os.write(out.fileno(), rest) :]


@contextmanager
def fresh(
    path: str | Path, *, sources: Iterable[str | Path] = (), durable: bool = False
) -> Iterator[IO[bytes]]:
    """Open a temporary file that replaces `path` when the block ends without error.

    A missing folder is made; `-` is standard output. `durable` syncs to disk before renaming. Raises BenchmarkError if
    `path` is one of the `sources` being read.
    """
    if str(path) == STANDARD_OUTPUT:
        with open(1, "wb", closefd=False) as out:
            yield out
        return
    if any(_same(path, source) for source in sources):
        raise BenchmarkError(f"{path} is an input of this command: write to another file")
    # a terminal, a pipe, /dev/null; open refuses a folder
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as out:
            yield out
        return
    target = Path(os.path.realpath(path))  # a link keeps pointing at its file
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name[:200]}.{os.getpid()}.part")
    try:
        out = open(part, "wb")  # noqa: SIM115 - closed below, before it is moved
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from error
    try:
        with out:
            yield out
            if durable:
                out.flush()
                os.fsync(out.fileno())
        os.replace(part, target)
        _note(path)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def watched() -> Iterator[dict[str, int | None]]:
    """Yield a dict of the files written in the block: path -> number of rows, or None for a file without rows."""
    written: dict[str, int | None] = {}
    token = _written.set(written)
    try:
        yield written
    finally:
        _written.reset(token)


def _note(path: str | Path, rows: int | None = None) -> None:
    if (written := _written.get()) is not None:
        written[str(path)] = rows


def save(path: str | Path, content: bytes) -> None:
    with fresh(path) as out:
        out.write(content)


def _same(first: str | Path, second: str | Path) -> bool:
    return os.path.exists(first) and os.path.exists(second) and os.path.samefile(first, second)


def _packed(raw: IO[bytes], path: str | Path) -> IO[bytes]:
    if str(path).endswith(".gz"):
        return gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=6, mtime=0)  # type: ignore[return-value]
    return io.BufferedWriter(raw, BUFFER)
