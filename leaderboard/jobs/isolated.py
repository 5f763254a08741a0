"""Reads uploaded files in separate processes, bounded in CPU time and memory.

The processes are forked in about 20 ms from a server that has only the engine loaded (no database or threads).
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
from collections.abc import Callable, Mapping
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypedDict, TypeVar

import orjson

from evaluation.core import validation
from evaluation.core.errors import BenchmarkError
from evaluation.core.suite import SUITES, ExpectedRows, Problem, Suite
from evaluation.core.validation import Intake, Limits

#: Wall-clock seconds per CPU second allowed, before the machine counts as too busy.
WALL = 2
#: Gives the web server about three times the processor time when both compete.
NICE = 5
Result = TypeVar("Result")
_processes = multiprocessing.get_context("forkserver")
# Own suites only: a plugin that fails to import would end the fork server.
_processes.set_forkserver_preload(
    [
        __name__,
        *(place.partition(":")[0] for place in SUITES.built_in.values()),
        "evaluation.adapters.llama.model_file",
        "evaluation.foreign.sent",
        "gguf",  # ignored if not installed
    ]
)


class NoTimeError(Exception):
    """The machine is too busy to finish the work in time."""


class BrokenOffError(Exception):
    """The process ended without a result, for a reason other than the file."""


class TooMuchError(BenchmarkError):
    """The file exceeds the limit of time or memory; the text says which."""


def check(
    path: str | os.PathLike[str], suite: Suite, expected: ExpectedRows, *, limits: Limits, seconds: int
) -> Intake:
    """Run `validation.check` in another process. The result for a file that takes too long is a single problem.

    `seconds` limits CPU time, and `WALL * seconds` wall-clock time. Raises NoTimeError or BrokenOffError.
    """
    ids, bare = _packed(expected), replace(expected, splits={}, lines=None)
    try:
        return run(_check, os.fspath(path), suite, ids, bare, limits, seconds=seconds)
    except TooMuchError as error:
        message = (
            f"Checking the file {error}. Send shorter lines: only the answers, not how they were reached."
        )
        problem = Problem("takes_too_long", message)
        return Intake(problems=[problem], problem_count=1, counts={problem.code: 1})


def run(work: Callable[..., Result], *args: Any, seconds: int, memory: int | None = None) -> Result:
    """Call a module-level function in another process; its arguments and result are pickled.

    Args:
        seconds: Limit of CPU time; the limit of wall-clock time is `WALL * seconds`.
        memory: Bytes of address space on top of what the process has mapped at the start.

    Raises:
        BenchmarkError: The function raised it.
        TooMuchError: The function exceeded a limit.
        NoTimeError: The machine is too busy to finish in time.
        BrokenOffError: The process ended without a result.
    """
    ours, theirs = _processes.Pipe(duplex=False)
    process = _processes.Process(target=_work, args=(theirs, work, args, seconds, memory), daemon=True)
    with ours:
        process.start()
        theirs.close()
        try:
            if not ours.poll(WALL * seconds):
                raise NoTimeError
            result: Result | BenchmarkError = ours.recv()
        except EOFError:
            process.join()
            if process.exitcode == -signal.SIGXCPU:
                raise TooMuchError(f"took more than {seconds:,} s") from None
            raise BrokenOffError(f"the process that read a file ended with {process.exitcode}") from None
        finally:
            process.kill()
            process.join()
            process.close()
    if isinstance(result, BenchmarkError):
        raise result
    return result


def _work(
    answer: Connection, work: Callable[..., Any], args: tuple[Any, ...], seconds: int, memory: int | None
) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    if memory is not None and (mapped := _address_space()):
        resource.setrlimit(resource.RLIMIT_AS, (mapped + memory, mapped + memory))
    os.nice(NICE)
    try:
        result = work(*args)
    except BenchmarkError as error:
        result = error
    except MemoryError:
        result = TooMuchError(f"took more than {memory or 0:,} bytes of memory")
    answer.send(result)


def _address_space() -> int:
    """Bytes of virtual memory that this process has mapped; 0 if unknown."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except OSError:
        return 0


def _check(path: str, suite: Suite, ids: bytes, expected: ExpectedRows, limits: Limits) -> Intake:
    splits, lines = _unpacked(ids)
    return validation.check(path, suite, replace(expected, splits=splits, lines=lines), limits=limits)


class _Expected(TypedDict):
    splits: dict[str, list[str]]
    lines: tuple[list[str], list[str], list[int]] | None  # texts, ids, index of each id's text


def _packed(expected: ExpectedRows) -> bytes:
    """Encode the expected ids as JSON grouped by split, which is ten times faster to pass to a process."""
    by_split: dict[str, list[str]] = {}
    for row_id, split in expected.splits.items():
        by_split.setdefault(split, []).append(row_id)
    packed: _Expected = {"splits": by_split, "lines": None}
    if expected.lines is not None:
        texts = {id(text): text for text in expected.lines.values()}
        number = {known: place for place, known in enumerate(texts)}
        places = [number[id(text)] for text in expected.lines.values()]
        packed["lines"] = list(texts.values()), list(expected.lines), places
    return orjson.dumps(packed)


def _unpacked(data: bytes) -> tuple[Mapping[str, str], Mapping[str, str] | None]:
    packed: _Expected = orjson.loads(data)
    split_by_row: dict[str, str] = {}
    for split, ids in packed["splits"].items():
        split_by_row |= dict.fromkeys(ids, split)
    if packed["lines"] is None:
        return split_by_row, None
    texts, ids, places = packed["lines"]
    return split_by_row, {row_id: texts[place] for row_id, place in zip(ids, places, strict=True)}
