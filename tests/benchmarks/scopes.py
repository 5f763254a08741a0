"""Whether anything that does not hold is shown or current in 20,000 random timelines.

    python -m tests.benchmarks.scopes [TIMELINES]

The timelines mix scopes that are entered and left, pointers by id and key, authority, dependencies, restating turns,
several queries and budgets; what must hold is told by the naive model of the tests. Exit code 1 where anything differs;
the seed of each is printed.
"""

from __future__ import annotations

import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor

from tests.evaluation.statebench.context.scoped_checks import leaks, misreadings
from tests.evaluation.statebench.context.scoped_timelines import scoped_timeline

TIMELINES = 20_000
SHOWN = 10


def faults(seed: int) -> tuple[int, list[str], list[str]]:
    """What is shown wrongly and read wrongly of the timeline of a seed."""
    row = scoped_timeline(seed)
    return seed, leaks(row), misreadings(row)


def main(count: int) -> int:
    """The number of timelines with a fault."""
    started, leaking, misread, shown = time.perf_counter(), 0, 0, 0
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for seed, leaked, wrong in pool.map(faults, range(count), chunksize=100):
            leaking += bool(leaked)
            misread += bool(wrong)
            if (leaked or wrong) and shown < SHOWN:
                shown += 1
                print(f"seed {seed}: {[*leaked, *wrong][0]}")
    seconds = time.perf_counter() - started
    print(f"{count:,} timelines: {leaking:,} leak, {misread:,} are read wrongly ({seconds:.0f} s)")
    return leaking + misread


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else TIMELINES) > 0)
