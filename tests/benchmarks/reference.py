"""The reference beside ours: both programs in one run, in turn, on one machine.

`make bench REFERENCE=PATH` names its installed command. Without it, benchmarks print only our times and no ratio, as
times of different machines cannot be compared.
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
    """The fastest of several runs of a whole process, start of Python included; `peak` is the highest of all."""

    seconds: float
    cpu: float
    peak: float  # MB


def command() -> tuple[str, ...]:
    """The reference's command, from `REFERENCE`; empty if it is not set."""
    path = os.environ.get("REFERENCE", "")
    if path and not (os.path.isfile(path) and os.access(path, os.X_OK)):
        raise SystemExit(
            f"REFERENCE={path} is no program: give the path of the reference's installed command"
        )
    return (path,) if path else ()


def timed(words: Sequence[str], environment: Mapping[str, str] | None = None) -> Timed:
    """Time one silent run of a command.

    Args:
        words: The program and its arguments.
        environment: Environment of the process; None: the present one.

    Returns:
        Its time and memory.
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
    """The fastest of several runs of ours and of the reference, in turn; each runs once before.

    Args:
        ours: Arguments of our command.
        theirs: Equivalent arguments of the reference's command.
        times: Runs of each that count.

    Returns:
        Ours, and the reference's if there is one.
    """
    commands = [[*OURS, *ours], [*command(), *theirs]] if command() and theirs else [[*OURS, *ours]]
    rounds = [[timed(words) for words in commands] for _ in range(times + 1)][1:]
    least = [Timed(*map(min, zip(*runs, strict=True))) for runs in zip(*rounds, strict=True)]
    return least[0], least[1] if len(least) > 1 else None


def told(rows: int, ours: Timed, theirs: Timed | None) -> str:
    """A line of our time, the reference's, and their ratio by the clock and in CPU time."""
    text = f"{rows / ours.seconds:9,.0f} rows/s ({ours.cpu:.2f} s of CPU, {ours.peak:.0f} MB)"
    if theirs is None:
        return text
    return (
        f"{text}; the reference {rows / theirs.seconds:7,.0f} rows/s ({theirs.cpu:.2f} s of CPU, "
        f"{theirs.peak:.0f} MB): {theirs.seconds / ours.seconds:.1f}x, of CPU {theirs.cpu / ours.cpu:.1f}x"
    )
