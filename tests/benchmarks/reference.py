"""The reference beside ours: both programs in one run, in turn, on one machine.

`make bench REFERENCE=PATH` names its installed command. Without one, benchmarks say what ours takes and no ratio: a
figure of another machine is none to divide by.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

OURS = (sys.executable, "-m", "evaluation")
TIMES = 3


class Timed(NamedTuple):
    """The least of some runs of a whole process, start of Python included; the peak is the largest."""

    seconds: float
    cpu: float
    peak: float  # MB


def command() -> tuple[str, ...]:
    """The reference's command, from `REFERENCE`; empty where it is not given."""
    path = os.environ.get("REFERENCE", "")
    if path and not (os.path.isfile(path) and os.access(path, os.X_OK)):
        raise SystemExit(
            f"REFERENCE={path} is no program: give the path of the reference's installed command"
        )
    return (path,) if path else ()


def timed(words: Sequence[str], environment: Mapping[str, str] | None = None) -> Timed:
    """One run of a command, silent.

    Args:
        words: The program and its arguments.
        environment: Of the process; that of this one where None.

    Returns:
        What it took.
    """
    started = time.perf_counter()
    process = subprocess.Popen(
        words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(environment or os.environ)
    )
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(words)} ended with {process.returncode}")
    return Timed(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def in_turn(
    ours: Sequence[str], theirs: Sequence[str] = (), times: int = TIMES
) -> tuple[Timed, Timed | None]:
    """The least of some runs of ours and of the reference, one after the other; each runs once before.

    Args:
        ours: Arguments of our command.
        theirs: Those of the reference's, which mean the same.
        times: Runs of each that count.

    Returns:
        Ours, and the reference's where there is one.
    """
    commands = [[*OURS, *ours], [*command(), *theirs]] if command() and theirs else [[*OURS, *ours]]
    rounds = [[timed(words) for words in commands] for _ in range(times + 1)][1:]
    least = [Timed(*map(min, zip(*runs, strict=True))) for runs in zip(*rounds, strict=True)]
    return least[0], least[1] if len(least) > 1 else None


def told(rows: int, ours: Timed, theirs: Timed | None) -> str:
    """Ours, the reference's, and how many times as fast ours is, by the clock and in CPU time."""
    text = f"{rows / ours.seconds:9,.0f} rows/s ({ours.cpu:.2f} s of CPU, {ours.peak:.0f} MB)"
    if theirs is None:
        return text
    return (
        f"{text}; the reference {rows / theirs.seconds:7,.0f} rows/s ({theirs.cpu:.2f} s of CPU, "
        f"{theirs.peak:.0f} MB): {theirs.seconds / ours.seconds:.1f}x, of CPU {theirs.cpu / ours.cpu:.1f}x"
    )
