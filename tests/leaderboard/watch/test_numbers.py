"""Numbers of short-lived processes are added up, and those of the database cost no more than the pending work."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.metrics import MetricWrapperBase
from prometheus_client.multiprocess import MultiProcessCollector

from leaderboard.jobs import numbers as of_work
from leaderboard.submissions.models import Submission
from leaderboard.watch import middleware, numbers
from tests.live import ROOT
from tests.plans import crowd, recorded, scans

COUNT = "from leaderboard.jobs import numbers; numbers.ROWS_GRADED.labels('toy').inc(3)"


def exposed(folder: Path) -> str:
    registry = CollectorRegistry()
    MultiProcessCollector(registry, path=str(folder))
    return generate_latest(registry).decode()


def test_numbers_outlive_their_processes_in_one_file(tmp_path: Path) -> None:
    env = {"PROMETHEUS_MULTIPROC_DIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    for _ in range(3):
        subprocess.run([sys.executable, "-c", COUNT], env=env, check=True)
    before = exposed(tmp_path)
    assert 'bench_rows_graded_total{suite="toy"} 9.0' in before
    numbers.add_up_ended(tmp_path)
    numbers.add_up_ended(tmp_path)
    assert [path.name for path in tmp_path.glob("*.db")] == ["counter_ended.db"]
    assert exposed(tmp_path) == before


def test_no_scrape_reads_submissions_that_are_done(version: Any) -> None:
    crowd(version, 400)
    pending = list(Submission.objects.values_list("pk", flat=True)[:40])
    Submission.objects.filter(pk__in=pending).update(status="queued")
    with recorded() as statements:
        found = {metric.name: metric for metric in numbers.database_metrics()}
    steps = [step for statement in statements for step in scans(statement)]
    # The index of what is pending holds nothing else.
    assert [step for step in steps if "USING INDEX submission_due" not in step] == []
    waits = {tuple(each.labels.values()): each.value for each in found["bench_queue_waiting"].samples}
    assert waits[("grading", "submission")] == len(pending)


@pytest.mark.django_db
def test_each_metric_of_the_docs_is_exposed() -> None:
    text = (ROOT / "docs/operations.md").read_text()
    named = set(re.findall(r"\bbench_[a-z_]+", text))
    of_processes = [
        *(each for each in vars(of_work).values() if isinstance(each, MetricWrapperBase)),
        middleware.REQUESTS,
        middleware.REQUEST_SECONDS,
    ]
    families = [family for each in of_processes for family in each.describe()]
    families += numbers.SiteMetrics().collect()
    kinds = {family.name: family.type for family in families}
    endings = {"counter": ["_total"], "histogram": ["_bucket", "_sum", "_count"], "gauge": [""]}
    names = {name + ending for name, kind in kinds.items() for ending in endings[kind]}
    assert named <= names | kinds.keys()
    assert {name.removesuffix("_total") for name in named} >= kinds.keys()


def test_each_process_of_this_machine_writes_where_metrics_reads() -> None:
    assert Path(settings.METRICS_DIR).is_dir()
