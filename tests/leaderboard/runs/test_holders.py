"""Workers say which model files they have, and leave jobs of other files to other workers."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from django.db.models.functions import Now
from django.test import Client

from leaderboard.admin import incidents
from leaderboard.jobs import dispatch, forks, leases, queues
from leaderboard.runs import estimates, holders, model_checks, model_files
from leaderboard.runs import services as runs
from leaderboard.runs.benches.models import Bench
from leaderboard.runs.models import ModelCheck, ModelFile, ModelHolder, Run
from leaderboard.tasks import MODEL_FILES
from tests.leaderboard.jobs.workers import fresh
from tests.leaderboard.runs.gguf import tiny_model
from tests.leaderboard.runs.running import again

pytestmark = [pytest.mark.django_db, pytest.mark.llama]
Message = tuple[str, str, str | None]


@pytest.fixture(autouse=True)
def own_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the worker's thread, which closes its connection, use that of the test."""
    monkeypatch.setattr(forks, "connection", Mock())


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[Message]:
    messages: list[Message] = []
    monkeypatch.setattr(
        dispatch, "enqueue", lambda task, key, queue=None: messages.append((task, str(key), queue))
    )
    return messages


def holder(concurrency: int = 1) -> holders.Holder:
    return holders.Holder(MODEL_FILES, queue="models.one@host", serves={"models"}, concurrency=concurrency)


@pytest.fixture
def folder(settings: Any, tmp_path: Path) -> Path:
    settings.MODELS_DIR = tmp_path / "models"
    return tmp_path / "models"


@pytest.fixture
def start(small: Any, staff: Any, model: ModelFile) -> Callable[[], Run]:
    return lambda: runs.start(
        version=small, executor="adapter:llama_cpp", model_file=model, started_by=staff, row_limit=1
    )


def lose(model: ModelFile) -> None:
    model_files.resolve(model.path).unlink()


def test_a_worker_without_the_file_leaves_the_run_as_it_is(
    start: Callable[[], Run], model: ModelFile
) -> None:
    run = start()
    lose(model)
    assert not runs.execute(str(run.pk))
    left = again(run)
    assert (left.status, left.attempts, left.faults, left.error) == ("queued", 0, 0, "")
    assert [event.what for event in left.events.all()] == ["Queued"]


def test_a_worker_says_what_it_has_and_what_it_has_no_more(model: ModelFile) -> None:
    worker = holder()
    worker.look()
    said = ModelHolder.objects.get()
    assert (said.worker, said.queue, said.model_file) == (leases.HOLDER, "models.one@host", model)
    assert holders.reason([model]) == ""
    lose(model)
    worker.look()
    assert not ModelHolder.objects.exists()
    assert holders.reason([model]).startswith(
        f"No worker has tiny.gguf (SHA-256 {model.sha256[:12]}…). Put it"
    )


def test_a_worker_that_says_nothing_for_a_minute_has_nothing(model: ModelFile) -> None:
    holder().look()
    ModelHolder.objects.update(seen_at=Now() - timedelta(seconds=61))
    assert holders.reason([model])


def test_a_file_of_the_same_size_with_another_content_is_another(model: ModelFile) -> None:
    assert holders.is_here(model)
    path = model_files.resolve(model.path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + b"!")
    assert not holders.is_here(model)
    path.write_bytes(whole)
    assert holders.is_here(model)


def test_a_file_is_hashed_once_as_long_as_it_stays(model: ModelFile, monkeypatch: pytest.MonkeyPatch) -> None:
    hashed: list[Path] = []
    of = model_files.gguf_file.sha256
    monkeypatch.setattr(model_files.gguf_file, "sha256", lambda path: hashed.append(path) or of(path))
    assert all(holders.is_here(model) for _ in range(3))
    holders._sha256.cache_clear()  # as after a restart
    assert holders.is_here(model)
    assert len(hashed) == 1
    os.utime(model_files.resolve(model.path))
    assert holders.is_here(model)
    assert len(hashed) == 2


def test_a_worker_wakes_itself_for_the_oldest_run_whose_files_it_has(
    start: Callable[[], Run], sent: list[Message], folder: Path, staff: Any
) -> None:
    other = model_files.register(tiny_model(folder, "other.gguf", seed=1).name, by=staff)
    foreign = start()
    Run.objects.filter(pk=foreign.pk).update(model_file=other)
    oldest, _ = start(), start()
    lose(other)
    worker = holder()
    worker.look()
    worker.look()
    assert sent[0] == ("execute_run", str(oldest.pk), "models.one@host")
    assert str(foreign.pk) not in [key for _, key, _ in sent]


def test_a_busy_worker_wakes_itself_for_nothing(start: Callable[[], Run], sent: list[Message]) -> None:
    busy, _ = start(), start()
    assert leases.claim(Run.objects.filter(pk=busy.pk), status="running")
    holder().look()
    assert sent == []
    holder(concurrency=2).look()
    assert len(sent) == 1


def test_a_check_waits_for_a_worker_with_the_file(folder: Path, staff: Any, sent: list[Message]) -> None:
    path = tiny_model(folder)
    check = model_checks.register("tiny.gguf", by=staff).check_made
    away = path.rename(path.with_name("away"))
    assert not model_checks.execute(check.pk)
    assert fresh(check).status == ModelCheck.WAITS
    away.rename(path)
    holder().look()
    assert sent == [("check_model", str(check.pk), "models.one@host")]


def test_the_page_and_the_admin_say_which_file_no_worker_has(
    start: Callable[[], Run], client: Client, staff: Any, model: ModelFile
) -> None:
    run = start()
    client.force_login(staff)
    assert "No worker has tiny.gguf (SHA-256 " in client.get(run.get_absolute_url()).content.decode()
    rows = incidents.KINDS["fileless-runs"].for_version()
    assert [incidents.KINDS["fileless-runs"].read(row).reason for row in rows] == [holders.reason([model])]
    holder().look()
    assert "No worker has" not in client.get(run.get_absolute_url()).content.decode()
    assert not incidents.KINDS["fileless-runs"].for_version()


def test_a_queue_is_not_stuck_by_what_no_worker_has_the_file_of(start: Callable[[], Run]) -> None:
    run = start()
    run.events.update(at=Now() - timedelta(hours=1))
    assert (queues.named("models").waiting, queues.named("models").is_stuck) == (1, False)
    holder().look()
    assert queues.named("models").is_stuck


def test_benches_wait_the_same_way(client: Client, staff: Any, model: ModelFile) -> None:
    named = {"suite_name": "goldevidence", "name": "tiny", "executor": "adapter:llama_cpp", "size": "smoke"}
    bench = Bench.objects.create(model_file=model, started_by=staff, **named)
    client.force_login(staff)
    assert "No worker has tiny.gguf" in client.get(bench.get_absolute_url()).content.decode()
    assert [row.pk for row in incidents.KINDS["fileless-benches"].for_version()] == [bench.pk]


def test_a_calibration_goes_on_to_a_worker_with_the_file(
    small: Any, model: ModelFile, sent: list[Message]
) -> None:
    plan = estimates.Plan(version=small.pk, executor="adapter:llama_cpp", model_file=model.pk)
    lose(model)
    estimates.calibrate(plan)
    assert estimates.estimate_for(plan).state == "failed"
    ModelHolder.objects.create(worker="another", queue="models.two@host", model_file=model, seen_at=Now())
    estimates.ask(plan)
    sent.clear()
    estimates.calibrate(plan)
    assert [(task, queue) for task, _, queue in sent] == [("calibrate", "models.two@host")]
    assert estimates.estimate_for(plan).state == "asked"
