"""How fast a grid of a deterministic system is: `python -m tests.benchmarks.sweep`.

Runs 12 cells over the whole book (three seeds, two state modes, two profiles) and 12 over candidates (three seeds, four
orders) as whole processes and prints seconds and CPU seconds, the least and the median of some runs; beside them those
of the reference's own sweep over the whole book, in turn with ours, where `REFERENCE` names its command. It has no
sweep over candidates. Modules are compiled once, as an installation has them: the first run writes them into a folder
of their own and does not count. `--first` (needs root) gives these processes priority over all others of a
shared machine.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import orjson

from tests.benchmarks import reference

STEPS = 285  # rows of 62 kB, as the reference's
TIMES = 5
#: Grids that the reference has. 220 of its steps are as many bytes as 285 of ours.
SHARED_GRIDS = {
    "whole book": "--seeds 3 --steps 220 --keys 14 --chapters 8 --distractor-profiles standard,instruction "
    "--state-modes kv,set"
}
SHARED = f"--seeds 3 --steps {STEPS} --keys 14 --chapters 8 --distractor-profiles"
GRIDS = {
    "whole book": f"{SHARED} standard,instruction --state-modes kv,set --systems ledger",
    "candidates": f"{SHARED} standard --k-list 4 --orders gold_first,gold_middle,gold_last,shuffle",
}


def whole_process(
    out: Path, words: str, episodes: int, environment: Mapping[str, str]
) -> tuple[float, float, int]:
    """Seconds, CPU seconds and rows of a sweep, start of Python, tables and report included."""
    command = [sys.executable, "-m", "evaluation", "sweep", "run", "--out", str(out), *words.split()]
    started = time.perf_counter()
    process = subprocess.Popen(
        [*command, "--episodes", str(episodes)], stdout=subprocess.DEVNULL, env=dict(environment)
    )
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    if status:
        raise SystemExit(f"sweep ended with {status}")
    process.returncode = 0
    runs = orjson.loads((out / "combined.json").read_bytes())
    if len(runs) != 12 or any(run["metrics"]["exact_acc"] != 1.0 for run in runs):
        raise SystemExit("the system has to be right in 12 cells")
    return seconds, usage.ru_utime + usage.ru_stime, sum(run["data"]["n"] for run in runs)


def theirs(name: str, episodes: int, environment: Mapping[str, str]) -> float | None:
    """Seconds of the reference's sweep of the same grid; None without a reference."""
    if not reference.command() or name not in SHARED_GRIDS:
        return None
    with tempfile.TemporaryDirectory() as folder:
        words = [*reference.command(), "sweep", "--out", folder, *SHARED_GRIDS[name].split()]
        return reference.timed([*words, "--episodes", str(episodes)], environment).seconds


def compiled(folder: str) -> dict[str, str]:
    """The environment of a process that stores its compiled modules in a folder."""
    others = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return others | {"PYTHONPYCACHEPREFIX": folder}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", action="store_true", help="before all other processes (superuser, Linux)")
    parser.add_argument("--times", type=int, default=TIMES, help=f"runs of each (default {TIMES})")
    args = parser.parse_args()
    if args.first:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    with tempfile.TemporaryDirectory() as modules:
        for name, words in GRIDS.items():
            for episodes in (4, 17):
                _print_grid(name, words, episodes, args.times, compiled(modules))


def _print_grid(name: str, words: str, episodes: int, times: int, environment: Mapping[str, str]) -> None:
    """Print a grid's line, measured in runs in turn; the first run of each does not count."""
    rounds = [
        (_measured(words, episodes, environment), theirs(name, episodes, environment))
        for _ in range(times + 1)
    ][1:]
    walls, cpu, rows = sorted(run[0] for run, _ in rounds), min(run[1] for run, _ in rounds), rounds[0][0][2]
    middle = statistics.median(walls)
    text = f"12 cells, {name}, {rows:5d} rows: {walls[0]:.2f} s, median {middle:.2f} s ({cpu:.2f} s of CPU)"
    if others := sorted(seconds for _, seconds in rounds if seconds is not None):
        theirs_middle = statistics.median(others)
        text += (
            f", the reference {others[0]:.2f} s, median {theirs_middle:.2f} s: {others[0] / walls[0]:.1f}x, "
            f"median {theirs_middle / middle:.1f}x"
        )
    print(text, flush=True)


def _measured(words: str, episodes: int, environment: Mapping[str, str]) -> tuple[float, float, int]:
    with tempfile.TemporaryDirectory() as folder:
        return whole_process(Path(folder) / "sweep", words, episodes, environment)


if __name__ == "__main__":
    main()
