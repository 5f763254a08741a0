"""The first and the last page of 200,000 verdicts: `python -m tests.benchmarks.verdicts [rows]`.

Compared with JSON lines, which pages were read from before (first 0.001 s, last 0.56 s).
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from evaluation.core import jsonl
from evaluation.core.report import Report
from evaluation.core.suite import get_suite
from evaluation.frames import VerdictFile, Where, write_verdicts
from evaluation.frames.grouped_file import RowFile, write_row_file

ROWS = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
LIMIT = 25


def verdicts(rows: int) -> Iterator[dict[str, Any]]:
    """Verdicts of GoldEvidenceBench, every third wrong."""
    for n in range(rows):
        wrong = n % 3 == 0
        yield {
            "id": f"r{n:012x}",
            "unit": f"u{n // 24:012x}",
            "condition": ("closed_book", "k4-gold_first", "k4-gold_last")[n % 12 // 4],
            "gold_shown": True,
            "correct": int(not wrong),
            "value_ok": not wrong,
            "cite_p": 1.0,
            "cite_r": float(not wrong),
            "cite_f1": float(not wrong),
            "bloat": False,
            "entailed": not wrong,
            "authority_violation": False,
            "value": f"amber-{n:04}",
            "cited": [f"U{n:06}"],
            "gold": {"value": f"teal-{n:04}" if wrong else f"amber-{n:04}", "support_ids": [f"U{n:06}"]},
            "failure": "stale_value" if wrong else None,
            "reason": "The value was valid earlier and has been overwritten or cleared since."
            if wrong
            else None,
        }


def seconds(action: Callable[[], Any]) -> float:
    """Seconds of the fastest of five runs."""
    return min(once(action) for _ in range(5))


def from_lines(path: Path, start: int, *, failing: bool) -> list[dict[str, Any]]:
    """A page read from JSON lines, starting at the first line."""
    rows = (row for n, row in enumerate(jsonl.read(path)) if n >= start and (row["failure"] or not failing))
    return list(islice(rows, LIMIT))


def rows(count: int) -> Iterator[dict[str, Any]]:
    """Rows of 1.5 kB with candidates, to which the verdicts belong."""
    shown = [
        {"uid": f"U{n:06}", "op": "SET", "key": f"tag.{n:02}", "value": f"amber-{n:04}"} for n in range(20)
    ]
    for n in range(count):
        yield {
            "id": f"r{n:012x}",
            "question": f"What is tag.{n % 20:02}?",
            "candidates": shown,
            "meta": {"n": n},
        }


def questions_of_the_last_page(folder: str) -> None:
    """Time the search for the rows of the last page: through the whole frozen file, and in a copy."""
    frozen, copy = Path(folder, "rows.jsonl.gz"), Path(folder, "rows.parquet")
    jsonl.write(frozen, rows(ROWS))
    making = once(lambda: write_row_file(jsonl.read(frozen), get_suite("goldevidence"), copy))
    last = {f"r{n:012x}" for n in range(ROWS - LIMIT, ROWS)}
    before = once(lambda: [row for row in jsonl.read(frozen) if row["id"] in last])
    footer = RowFile(copy).footer
    after = seconds(lambda: RowFile(copy, footer=footer).find(last))
    print(
        f"their questions      {1000 * before:8.2f} ms  {1000 * after:8.2f} ms; the copy is made in {making:.1f} s"
    )


def once(action: Callable[[], Any]) -> float:
    """Seconds of one run."""
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        lines, kept = Path(folder, "v.jsonl.gz"), Path(folder, "v.parquet")
        report = Report(metrics={}, rows=list(verdicts(ROWS)))
        as_lines = seconds(lambda: jsonl.write(lines, report.rows))
        as_parquet = seconds(lambda: write_verdicts(report, kept))
        print(f"{ROWS:,} verdicts   JSON lines      Parquet")
        print(f"written          {as_lines:8.2f} s   {as_parquet:8.2f} s")
        print(f"size             {lines.stat().st_size / 1e6:7.1f} MB   {kept.stat().st_size / 1e6:7.1f} MB")
        opening = seconds(lambda: VerdictFile(kept).index)
        print(f"footer                          {1000 * opening:7.2f} ms, once a process")
        footer = VerdictFile(kept).footer
        for name, where in (("all rows", Where()), ("failures", Where("any"))):
            for place, start in (("first", 0), ("last", ROWS - 3 * LIMIT)):
                before = seconds(
                    lambda start=start, where=where: from_lines(lines, start, failing=bool(where.failure))
                )
                after = seconds(lambda start=start, where=where: _page(kept, footer, where, start))
                print(f"{place:>5} of {name}  {1000 * before:8.2f} ms  {1000 * after:8.2f} ms")
        numbered = seconds(lambda: VerdictFile(kept, footer=footer).select(Where("any"))[-LIMIT:])
        print(f"last page by number                {1000 * numbered:.2f} ms")
        text = seconds(lambda: VerdictFile(kept, footer=footer).select(Where(text="fff"))[-LIMIT:])
        print(f"last page of ids with a text       {1000 * text:.2f} ms")
        questions_of_the_last_page(folder)


def _page(path: Path, footer: Any, where: Where, start: int) -> list[dict[str, Any]]:
    return VerdictFile(path, footer=footer).select(where).following(start, LIMIT)[0]


if __name__ == "__main__":
    main()
