"""Two real workers on one database, one with the model file: it gets the work."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.flows.test_runs import SETUP, SLOW, START, Site
from tests.leaderboard.runs.gguf import tiny_model
from tests.live import DATABASE, free_port, kill, wait_for
from tests.services import redis

pytestmark = [pytest.mark.worker, pytest.mark.llama, pytest.mark.xdist_group("live")]
#: Six runs at once, of a few rows each.
SIX = START.format(file="quick.gguf", values={"threads": 1}, splits=["k4-gold_first"]).replace(
    "print(", "for seed in range(6):\n    options['values'] = {'threads': 1, 'seed': seed}\n    print("
)


@pytest.fixture(params=["folder", pytest.param("redis", marks=pytest.mark.redis)])
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    """A site with a quick and a slow model, and no worker yet."""
    port = free_port()
    url = f"redis://127.0.0.1:{port}/0" if request.param == "redis" else ""
    (tmp_path / "site").mkdir()
    (tmp_path / "empty").mkdir()
    with redis(tmp_path, port=port), Site(tmp_path / "site", broker_url=url) as live:
        live.shell(SETUP)
        tiny_model(live.folder / "models", "quick.gguf")
        tiny_model(live.folder / "models", "slow.gguf", **SLOW)
        yield live


def test_a_worker_without_the_file_takes_no_run_of_it(site: Site, tmp_path: Path) -> None:
    without = site.start_worker("models", MODELS_DIR=str(tmp_path / "empty"))
    holder = site.start_worker()
    for process in (without, holder):
        wait_for(lambda process=process: is_ready(site, process), seconds=60, what="a worker")
    runs = site.shell(SIX).split()
    states = [site.wait_until(pk, lambda state: state.over, "the run", seconds=90) for pk in runs]
    assert [(state.status, state.error) for state in states] == [("finished", "")] * 6


@pytest.mark.parametrize("site", [pytest.param("redis", marks=pytest.mark.redis)], indirect=True)
def test_a_killed_child_is_missed_by_its_worker_at_once(site: Site) -> None:
    site.env["LEASE_SECONDS"] = "120"
    worker = site.start_worker("models")
    pk = site.start_run("slow.gguf", parallel=1)
    site.wait_until(pk, lambda state: state.done >= 1, "the first row", seconds=90)
    before = site.saved(pk)
    os.kill(child_of(worker), signal.SIGKILL)
    killed = time.monotonic()
    state = site.wait_until(pk, lambda state: len(state.events) > 2, "another try", seconds=40)
    assert time.monotonic() - killed < 40
    assert "Picked up again" in state.events[2]
    site.wait_until(pk, lambda state: state.done > len(before), "the next row", seconds=60)
    assert site.saved(pk)[: len(before)] == before


@pytest.mark.parametrize("site", [pytest.param("redis", marks=pytest.mark.redis)], indirect=True)
def test_another_holder_with_a_folder_of_its_own_goes_on_from_the_last_row(
    site: Site, tmp_path: Path
) -> None:
    second = tmp_path / "second"
    second.mkdir()
    bucket = (site.folder / "artifacts").rename(tmp_path / "bucket")
    for folder in (site.folder, second):
        (folder / "artifacts").symlink_to(bucket)
    (second / "broker").symlink_to(site.folder / "broker")
    site.env |= {
        "DATABASE_URL": f"sqlite:///{site.folder / DATABASE}",
        "COPY_SECONDS": "1",
        "SECRET_KEY": "one",
    }
    site.env["MODELS_DIR"] = str(site.folder / "models")
    first = site.start_worker()
    pk = site.start_run("slow.gguf", ["k4-gold_first"], parallel=1)
    site.wait_until(pk, lambda state: state.done >= 2, "the first rows", seconds=90)
    kill(first)
    before = site.saved(pk)
    (site.folder / "runs").rename(tmp_path / "gone")
    site.start_worker(DATA_DIR=str(second))
    state = site.wait_until(pk, lambda state: state.done > len(before), "the other worker", seconds=90)
    went_on = [json.loads(line)["id"] for line in (second / "runs" / f"{pk}.jsonl").read_bytes().splitlines()]
    assert went_on[0] == before[0]
    assert len(set(went_on)) == len(went_on)
    state = site.wait_until(pk, lambda state: state.over, "the run", seconds=180)
    assert (state.status, state.rows) == ("finished", state.total)
    wait_for(lambda: not list(bucket.rglob("*.zip")), seconds=20, what="the end of the copy")


def child_of(worker: subprocess.Popen[bytes]) -> int:
    """The one process of a worker's pool."""
    children = Path(f"/proc/{worker.pid}/task/{worker.pid}/children").read_text().split()
    assert len(children) == 1
    return int(children[0])


def is_ready(site: Site, worker: subprocess.Popen[bytes]) -> bool:
    number = site.processes.index(worker)
    return "ready." in (site.folder / f"worker{number}.log").read_text()
