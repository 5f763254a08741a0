"""How fast episodes are generated: `python -m tests.benchmarks.generate`.

Prints rows/s, peak memory and the ratio to the reference's figure (2,522 rows/s: 4,800 rows written by a
whole process on two cores), in process and as a whole process, from 1x to 16x the rows.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from evaluation import goldevidence

REFERENCE = 2_522  # rows/s
ROWS_PER_EPISODE = 24


def in_process(episodes: int) -> float:
    """Rows per second of iterating over `goldevidence.generate`."""
    started = time.perf_counter()
    rows = sum(1 for _ in goldevidence.generate({"episodes": episodes}))
    return rows / (time.perf_counter() - started)


def whole_process(episodes: int, folder: str) -> tuple[float, float, float]:
    """Rows per second of `generate --out`, start of Python included, megabytes written, and CPU seconds.

    On a busy disk the CPU time tells what the program costs and the wall time what the disk costs.
    """
    out = Path(folder, "rows.jsonl")
    command = [sys.executable, "-m", "evaluation", "generate", "--episodes", str(episodes), "--out", str(out)]
    started, before = time.perf_counter(), _cpu_of_children()
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    seconds, cpu, size = time.perf_counter() - started, _cpu_of_children() - before, out.stat().st_size / 1e6
    out.unlink()
    return episodes * ROWS_PER_EPISODE / seconds, size, cpu


def _cpu_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    """Print the table; the best of three of each."""
    for episodes in (50, 200, 800):
        speed = max(in_process(episodes) for _ in range(3))
        rows = episodes * ROWS_PER_EPISODE
        print(f"in process, {rows:6d} rows: {speed:8,.0f} rows/s  {speed / REFERENCE:5.1f}x")
    with tempfile.TemporaryDirectory() as folder:
        for episodes in (200, 800):
            speed, size, cpu = max(whole_process(episodes, folder) for _ in range(3))
            rows = episodes * ROWS_PER_EPISODE
            print(
                f"written, {rows:6d} rows, {size:4.0f} MB: {speed:8,.0f} rows/s  {speed / REFERENCE:5.1f}x"
                f"  ({cpu:.2f} s of CPU)"
            )
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"peak memory of the writing process: {peak:.0f} MB")


if __name__ == "__main__":
    main()
