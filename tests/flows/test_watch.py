"""Operating a real site: probes, numbers of its processes, a worker older than the database."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.flows.test_durability import prepare, status_in
from tests.live import LiveSite, wait_for
from tests.services import ROOT

pytestmark = [pytest.mark.worker, pytest.mark.xdist_group("live")]
TOKEN = {"Authorization": "Bearer of-the-tests"}
#: A task that a request queues.
QUEUED = """
from leaderboard.jobs import dispatch
from leaderboard.web import request_ids
request_ids.current.set("of-the-request")
assert not dispatch.enqueue("reap")
"""
#: Of a release that is yet to come.
NEWER = """
from django.db.migrations.recorder import MigrationRecorder
rows = MigrationRecorder.Migration.objects.filter(app="leaderboard", name="9999_of_the_next_release")
"""


@pytest.fixture
def hanging() -> Iterator[str]:
    """An address that accepts connections and never answers."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(100)
        yield f"127.0.0.1:{server.getsockname()[1]}"


def numbers(site: LiveSite) -> dict[str, float]:
    text = httpx2.get(f"{site.url}/metrics", headers=TOKEN, timeout=30).text
    lines = (line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    return {name: float(value) for name, value in lines}


def test_a_site_is_watched(tmp_path: Path) -> None:
    with LiveSite(tmp_path, METRICS_TOKEN="of-the-tests", HTTPS="true", LOG_FORMAT="json") as site:
        prepare(site, episodes=2)
        site.start_worker("grading")
        site.start_web()
        # By address, without HTTPS: as a probe comes.
        probe = httpx2.get(
            f"{site.url}/healthz", headers={"Host": "10.0.0.7", "X-Request-ID": "from-the-proxy"}
        )
        assert (probe.status_code, probe.json()) == (200, {"status": "ok"})
        assert probe.headers["X-Request-ID"] == "from-the-proxy"
        wait_for(lambda: status_in(tmp_path) == "graded", seconds=60, what="the grade")
        wait_for(
            lambda: httpx2.get(f"{site.url}/readyz", headers={"Host": "10.0.0.7"}).json()["status"] == "ok",
            seconds=30,
            what="all checks",
        )
        for _ in range(20):  # of two processes, one after the other
            assert (
                httpx2.get(f"{site.url}/nowhere/", headers={"X-Forwarded-Proto": "https"}).status_code == 404
            )
        site.shell(QUEUED)
        wait_for(
            lambda: '"of-the-request"' in (tmp_path / "worker0.log").read_text(), seconds=30, what="the task"
        )
        found = numbers(site)
        assert found['bench_requests_total{method="GET",status="404",view="other"}'] == 20
        assert found['bench_rows_graded_total{suite="goldevidence"}'] > 0  # of the worker's process
        assert found['bench_queue_waiting{kind="submission",queue="grading"}'] == 0
        assert found["bench_periodic_work_age_seconds"] < 30
        assert found['bench_check_ok{check="storage"}'] == 1
        (tmp_path / "artifacts").rename(tmp_path / "elsewhere")
        (tmp_path / "artifacts").touch()
        time.sleep(2.5)  # what was found is good for two seconds
        answer = httpx2.get(f"{site.url}/readyz")
        assert (answer.status_code, answer.json()["failing"]) == (503, ["storage"])
        assert answer.json()["checks"]["storage"] == "Files cannot be stored."
        assert httpx2.get(f"{site.url}/readyz?exclude=storage").status_code == 200
        httpx2.get(
            f"{site.url}/nowhere/", headers={"X-Forwarded-Proto": "https", "X-Request-ID": "asked-for"}
        )
        lines = [
            json.loads(line) for line in (tmp_path / "web.log").read_text().splitlines() if line[:1] == "{"
        ]
        assert [line["message"] for line in lines if line["request_id"] == "asked-for"] == [
            "Not Found: /nowhere/"
        ]


def test_what_hangs_is_named_in_bounded_time(tmp_path: Path, hanging: str) -> None:
    away = {"broker_url": f"redis://{hanging}/0", "CACHE_URL": f"redis://{hanging}/1"}
    bucket = {"S3_BUCKET": "bench", "S3_ENDPOINT": f"http://{hanging}"}
    keys = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}
    with LiveSite(tmp_path, **away, **bucket, **keys) as site:
        site.start_web()
        for _ in range(3):
            began = time.monotonic()
            answer = httpx2.get(f"{site.url}/readyz?exclude=periodic", timeout=30)
            assert time.monotonic() - began < 10  # three seconds, on a machine that does other things
            assert answer.status_code == 503
            assert set(answer.json()["failing"]) == {"storage", "broker", "cache"}
            time.sleep(2.1)
        said = subprocess.run(
            [sys.executable, "manage.py", "doctor", "--json"],
            cwd=ROOT,
            env=site.env,
            capture_output=True,
            text=True,
        )
        assert said.returncode == 2, said.stderr
        broken = {
            each["check"]: each for each in json.loads(said.stdout)["findings"] if each["level"] == "broken"
        }
        assert {"storage", "broker", "cache", "periodic"} <= broken.keys()
        assert broken["broker"]["remedy"] == "Start it, or correct BROKER_URL."


def test_a_worker_of_older_code_takes_no_work_and_says_so(tmp_path: Path) -> None:
    with LiveSite(tmp_path) as site:
        site.shell(NEWER + "rows.create(app='leaderboard', name='9999_of_the_next_release')")
        prepare(site, episodes=2)
        site.start_worker("grading")
        log = tmp_path / "worker0.log"
        wait_for(lambda: "this worker takes no jobs" in log.read_text(), seconds=60, what="the worker's word")
        idle = (
            "from leaderboard.jobs.code import idle_workers; print(*(each.reason for each in idle_workers()))"
        )
        wait_for(lambda: "9999_of_the_next_release" in site.shell(idle), seconds=30, what="the row")
        time.sleep(5)  # a round of the reaper
        assert status_in(tmp_path) == "queued"
        site.shell(NEWER + "rows.delete()")
        wait_for(lambda: status_in(tmp_path) == "graded", seconds=60, what="the grade")
        assert site.shell(idle) == ""
        assert re.search("takes jobs again", log.read_text())
