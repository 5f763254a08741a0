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
_processes.set_forkserver_preload([__name__, *(place.partition(":")[0] for place in SUITES.values())])


class NoTimeError(Exception):
    """The machine is too busy to check a file in time."""


class BrokenOffError(Exception):
    """The process ended without an answer, which is no fault of the file."""


def check(
    path: str | os.PathLike[str], suite: Suite, expected: ExpectedRows, *, limits: Limits, seconds: int
) -> Intake:
    """As `intake.check`, in at most `seconds` of computing. Raises NoTimeError and BrokenOffError."""
    ours, theirs = _processes.Pipe(duplex=False)
    work = (
        theirs,
        os.fspath(path),
        suite,
        _packed(expected),
        replace(expected, conditions={}),
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
            found: Intake = ours.recv()
            return found
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
    whole = replace(expected, conditions=_unpacked(ids))
    answer.send(validation.check(path, suite, whole, limits=limits))


def _ended(code: int | None, seconds: int) -> Intake:
    """What is said of a file whose process ended without an answer. Raises BrokenOffError."""
    if code != -signal.SIGXCPU:
        raise BrokenOffError(f"the process that checked a file ended with {code}")
    message = f"Checking the file took more than {seconds:,} s. Send shorter lines: the answers, and not how they came."
    problem = Problem("takes_too_long", message)
    return Intake(problems=[problem], problem_count=1, counts={problem.code: 1})


def _packed(expected: ExpectedRows) -> bytes:
    """The ids of a version by condition: a list passes to another process ten times faster than a mapping."""
    by_condition: dict[str, list[str]] = {}
    for row_id, condition in expected.conditions.items():
        by_condition.setdefault(condition, []).append(row_id)
    return orjson.dumps(by_condition)


def _unpacked(data: bytes) -> Mapping[str, str]:
    by_condition: dict[str, list[str]] = orjson.loads(data)
    found: dict[str, Any] = {}
    for condition, ids in by_condition.items():
        found |= dict.fromkeys(ids, condition)
    return found
