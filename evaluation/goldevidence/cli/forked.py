"""Creates items in two processes that take turns, if a second core is available."""

from __future__ import annotations

import marshal
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import IO, Any

from evaluation.goldevidence.experiments.processes import usable_cores

_LENGTH = 8  # bytes before each item in the pipe


def alternating(make: Callable[[int], Any], count: int, *, least: int = 16) -> Iterator[Any]:
    """Yield make(0) … make(count - 1) in order, computed by this process and a fork of it in turn.

    Fewer than `least` items are computed without a fork. If the fork fails or is killed, this process computes the
    remaining items. Items must be lists, tuples, texts, bytes or numbers.
    """
    if count < least or not hasattr(os, "fork") or usable_cores() < 2:
        return map(make, range(count))
    # Fork now, not at the first item: no thread of the caller runs yet. Flush, or buffered text is written twice.
    sys.stdout.flush()
    sys.stderr.flush()
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        _serve(make, count, reader, writer)
    os.close(writer)
    return _merged(make, count, os.fdopen(reader, "rb"), child)


def _serve(make: Callable[[int], Any], count: int, reader: int, writer: int) -> None:
    # The first process makes the missing items, and so meets the same error.
    with suppress(BaseException):
        os.close(reader)
        with os.fdopen(writer, "wb") as out:
            for number in range(1, count, 2):
                data = marshal.dumps(make(number))
                out.write(len(data).to_bytes(_LENGTH, "big") + data)
    os._exit(0)


def _merged(make: Callable[[int], Any], count: int, items: IO[bytes], child: int) -> Iterator[Any]:
    try:
        for number in range(count):
            data = _next(items) if number % 2 else b""
            yield marshal.loads(data) if data else make(number)
    finally:
        items.close()  # ends a second process that still writes
        with suppress(ChildProcessError):
            os.waitpid(child, 0)


def _next(items: IO[bytes]) -> bytes:
    length = int.from_bytes(items.read(_LENGTH), "big")
    data = items.read(length)
    return data if len(data) == length else b""
