"""Runs that ask a server have their own queue: real workers, a slow server, and a run that overtakes."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from benchsite.model_servers import ModelServer
from leaderboard.jobs import dispatch, queues, reaper
from leaderboard.runs import estimates, execution
from leaderboard.runs import services as runs
from leaderboard.runs.models import Run
from tests.evaluation.adapters.server import Server, serving
from tests.live import LiveSite, kill, wait_for

NOTHING = json.dumps({"choices": [{"message": {"content": '{"value": null, "support_ids": []}'}}]}).encode()
ASKING = "adapter:openai_compatible"
OF_ONE_RUN = 4  # requests at a time, by default


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch, settings: Any) -> list[tuple[Any, ...]]:
    settings.MODEL_SERVERS = {"house": ModelServer("http://127.0.0.1:9/v1")}
    messages: list[tuple[Any, ...]] = []
    monkeypatch.setattr(dispatch, "enqueue", lambda *message: messages.append(message))
    return messages


def test_a_run_waits_in_the_queue_of_what_answers_it(
    small: Any, staff: Any, sent: list[Any], django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        asking = runs.start(version=small, executor=ASKING, started_by=staff, row_limit=2)
        local = runs.start(version=small, executor="adapter:ledger", started_by=staff, row_limit=2)
    assert sent == [("execute_server_run", str(asking.pk)), ("execute_run", str(local.pk))]
    lengths = {queue.name: queue.waiting for queue in queues.lengths()}
    assert (lengths["models"], lengths["servers"]) == (1, 1)


def test_a_lost_message_is_sent_again_to_the_same_queue(small: Any, staff: Any, sent: list[Any]) -> None:
    for executor in (ASKING, "adapter:ledger"):
        runs.start(version=small, executor=executor, started_by=staff, row_limit=2)
    Run.objects.update(created_at="2020-01-01T00:00Z")
    sent.clear()
    reaper.enqueue_overdue()
    assert {task for task, _ in sent} == {"execute_server_run", "execute_run"}


def test_a_calibration_waits_where_its_run_would(small: Any, sent: list[Any]) -> None:
    for executor in (ASKING, "adapter:ledger"):
        estimates.ask(estimates.Plan(version=small.pk, executor=executor))
    assert [task for task, _ in sent] == ["calibrate_server", "calibrate"]


@pytest.mark.parametrize(("executor", "queue"), [(ASKING, "servers"), ("adapter:ledger", "models")])
def test_the_page_of_a_run_that_waits_says_where_no_worker_serves_its_queue(
    small: Any, staff: Any, client: Any, sent: list[Any], executor: str, queue: str
) -> None:
    run = runs.start(version=small, executor=executor, started_by=staff, row_limit=2)
    client.force_login(staff)
    said = f"No worker seems to serve the queue <code>{queue}</code>"
    assert said not in client.get(run.get_absolute_url()).content.decode()
    run.events.update(at="2020-01-01T00:00Z")
    assert said in client.get(run.get_absolute_url()).content.decode()
    runs.cancel(run)
    assert said not in client.get(run.get_absolute_url()).content.decode()


def test_runs_of_servers_do_not_wait_for_each_other_in_one_process(
    small: Any, staff: Any, sent: list[Any]
) -> None:
    first, second = (runs.start(version=small, executor=ASKING, started_by=staff) for _ in range(2))
    local = runs.start(version=small, executor="adapter:ledger", started_by=staff)
    with (
        execution.turn_of(first, str(first.pk), give_up=lambda: True),
        execution.turn_of(second, str(second.pk), give_up=lambda: True),
        execution.turn_of(local, str(local.pk), give_up=lambda: True),
    ):
        pass


SMALL = {
    "generator": {"episodes": 2, "steps": 24, "queries": 3, "keys": 4, "chapters": 2, "twins": False},
    "conditions": [{"k": 4, "order": "gold_last"}],
}
PREPARE = f"""
from leaderboard.benchmarks import freezing, seeding
from leaderboard.models import Benchmark, Preset
seeding.presets()
preset = Preset.objects.create(
    benchmark=Benchmark.objects.get(suite="goldevidence"), name="small", title="Small", settings={SMALL!r}
)
freezing.freeze(freezing.start(preset=preset, open_demo=True, wake_worker=False).pk)
"""
START = """
from leaderboard.benchmarks import seeding
from leaderboard.models import Version
from leaderboard.runs import services as runs
print(runs.start(
    version=Version.objects.get(), executor="{executor}", started_by=seeding.site_user(), row_limit={limit}
).pk)
"""


@pytest.fixture
def slow() -> Iterator[Server]:
    with serving(Server(None, body=NOTHING, delay_s=2.0)) as server:
        yield server


@pytest.mark.worker
@pytest.mark.xdist_group("live")
def test_a_slow_server_holds_up_no_run_of_this_machine(tmp_path: Path, slow: Server) -> None:
    listed = json.dumps({"house": {"base_url": slow.url}})
    with LiveSite(tmp_path, MODEL_SERVERS=listed) as site:
        site.shell(PREPARE)
        site.start_worker("models")
        asking_worker = site.start_worker("servers", concurrency=2)
        first, second = (site.shell(START.format(executor=ASKING, limit=12)) for _ in range(2))
        wait_for(lambda: slow.busiest > OF_ONE_RUN, seconds=60, what="both runs to ask the server at a time")
        local = site.shell(START.format(executor="adapter:ledger", limit=4))
        wait_for(lambda: status(site, local) == "finished", seconds=60, what="the run of this machine")
        assert "running" in (status(site, first), status(site, second)), "the server was not slow enough"
        for run in (first, second):
            wait_for(
                lambda run=run: status(site, run) == "finished", seconds=90, what="the runs of the server"
            )
        log = (tmp_path / f"worker{site.processes.index(asking_worker)}.log").read_text()
        assert "tasks.execute_server_run[" in log
        assert "tasks.execute_run[" not in log
        while site.processes:
            kill(site.processes.pop())


def status(site: LiveSite, run: str) -> str:
    """The status of a run, read without Django, as it is asked often."""
    with closing(sqlite3.connect(site.folder / "site.sqlite3", timeout=20)) as database:
        query = "SELECT status FROM leaderboard_run WHERE id = ?"
        return str(database.execute(query, [run.replace("-", "")]).fetchone()[0])
