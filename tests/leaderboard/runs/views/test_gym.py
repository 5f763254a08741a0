"""The pages of the gym: loops and curves are public, permitted users start runs, and no seed is shown."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from leaderboard.runs import services as runs
from leaderboard.runs.gym import services as gym
from leaderboard.runs.gym.models import GymLoop
from leaderboard.templatetags import gym as tags

pytestmark = pytest.mark.usefixtures("gym_folders")

SMALL = {"learner": "gate", "arm": "boundary", "rounds": 2, "tasks": 20, "unseen": 16}


@pytest.fixture
def finished(staff: Any) -> GymLoop:
    loop = gym.start(started_by=staff, **SMALL)
    assert gym.execute(str(loop.pk))
    return GymLoop.objects.get(pk=loop.pk)


def text_of(client: Client, url: str, status: int = 200) -> str:
    response = client.get(url)
    assert response.status_code == status
    return " ".join(response.content.decode().split())


def test_an_empty_gym_says_so_and_how_to_start_one(client: Client, staff: Any, db: None) -> None:
    text = text_of(client, "/gym/")
    assert "No loop has run here yet" in text
    assert "goldevidencebench gym loop --learner selector" in text
    assert "Start a loop" not in text
    client.force_login(staff)
    assert "Start a loop" in text_of(client, "/gym/")


def test_the_permission_to_start_runs_allows_a_loop(client: Client, staff: Any, user: Any) -> None:
    assert client.get("/gym/new/").status_code == 302
    client.force_login(user)
    assert client.get("/gym/new/").status_code == 403
    assert client.post("/gym/new/", SMALL).status_code == 403
    client.force_login(staff)
    assert "which teaches order bias" in text_of(client, "/gym/new/")
    response = client.post("/gym/new/", SMALL)
    loop = GymLoop.objects.get()
    assert response.headers["Location"] == f"/gym/{loop.pk}/"
    assert (loop.executor, loop.started_by, loop.settings["tasks"]) == ("gate", staff, 20)
    assert "Waiting for a worker" in text_of(client, f"/gym/{loop.pk}/")


@pytest.mark.parametrize("bad", [{"rounds": 21}, {"learner": "model"}, {"arm": "none"}, {"unseen": ""}])
def test_a_form_that_asks_too_much_is_shown_again(client: Client, staff: Any, bad: dict[str, Any]) -> None:
    client.force_login(staff)
    response = client.post("/gym/new/", {**SMALL, **bad})
    assert response.status_code == 422
    assert "errorlist" in response.content.decode()
    assert not GymLoop.objects.exists()


def test_a_loop_its_curve_and_lineage_are_public_and_its_seed_and_worker_are_not(
    client: Client, finished: GymLoop
) -> None:
    for url in ("/gym/", f"/gym/{finished.pk}/", f"/gym/{finished.pk}/status/"):
        text = text_of(client, url)
        assert "families the learner never trained on" in text
        assert 'class="gym-curve"' in text
        assert "Success on held-out families: untrained" in text
        assert "unseen_seed" not in text
        assert finished.worker not in text
    assert f"--seed {finished.settings['seed']}" in text_of(client, f"/gym/{finished.pk}/")
    assert "No result yet: the model file of this loop has not been run" in text_of(
        client, f"/gym/{finished.pk}/"
    )


def test_cancel_and_resume_are_for_those_who_may(client: Client, staff: Any, user: Any) -> None:
    loop = gym.start(started_by=staff, **SMALL)
    client.force_login(user)
    assert client.post(f"/gym/{loop.pk}/cancel/").status_code == 403
    client.force_login(staff)
    assert client.post(f"/gym/{loop.pk}/cancel/").status_code == 302
    assert GymLoop.objects.get().status == "cancelled"
    assert "No round was finished" in text_of(client, f"/gym/{loop.pk}/")
    assert client.post(f"/gym/{loop.pk}/resume/").status_code == 302
    assert GymLoop.objects.get().status == "queued"
    assert "Queued again" in text_of(client, f"/gym/{loop.pk}/")


def test_a_failed_loop_tells_strangers_no_reason(client: Client, staff: Any) -> None:
    loop = gym.start(started_by=staff, **SMALL)
    GymLoop.objects.update(status="failed", error="MODELS_DIR cannot be written to")
    assert "MODELS_DIR" not in text_of(client, f"/gym/{loop.pk}/")
    client.force_login(staff)
    assert "MODELS_DIR cannot be written to" in text_of(client, f"/gym/{loop.pk}/")


def test_its_result_links_the_loop_and_the_loop_its_board(
    client: Client, staff: Any, finished: GymLoop, small: Any
) -> None:
    run = runs.start(
        version=small, executor="adapter:learner", started_by=staff, model_file=finished.model_file
    )
    assert runs.execute(str(run.pk), grade_now=True)
    run.refresh_from_db()
    text = text_of(client, run.submission.get_absolute_url())
    assert f'href="/gym/{finished.pk}/">Gym loop {finished.short_id} of a gate</a> trained the model' in text
    assert re.search(r"Trained on</dt> ?<dd> ?select_kv, select_kv_commentary, select_counter", text)
    for url in ("/gym/", f"/gym/{finished.pk}/"):
        assert small.get_board_url() in text_of(client, url)
    gone = text_of(client, f"/models/{finished.model_file_id}/", 302)
    assert finished.model_file.path not in gone


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [(0.05, 0.2, "Improved: 40.0% → 50.0%"), (-0.1, 0.2, "No significant change"), (-0.3, -0.1, "Got worse")],
)
def test_a_finding_claims_no_more_than_its_interval(low: float, high: float, said: str) -> None:
    rates = {"before": {"rate": 0.4}, "after": {"rate": 0.5}}
    loop = GymLoop(outcome={"held_out": {**rates, "low": low, "high": high}, "rounds": []})
    assert tags.loop_finding(loop).startswith(said)
    assert "-" not in tags.loop_finding(loop).partition("(")[2]
