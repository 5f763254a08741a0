"""The check of a stranger's file in a process of its own, within a bound of computing time.

Whatever a file does to it, the web server goes on serving, at a higher priority. Each process is forked from a server
that has the engine loaded and nothing else: no database, no settings, no threads. So it starts in some 20 ms.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
from collections.abc import Mapping
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Any

import orjson

from evaluation.core import validation
from evaluation.core.suite import SUITES, ExpectedRows, Problem, Suite
from evaluation.core.validation import Intake, Limits

#: Seconds of a clock to each of computing, before the machine counts as too busy.
WALL = 2
#: The web server has the processor first: three times as much of it, where both want it.
NICE = 5
_processes = multiprocessing.get_context("forkserver")
# Ours only: what a distribution adds may fail in any way, and would take the server of processes with it.
_processes.set_forkserver_preload(
    [__name__, *(place.partition(":")[0] for place in SUITES.built_in.values())]
)


class NoTimeError(Exception):
    """The machine is too busy to check a file in time."""


class BrokenOffError(Exception):
    """The process ended without an answer, which is no fault of the file."""


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
    ours, theirs = _processes.Pipe(duplex=False)
    work = (
        theirs,
        os.fspath(path),
        suite,
        _packed(expected),
        replace(expected, splits={}, lines=None),
        limits,
        seconds,
    )
    process = _processes.Process(target=_work, args=work, daemon=True)
    with ours:
        process.start()
        theirs.close()
        try:
            if not ours.poll(WALL * seconds):
                raise NoTimeError
            result: Intake = ours.recv()
            return result
        except EOFError:
            process.join()
            return _ended(process.exitcode, seconds)
        finally:
            process.kill()
            process.join()
            process.close()


def _work(
    answer: Connection,
    path: str,
    suite: Suite,
    ids: bytes,
    expected: ExpectedRows,
    limits: Limits,
    seconds: int,
) -> None:
    """What the process does."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    os.nice(NICE)
    splits, lines = _unpacked(ids)
    whole = replace(expected, splits=splits, lines=lines)
    answer.send(validation.check(path, suite, whole, limits=limits))


def _ended(code: int | None, seconds: int) -> Intake:
    """The message for a file whose process ended without an answer. Raises BrokenOffError."""
    if code != -signal.SIGXCPU:
        raise BrokenOffError(f"the process that checked a file ended with {code}")
    message = (
        f"Checking the file took more than {seconds:,} s. "
        "Send shorter lines: only the answers, not how they were reached."
    )
    problem = Problem("takes_too_long", message)
    return Intake(problems=[problem], problem_count=1, counts={problem.code: 1})


def _packed(expected: ExpectedRows) -> bytes:
    """The ids of a version by split: a list passes to another process ten times faster than a mapping.

    So do the lines that rows hold: of those that share an object, each once.
    """
    by_split: dict[str, list[str]] = {}
    for row_id, split in expected.splits.items():
        by_split.setdefault(split, []).append(row_id)
    packed: dict[str, Any] = {"splits": by_split, "lines": None}
    if expected.lines is not None:
        texts = {id(text): text for text in expected.lines.values()}
        number = {known: place for place, known in enumerate(texts)}
        places = [number[id(text)] for text in expected.lines.values()]
        packed["lines"] = [list(texts.values()), list(expected.lines), places]
    return orjson.dumps(packed)


def _unpacked(data: bytes) -> tuple[Mapping[str, str], Mapping[str, str] | None]:
    packed: dict[str, Any] = orjson.loads(data)
    split_by_row: dict[str, str] = {}
    for split, ids in packed["splits"].items():
        split_by_row |= dict.fromkeys(ids, split)
    if packed["lines"] is None:
        return split_by_row, None
    texts, ids, places = packed["lines"]
    return split_by_row, {row_id: texts[place] for row_id, place in zip(ids, places, strict=True)}
