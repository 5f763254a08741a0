"""How fast versions of several lengths are made and graded: `python -m tests.benchmarks.ladder [PRESET …]`.

Prints, for each preset (`ladder`, `ladder_long` and `deep` without an argument) in a process of its own: MB/s of texts
made, peak memory, and rows/s of grading from the frozen form, which the reference does not have; and how soon the
longest text of all is read as a timeline, which a row's page waits for.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from typing import Any

import orjson

from evaluation.goldevidence.presets import get_preset
from evaluation.goldevidence.replay import replay
from evaluation.goldevidence.suite import SUITE
from evaluation.goldevidence.systems.registry import SYSTEMS

PRESETS = ("ladder", "ladder_long", "deep")
TIMES = 10  # grading is repeated so often; the best counts


def measure(name: str) -> None:
    """Make a version, answer it with the ledger's parser, and grade that.

    Args:
        name: A preset.
    """
    settings = get_preset(name).as_json()
    system, records, predictions = SYSTEMS["ledger"].build(), list[bytes](), list[bytes]()
    started, answering, size, texts = time.perf_counter(), 0.0, 0, 0
    for item in SUITE.version(settings).generate():
        records.append(orjson.dumps(item.gold))
        documents = {row["document"]: None for row in item.rows}  # type: ignore[typeddict-item]
        size, texts = size + sum(map(len, documents)), texts + len(documents)
        before = time.perf_counter()
        predictions += [orjson.dumps(system.predict(row)) for row in item.rows]
        answering += time.perf_counter() - before
    seconds = time.perf_counter() - started - answering
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{name}: {len(records)} units, {texts} texts, {size / 1e6:,.0f} MB made in {seconds:.1f} s: "
        f"{size / 1e6 / seconds:.1f} MB/s, peak {peak:.0f} MB; answered in {answering:.1f} s"
    )
    _read(settings)
    best = min(_graded(records, predictions, settings) for _ in range(TIMES))
    speed = len(predictions) / best
    print(f"{name}: {len(predictions)} rows graded from the frozen form: {speed:,.0f} rows/s")


def _read(settings: dict[str, object]) -> None:
    """Print how long it takes to read the longest text of the first unit as a timeline."""
    rows: list[Any] = list(next(iter(SUITE.version(settings).generate())).rows)
    longest = max(rows, key=lambda row: len(row["document"]))
    started = time.perf_counter()
    seen = replay(longest)
    seconds = time.perf_counter() - started
    lines = 0 if seen is None else len(seen.lines)
    print(
        f"its longest text, {len(longest['document']) / 1e6:.1f} MB: {lines:,} lines read in {seconds:.2f} s"
    )


def _graded(records: list[bytes], predictions: list[bytes], settings: dict[str, object]) -> float:
    started = time.perf_counter()
    report = SUITE.version(settings).grade(map(orjson.loads, records), map(orjson.loads, predictions))
    if report.metrics["exact_acc"] != 1.0:
        raise SystemExit("the ledger's parser has to answer everything")
    return time.perf_counter() - started


if __name__ == "__main__":
    if len(sys.argv) == 2:
        measure(sys.argv[1])
    else:
        for preset in sys.argv[1:] or PRESETS:
            subprocess.run([sys.executable, "-m", "tests.benchmarks.ladder", preset], check=True)
