"""Metrics for `/metrics`: of processes, read from files that the processes write, and of the database."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils import timezone
from filelock import FileLock
from prometheus_client import CollectorRegistry, generate_latest, start_http_server
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from leaderboard.jobs import keeper, queues
from leaderboard.jobs.models import DelayedTask
from leaderboard.watch import checks

#: Sums of ended processes are kept in `<type>_<this>.db`.
ENDED = "ended"
log = logging.getLogger(__name__)


def exposition() -> bytes:
    """All metrics in Prometheus' text format. Only one process of a machine reads at a time."""
    registry = CollectorRegistry()
    MultiProcessCollector(registry, path=str(settings.METRICS_DIR))
    registry.register(SiteMetrics())
    with FileLock(settings.METRICS_DIR / "reading.lock", timeout=10):
        add_up_ended(settings.METRICS_DIR)
        return generate_latest(registry)


@cache  # a worker asks again after each loss of its broker
def serve(address: str) -> None:
    """Serve this machine's process metrics at host:port from a thread; site metrics are on web servers only."""
    registry = CollectorRegistry()
    MultiProcessCollector(registry, path=str(settings.METRICS_DIR))
    host, _, port = address.rpartition(":")
    try:
        start_http_server(int(port), host or "127.0.0.1", registry)
    except (OSError, ValueError, OverflowError) as error:
        log.warning("WORKER_METRICS=%s cannot be served: %s", address, error)


def add_up_ended(folder: Path) -> None:
    """Merge the metrics files of ended processes, which would otherwise accumulate."""
    for path in folder.glob("*_*.db"):
        kind, process = path.stem.split("_", 1)
        if not process.isdigit() or Path(f"/proc/{process}").exists() or not Path("/proc/self").exists():
            continue
        total = MmapedDict(str(folder / f"{kind}_{ENDED}.db"))
        for key, value, _, _ in MmapedDict.read_all_values_from_file(str(path)):
            total.write_value(key, total.read_value(key)[0] + value, 0.0)
        total.close()
        os.unlink(path)


class SiteMetrics(Collector):
    """Metrics of the whole site: checks, queues, leases and periodic work. Without the database, only the checks."""

    def collect(self) -> Iterator[Metric]:
        found = checks.latest()
        passed = GaugeMetricFamily(
            "bench_check_ok", "1 if a check of /readyz passes, else 0.", labels=["check"]
        )
        for check in checks.READY:
            passed.add_metric([check.name], float(check.name not in found))
        yield passed
        if "database" not in found:
            yield from database_metrics()


def database_metrics() -> Iterator[Metric]:
    """Queues, leases and periodic work, by queries whose cost depends only on pending work."""
    yield from _queue_metrics()
    yield from _periodic_metrics()


def _queue_metrics() -> Iterator[Metric]:
    labels = ["queue", "kind"]
    waiting = GaugeMetricFamily("bench_queue_waiting", "Rows that wait for a worker.", labels=labels)
    oldest = GaugeMetricFamily(
        "bench_queue_oldest_seconds", "Seconds that the oldest waiting row has waited.", labels=labels
    )
    held = GaugeMetricFamily("bench_leases_held", "Rows that a worker works on.", labels=labels)
    for kind, queue in queues.by_kind():
        named = [queue.name, kind]
        waiting.add_metric(named, queue.waiting)
        oldest.add_metric(named, _age(queue.oldest))
        held.add_metric(named, queue.working)
    yield from (waiting, oldest, held)


def _periodic_metrics() -> Iterator[Metric]:
    delayed = DelayedTask.objects.filter(due_at__lte=timezone.now()).order_by("due_at")
    late = delayed.values_list("due_at", flat=True).first()
    yield GaugeMetricFamily(
        "bench_delayed_task_seconds", "Seconds that the most overdue task is late.", value=_age(late)
    )
    done = keeper.done_at()
    age = GaugeMetricFamily(
        "bench_periodic_work_age_seconds",
        "Seconds since a worker last did the periodic work; absent before the first time.",
        labels=[],
    )
    if done:
        age.add_metric([], _age(done))
    yield age


def _age(moment: Any) -> float:
    return max(0.0, (timezone.now() - moment).total_seconds()) if moment else 0.0
