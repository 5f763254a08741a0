"""Two real workers on one database, the model in one's folder: the work goes to the worker that has the file."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.leaderboard.runs.gguf import tiny_model
from tests.leaderboard.runs.test_site import SETUP, SLOW, START, Site
from tests.live import free_port, wait_for
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
    without = site.start_worker("models", beat=False, MODELS_DIR=str(tmp_path / "empty"))
    holder = site.start_worker()
    for process in (without, holder):
        wait_for(lambda process=process: is_ready(site, process), seconds=60, what="a worker")
    runs = site.shell(SIX).split()
    states = [site.wait_until(pk, lambda state: state.over, "the run", seconds=90) for pk in runs]
    assert [(state.status, state.error) for state in states] == [("finished", "")] * 6


def is_ready(site: Site, worker: subprocess.Popen[bytes]) -> bool:
    number = site.processes.index(worker)
    return "ready." in (site.folder / f"worker{number}.log").read_text()
