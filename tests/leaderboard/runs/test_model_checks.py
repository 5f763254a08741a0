"""The smoke test of a model file: a worker makes it, its page shows the result, and doubts prevent no run."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from leaderboard.jobs import dispatch
from leaderboard.runs import model_checks, model_files
from leaderboard.runs import services as runs
from leaderboard.runs.models import ModelCheck, ModelFile
from tests.evaluation.adapters.llama.test_smoke import smollm2
from tests.leaderboard.jobs.workers import die, fresh, wait_is_over
from tests.leaderboard.runs.gguf import tiny_model
from tests.leaderboard.runs.running import again

pytestmark = pytest.mark.llama


@pytest.fixture
def queued(monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any) -> list[tuple[Any, ...]]:
    sent: list[tuple[Any, ...]] = []
    monkeypatch.setattr(dispatch, "enqueue", lambda *message: sent.append(message))
    return sent


def test_registering_asks_a_worker_and_loads_nothing_itself(
    folder: Path,
    client: Client,
    staff: Any,
    queued: list[tuple[Any, ...]],
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any,
) -> None:
    monkeypatch.setattr(
        model_checks.smoke, "smoke_test", lambda *_args, **_options: pytest.fail("in the request")
    )
    tiny_model(folder)
    client.force_login(staff)
    with django_capture_on_commit_callbacks(execute=True):
        page = client.post("/models/register/", {"name": "tiny.gguf"}, follow=True).content.decode()
    check = ModelCheck.objects.get()
    assert queued == [("check_model", check.pk)]
    assert "Waiting for a worker" in page
    assert f"/models/{check.model_file_id}/check/status/" in page


def test_random_weights_are_suspicious_on_every_page_that_offers_or_runs_them(
    folder: Path, client: Client, staff: Any, small: Any, admin_client: Client
) -> None:
    tiny_model(folder)
    model = model_checks.register("tiny.gguf", by=staff)
    assert model_checks.execute(model.check_made.pk)
    assert not model_checks.execute(model.check_made.pk), "it is made once"
    model = ModelFile.objects.get()
    assert model.check_made.status == "suspicious"
    assert (model.check_made.progress_done, model.check_made.progress_total) == (3, 3)
    assert "no better than a guess" in model.doubt
    client.force_login(staff)
    for address in (f"/models/{model.pk}/", f"/models/{model.pk}/check/status/"):
        shown = client.get(address).content.decode()
        assert "no better than a guess" in shown
        assert "You can run the model anyway" in shown
    assert "Suspicious" in client.get("/models/").content.decode()
    form = client.get("/runs/new/?executor=adapter:llama_cpp").content.decode()
    assert "tiny (its check warns)" in form
    in_admin = "/admin/leaderboard/modelfile/"
    assert "Suspicious</td>" in admin_client.get(in_admin).content.decode()
    assert "Suspicious: Perplexity" in admin_client.get(f"{in_admin}{model.pk}/change/").content.decode()
    run = runs.start(
        version=small, executor="adapter:llama_cpp", model_file=model, started_by=staff, row_limit=2
    )
    assert runs.execute(str(run.pk)), again(run).error
    assert "The smoke test found a possible fault in" in client.get(f"/runs/{run.pk}/").content.decode()


@pytest.mark.tokenizer
def test_a_real_model_passes_and_its_runs_say_nothing_of_it(folder: Path, client: Client, staff: Any) -> None:
    shutil.copyfile(smollm2(), folder / "smol.gguf")
    model = model_checks.register("smol.gguf", by=staff)
    assert model_checks.execute(model.check_made.pk)
    model = ModelFile.objects.get()
    assert (model.check_made.status, model.doubt) == ("passed", "")
    client.force_login(staff)
    page = client.get(f"/models/{model.pk}/").content.decode()
    assert "the weights know English" in page
    assert "HuggingFaceTB" in page


def test_a_file_that_changed_since_is_not_checked_and_the_page_says_why(
    folder: Path, staff: Any, client: Client
) -> None:
    path = tiny_model(folder)
    model = model_checks.register("tiny.gguf", by=staff)
    path.write_bytes(path.read_bytes()[:-4096])
    assert not model_checks.execute(model.check_made.pk)
    assert fresh(model.check_made).status == "queued"
    client.force_login(staff)
    assert "No worker has tiny.gguf (SHA-256 " in client.get(f"/models/{model.pk}/").content.decode()


def test_what_cannot_be_loaded_has_failed_with_the_reason_and_no_path(folder: Path, staff: Any) -> None:
    path = tiny_model(folder)
    model_checks.register("tiny.gguf", by=staff)
    path.write_bytes(path.read_bytes()[:-4096])
    ModelFile.objects.update(sha256=model_files.gguf_file.sha256(path), size=path.stat().st_size)
    again_asked = model_checks.ask(ModelFile.objects.get())
    assert again_asked is not None
    assert model_checks.execute(again_asked.pk)
    assert fresh(again_asked).error.startswith("tiny.gguf is cut off: ")


def test_a_file_that_kills_its_workers_is_given_up(folder: Path, staff: Any) -> None:
    tiny_model(folder)
    check = model_checks.register("tiny.gguf", by=staff).check_made
    for _ in range(model_checks.MOST_ATTEMPTS):
        ModelCheck.objects.update(status="running", attempts=check.attempts + 1)
        ModelCheck.objects.update(lease_until="2000-01-01T00:00Z")
        check = fresh(check)
    ModelCheck.objects.update(status="queued", lease_until=None)
    assert model_checks.execute(check.pk)
    assert "each worker that loaded the model died" in fresh(check).error


def test_a_check_can_be_asked_for_again_with_the_permission_to_register(
    folder: Path, client: Client, staff: Any, user: Any
) -> None:
    tiny_model(folder)
    model = model_files.register("tiny.gguf", by=staff)  # as an earlier release did: no check
    client.force_login(staff)
    page = client.get(f"/models/{model.pk}/").content.decode()
    assert "No smoke test was run" in page
    client.post(f"/models/{model.pk}/check/")
    first = ModelCheck.objects.get()
    client.post(f"/models/{model.pk}/check/")
    assert ModelCheck.objects.get() == first, "one that waits is not asked for twice"
    assert model_checks.execute(first.pk)
    client.post(f"/models/{model.pk}/check/")
    assert ModelCheck.objects.get() != first
    client.force_login(user)
    assert client.post(f"/models/{model.pk}/check/").status_code == 403
    assert client.get(f"/models/{model.pk}/check/status/").status_code == 403


def test_a_worker_that_died_over_a_check_leaves_it_to_another(folder: Path, staff: Any) -> None:
    from leaderboard.jobs import leases

    tiny_model(folder)
    check = model_checks.register("tiny.gguf", by=staff).check_made
    assert leases.claim(ModelCheck.objects.filter(pk=check.pk), status=ModelCheck.WORKS)
    assert not model_checks.execute(check.pk), "another has it"
    die(check)
    wait_is_over(check)
    assert model_checks.execute(check.pk)
    assert fresh(check).status == "suspicious"
