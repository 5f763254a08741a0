"""Spreads numbered work over forked processes; each process takes the next number as soon as it is free."""

from __future__ import annotations

import os
import signal
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TypeAlias, TypeVar

_NUMBER = struct.Struct("=i")
#: Numbers that a pipe holds before they are read: POSIX promises 512 bytes, every system in use has 4,096.
_MOST_WAITING = 4096 // _NUMBER.size

Result = TypeVar("Result")
Work: TypeAlias = Callable[[int], Iterator[Result]]


def usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def spread(count: int, do: Work[Result], read: Work[Result], *, processes: int) -> Iterator[Result]:
    """Yield the results for the numbers 0 to `count` - 1, in the order in which they finish.

    Without fork, this process does all the work. If another process fails, this process repeats the work and so raises
    the error. A caller that stops early waits for work in progress. `do` must write its results to files, because the
    memory of other processes is lost; `read` reads those files in this process.
    """
    workers = min(processes, count)
    if workers < 2 or not hasattr(os, "fork"):
        for number in range(count):
            yield from do(number)
        return
    for start in range(0, count, _MOST_WAITING):
        yield from _side_by_side(
            _divided(start, min(start + _MOST_WAITING, count), workers), do, read, workers
        )


def _divided(start: int, end: int, parts: int) -> list[int]:
    """Order the numbers so that processes which take turns each get neighbouring numbers."""
    size = -(-(end - start) // parts)
    return [number for place in range(start, start + size) for number in range(place, end, size)]


def _side_by_side(
    numbers: Sequence[int], do: Work[Result], read: Work[Result], workers: int
) -> Iterator[Result]:
    queue, done = _pipe_with(numbers), os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    children = [_forked(queue, done, do) for _ in range(workers - 1)]
    os.close(done[1])
    missing = set(numbers)
    try:
        while (number := _next(queue)) is not None:
            yield from do(number)
            missing.discard(number)
            os.set_blocking(done[0], False)
            yield from _read(done[0], missing, read)
        os.set_blocking(done[0], True)
        yield from _read(done[0], missing, read)
        for number in sorted(missing):
            yield from do(number)
    finally:
        while _next(queue) is not None:  # empty the queue, so that no process begins more work
            pass
        os.close(queue)
        os.close(done[0])
        for child in children:
            with suppress(ChildProcessError):
                os.waitpid(child, 0)


def _pipe_with(numbers: Sequence[int]) -> int:
    reader, writer = os.pipe()
    with os.fdopen(writer, "wb") as out:
        out.write(b"".join(map(_NUMBER.pack, numbers)))
    return reader


def _next(pipe: int) -> int | None:
    """Read the next number in the shared pipe. Returns None at its end, or if no number is there yet."""
    try:
        data = os.read(pipe, _NUMBER.size)
    except BlockingIOError:
        return None
    return None if len(data) < _NUMBER.size else int(_NUMBER.unpack(data)[0])


def _read(pipe: int, missing: set[int], read: Work[Result]) -> Iterator[Result]:
    while (number := _next(pipe)) is not None:
        missing.discard(number)
        yield from read(number)


def _forked(queue: int, done: tuple[int, int], do: Work[Result]) -> int:
    """Fork a process that reports each finished number, and exits silently at the first error. Returns its id."""
    child = os.fork()
    if child:
        return child
    with suppress(BaseException):
        # A terminal sends Ctrl-C to all processes; the first one decides.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.close(done[0])
        while (number := _next(queue)) is not None:
            for _ in do(number):
                pass
            os.write(done[1], _NUMBER.pack(number))
    os._exit(0)
