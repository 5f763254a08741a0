"""Counters of work, kept per process and summed by `/metrics`; see `leaderboard.watch.numbers`.

Each has a label: a metric without labels would create a file for every command that imports it.
"""

from __future__ import annotations

from prometheus_client import Counter, Histogram

ROWS_GRADED = Counter("bench_rows_graded", "Rows graded, regrades included.", ["suite"])
GRADING_SECONDS = Histogram(
    "bench_grading_seconds", "Grading of one file.", ["suite"], buckets=(0.1, 0.5, 1, 5, 15, 60, 300)
)
PLACEMENT_SECONDS = Histogram(
    "bench_placements_seconds",
    "Placements of one version, computed by a worker.",
    ["suite"],
    buckets=(0.1, 0.5, 1, 5, 15, 60, 300),
)
WORK_FAULTS = Counter(
    "bench_work_faults",
    "Attempts that did not end well: database, storage, disk and file wait, error is tried again, "
    "death and restart are of workers, failed is final.",
    ["kind", "reason"],
)


def count_fault(kind: type, reason: str) -> None:
    WORK_FAULTS.labels(kind.__name__.lower(), reason).inc()
