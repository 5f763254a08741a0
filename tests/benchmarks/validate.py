"""How fast a predictions file is checked: `python -m tests.benchmarks.validate`.

200,000 rows, plain and gzipped, as fields and as a text; as the command line checks them, and in a process of its own
as the site does. The reference has no such check. A decompression bomb is timed as well.
"""

from __future__ import annotations

import gzip
import resource
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from evaluation.core import jsonl, validation
from evaluation.core.suite import ExpectedRows
from evaluation.core.validation import Intake, Limits
from evaluation.goldevidence.suite import SUITE
from leaderboard.jobs import isolated

ROWS = 200_000
TRIES = 5
LIMITS = Limits(max_bytes=64 << 20, max_expanded_bytes=512 << 20)
IDS = [f"E{number // 20:05d}-Q{number % 20:03d}@k4-shuffle" for number in range(ROWS)]
EXPECTED = ExpectedRows(dict.fromkeys(IDS, "k4-shuffle"))


def fields() -> Iterable[dict[str, Any]]:
    """Answers with a value and a citation."""
    for number, row_id in enumerate(IDS):
        yield {"id": row_id, "value": f"v{number % 997}", "support_ids": [f"U{number * 7919 % 16777216:06X}"]}


def texts() -> Iterable[dict[str, Any]]:
    """The same answers as texts that a model writes."""
    for row in fields():
        answer = jsonl.dumps({name: row[name] for name in ("value", "support_ids")}).decode()
        yield {"id": row["id"], "output": f"Sure: ```json\n{answer}\n```"}


def here(path: Path) -> Intake:
    """Check a file as the command line does."""
    return validation.check(path, SUITE, EXPECTED, limits=LIMITS)


def apart(path: Path) -> Intake:
    """Check a file as the site does, in its own process."""
    return isolated.check(path, SUITE, EXPECTED, limits=LIMITS, seconds=60)


def seconds(check: Callable[[Path], Intake], path: Path, *, ok: bool = True) -> float:
    """Seconds by the clock of the fastest of several checks."""
    collected = []
    for _ in range(TRIES):
        started = time.perf_counter()
        assert check(path).ok == ok
        collected.append(time.perf_counter() - started)
    return min(collected)


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        files = {"fields": fields(), "fields, gzip": fields(), "texts": texts()}
        for name, rows in files.items():
            path = Path(folder, "pred.jsonl.gz" if "gzip" in name else "pred.jsonl")
            jsonl.write(path, rows)
            for how, check in (("in process", here), ("apart", apart)):
                took = seconds(check, path)
                print(f"{ROWS} rows, {name:12s} {how:10s}: {ROWS / took:9,.0f} rows/s {took:6.2f} s")
        small, bomb = Path(folder, "small"), Path(folder, "bomb")
        jsonl.write(small, ({"id": IDS[0], "value": "x"} for _ in range(2)))
        bomb.write_bytes(gzip.compress(b"x\n" * (7 << 20)))
        print(f"a small file, apart: {1000 * seconds(apart, small, ok=False):.0f} ms")
        print(
            f"7 million bad lines in {bomb.stat().st_size / 1000:.1f} kB: {1000 * seconds(here, bomb, ok=False):.0f} ms"
        )
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
