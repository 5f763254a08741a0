"""How fast predictions are graded: `python -m tests.benchmarks.grade`.

Prints rows/s, peak memory and the ratio to the reference's figure (1,716 rows/s and 327 MB: a flat file of
4,800 rows and 297 MB, whole process, two cores): from the flat file as a whole process, from 1x to 16x the
rows, and from the site's frozen form in process.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from evaluation import goldevidence
from evaluation.core import jsonl
from evaluation.goldevidence.data import flat
from evaluation.goldevidence.suite import SUITE
from evaluation.goldevidence.systems.baselines import get_baseline

REFERENCE = 1_716  # rows/s
ROWS_PER_EPISODE = 24
STEPS = 285  # rows of 62 kB, as the reference's


def rows(episodes: int) -> Iterator[dict[str, Any]]:
    """Rows in the reference's shape and size."""
    return goldevidence.generate({"episodes": episodes, "steps": STEPS})


def write_files(folder: str, episodes: int, baseline: str) -> tuple[Path, Path]:
    """The data file and a baseline's predictions."""
    data, pred, answers = Path(folder, "data.jsonl"), Path(folder, "pred.jsonl"), get_baseline(baseline)
    flat.write(data, rows(episodes))
    jsonl.write(pred, map(answers.predict, rows(episodes)))
    return data, pred


def whole_process(data: Path, pred: Path) -> tuple[float, float, float]:
    """Seconds, CPU seconds and peak megabytes of `grade --data --pred`, start of Python included."""
    command = [sys.executable, "-m", "evaluation", "grade", "--data", str(data), "--pred", str(pred)]
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    if status:
        raise SystemExit(f"grade ended with {status}")
    process.returncode = 0
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def frozen_form(episodes: int, baseline: str) -> float:
    """Rows per second of `SUITE.grade` from the stored lines of records and predictions; the best of ten."""
    settings = SUITE.check({"generator": {"episodes": episodes}})
    items, answers = list(SUITE.generate(settings)), get_baseline(baseline)
    records = [orjson.dumps(item.gold) for item in items]
    predictions = [orjson.dumps(answers.predict(row)) for item in items for row in item.rows]
    del items

    def seconds() -> float:
        started = time.perf_counter()
        SUITE.grade(map(orjson.loads, records), map(orjson.loads, predictions), settings)
        return time.perf_counter() - started

    return len(predictions) / min(seconds() for _ in range(10))


def main() -> None:
    """Print the table."""
    for episodes in (50, 200, 800):
        with tempfile.TemporaryDirectory() as folder:
            data, pred = write_files(folder, episodes, "ledger")
            size, count = data.stat().st_size / 1e6, episodes * ROWS_PER_EPISODE
            seconds, cpu, peak = min(whole_process(data, pred) for _ in range(5))
        print(
            f"flat file, {count:6d} rows, {size:5.0f} MB: {count / seconds:7,.0f} rows/s "
            f"{count / seconds / REFERENCE:5.1f}x  peak {peak:.0f} MB  ({cpu:.2f} s of CPU)"
        )
    for baseline in ("ledger", "naive"):
        speed = frozen_form(200, baseline)
        print(f"frozen form, 4800 rows, {baseline}: {speed:7,.0f} rows/s {speed / REFERENCE:5.1f}x")


if __name__ == "__main__":
    main()
