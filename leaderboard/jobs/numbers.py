"""Prometheus metrics of jobs, kept per process and summed by `/metrics`; see `leaderboard.watch.numbers`.

Each metric has a label: a metric without labels creates a file in every command that imports it.
"""

from __future__ import annotations

from prometheus_client import Counter, Histogram

ROWS_GRADED = Counter("bench_rows_graded", "Rows graded, regrades included.", ["suite"])
GRADING_SECONDS = Histogram(
    "bench_grading_seconds", "Seconds to grade one file.", ["suite"], buckets=(0.1, 0.5, 1, 5, 15, 60, 300)
)
PLACEMENT_SECONDS = Histogram(
    "bench_placements_seconds",
    "Seconds to compute the placements of one version.",
    ["suite"],
    buckets=(0.1, 0.5, 1, 5, 15, 60, 300),
)
WORK_FAULTS = Counter(
    "bench_work_faults",
    "Unsuccessful attempts by reason: database, storage, disk, file (faults of the site), error (retried), "
    "death (of the worker), restart (of its machine), failed (final).",
    ["kind", "reason"],
)


def count_fault(kind: type, reason: str) -> None:
    WORK_FAULTS.labels(kind.__name__.lower(), reason).inc()
