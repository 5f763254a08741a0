"""Strangers' files are read in processes of their own, within bounds of computing time and memory.

Whatever a file does to it, the web server goes on serving, at a higher priority. Each process is forked from a server
that has the engine loaded and nothing else: no database, no settings, no threads. So it starts in some 20 ms.
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

#: Seconds of a clock to each of computing, before the machine counts as too busy.
WALL = 2
#: The web server has the processor first: three times as much of it, where both want it.
NICE = 5
Result = TypeVar("Result")
_processes = multiprocessing.get_context("forkserver")
# Ours only: what a distribution adds may fail in any way, and would take the server of processes with it.
_processes.set_forkserver_preload(
    [
        __name__,
        *(place.partition(":")[0] for place in SUITES.built_in.values()),
        "evaluation.adapters.llama.model_file",
        "gguf",  # which is left out where it is not installed
    ]
)


class NoTimeError(Exception):
    """The machine is too busy to check a file in time."""


class BrokenOffError(Exception):
    """The process ended without an answer, which is no fault of the file."""


class TooMuchError(BenchmarkError):
    """The file takes more time or memory than it may; the text says which."""


def check(
    path: str | os.PathLike[str], suite: Suite, expected: ExpectedRows, *, limits: Limits, seconds: int
) -> Intake:
    """Check a predictions file as `intake.check` does, in another process and within a bound of computing time.

    Args:
        path: The file, gzip or not.
        suite: Of the version that it answers.
        expected: The ids of that version, each with its split.
        limits: Of the file and its lines.
        seconds: Of computing, at most; by the clock, `WALL` times as many.

    Returns:
        What the check found. A file that takes too long has that as its only problem.

    Raises:
        NoTimeError: The machine is too busy to check it in time.
        BrokenOffError: The process ended without an answer.
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
    """Call a function in another process.

    Args:
        work: A function of a module.
        args: What it is given; they and its result are pickled.
        seconds: Of computing, at most; by the clock, `WALL` times as many.
        memory: Bytes of address space that it may add to what each process here has.

    Returns:
        Its result.

    Raises:
        BenchmarkError: As the function raised it.
        TooMuchError: It took more than it may.
        NoTimeError: The machine is too busy to finish in time.
        BrokenOffError: The process ended without an answer.
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
    """What the process does."""
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
    """Bytes that this process has mapped: libraries reserve gigabytes. 0 where Linux does not say."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except OSError:
        return 0


def _check(path: str, suite: Suite, ids: bytes, expected: ExpectedRows, limits: Limits) -> Intake:
    splits, lines = _unpacked(ids)
    return validation.check(path, suite, replace(expected, splits=splits, lines=lines), limits=limits)


class _Expected(TypedDict):
    """The ids of a version, as they pass to another process."""

    splits: dict[str, list[str]]
    lines: tuple[list[str], list[str], list[int]] | None  # texts, ids, and the place of each id's text


def _packed(expected: ExpectedRows) -> bytes:
    """The ids of a version by split: a list passes to another process ten times faster than a mapping.

    So do the lines that rows hold: of those that share an object, each once.
    """
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
