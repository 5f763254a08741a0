"""Count how many of 20 seeds detect each fault, with the default number of timelines.

    python -m tests.benchmarks.conforming [SEEDS]

Exit code 1 if a fault is found by no seed, or if the second implementation fails without a fault.
"""

from __future__ import annotations

import sys
import time

from evaluation.core.errors import AdapterError
from evaluation.statebench.conformance.model.running import TIMELINES, failures
from evaluation.statebench.conformance.protocol import Implementation
from tests.evaluation.statebench.conformance.second import second
from tests.evaluation.statebench.conformance.second_mutants import FAULTS, mutant

SEEDS = 20


def first_timeline(implementation: Implementation, seed: int) -> int | None:
    """The number of timelines after which a seed finds a fault; None if it does not."""
    try:
        failure = next(failures(implementation, seed=seed, timelines=TIMELINES), None)
    except AdapterError:
        return 1
    return None if failure is None else failure.number + 1


def main(seeds: int) -> bool:
    """True if every fault is found, and none in the unchanged implementation."""
    started, counts = time.perf_counter(), []
    for name in FAULTS:
        found = [
            number for seed in range(seeds) if (number := first_timeline(mutant(name), seed)) is not None
        ]
        counts.append(len(found))
        median = sorted(found)[len(found) // 2] if found else 0
        print(f"{name}: {len(found)} of {seeds} seeds, the median after {median} timelines", flush=True)
    wrongly = [seed for seed in range(seeds) if first_timeline(second, seed) is not None]
    always = sum(count == seeds for count in counts)
    print(
        f"{always} of {len(counts)} faults by every seed, the least by {min(counts)} of {seeds}; "
        f"without a fault {len(wrongly)} of {seeds} fail ({time.perf_counter() - started:.0f} s)"
    )
    return min(counts) > 0 and not wrongly


if __name__ == "__main__":
    sys.exit(not main(int(sys.argv[1]) if len(sys.argv) > 1 else SEEDS))
