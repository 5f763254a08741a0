"""How fast predictions are graded: `python -m tests.benchmarks.grade`.

Prints rows/s, CPU time and peak memory: from a flat file as a whole process, from 1x to 16x the rows, and from the
site's frozen form in process. With `REFERENCE` its `grade` runs in turn with ours over the same two files.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from evaluation import goldevidence
from evaluation.core import jsonl
from evaluation.core.files import flat
from evaluation.goldevidence.suite import SUITE
from evaluation.goldevidence.systems.baselines import get_baseline
from tests.benchmarks.reference import in_turn, told

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


def frozen_form(episodes: int, baseline: str) -> float:
    """Rows per second of `SUITE.grade` from the stored lines of records and predictions; the best of ten."""
    settings = SUITE.settings.checked({"generator": {"episodes": episodes}})
    items, answers = list(SUITE.version(settings).generate()), get_baseline(baseline)
    records = [orjson.dumps(item.gold) for item in items]
    predictions = [orjson.dumps(answers.predict(row)) for item in items for row in item.rows]
    del items

    def seconds() -> float:
        started = time.perf_counter()
        SUITE.version(settings).grade(map(orjson.loads, records), map(orjson.loads, predictions))
        return time.perf_counter() - started

    return len(predictions) / min(seconds() for _ in range(10))


def main(sizes: tuple[int, ...] = (50, 200, 800)) -> None:
    """Print the table.

    Args:
        sizes: Numbers of episodes.
    """
    for episodes in sizes:
        with tempfile.TemporaryDirectory() as folder:
            data, pred = write_files(folder, episodes, "ledger")
            size, count = data.stat().st_size / 1e6, episodes * ROWS_PER_EPISODE
            words = ["grade", "--data", str(data), "--pred", str(pred)]
            print(
                f"flat file, {count:6d} rows, {size:5.0f} MB: {told(count, *in_turn(words, words))}",
                flush=True,
            )
    for baseline in ("ledger", "naive"):
        speed = frozen_form(200, baseline)
        print(f"frozen form, 4800 rows, {baseline}: {speed:7,.0f} rows/s")


if __name__ == "__main__":
    main()
