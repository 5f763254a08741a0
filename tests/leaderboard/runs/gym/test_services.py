"""A gym loop as a job: it trains, is stopped and goes on, leaves a model file, and keeps its secret seed."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from evaluation.core.errors import SettingsError
from evaluation.gym import Frozen
from leaderboard.jobs import backoff
from leaderboard.runs import services as runs
from leaderboard.runs.gym import services as gym
from leaderboard.runs.gym.models import GymLoop
from leaderboard.runs.model_job import JobStatus
from leaderboard.runs.models import ModelFile

pytestmark = pytest.mark.usefixtures("gym_folders")

SMALL = {"learner": "gate", "rounds": 2, "tasks": 20, "unseen": 16}


def again(loop: GymLoop) -> GymLoop:
    return GymLoop.objects.get(pk=loop.pk)


@pytest.fixture
def finished(staff: Any) -> GymLoop:
    loop = gym.start(started_by=staff, **SMALL)
    assert gym.execute(str(loop.pk)), again(loop).error
    return again(loop)


def test_it_trains_registers_what_it_learnt_and_leaves_no_folder(finished: GymLoop) -> None:
    assert (finished.status, finished.progress_done, finished.progress_total) == ("finished", 2, 2)
    assert [each["number"] for each in finished.rounds] == [1, 2]
    assert finished.outcome["start"]["tasks"] == finished.outcome["held_out"]["after"]["tasks"] == 16
    assert finished.outcome["stopped"]
    model = finished.model_file
    assert (model.kind, model.name) == ("learner", f"gate-{finished.short_id}")
    assert not gym.folder_of(finished).exists()
    assert [event.what for event in finished.events.all()][-1] == "Finished after 2 rounds"


def test_its_secret_seed_is_in_no_column_and_not_in_the_model_file(
    staff: Any, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gym, "BODY", replace(gym.BODY, forget=lambda loop: None))
    loop = gym.start(started_by=staff, **SMALL)
    assert gym.execute(str(loop.pk))
    state = json.loads((gym.folder_of(loop) / "loop.json").read_text())
    secret = str(state["settings"]["unseen_seed"])
    row = GymLoop.objects.filter(pk=loop.pk).values().get()
    assert state["settings"]["seed"] == row["settings"]["seed"]
    assert secret not in json.dumps(row, default=str)
    assert secret not in " ".join(again(loop).events.values_list("what", flat=True))
    assert secret not in gym.command(again(loop))
    assert secret not in (settings.MODELS_DIR / again(loop).model_file.path).read_text()


def test_it_stops_within_a_round_and_goes_on_after_the_last_one_that_was_over(
    staff: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = gym.start(started_by=staff, **SMALL)
    told: list[tuple[int, str, int]] = []

    def stop(self: gym.LoopWatch, part: str, done: int, total: int) -> None:
        told.append((len(self._loop.rounds), part, done))
        if told[-1] == (1, "mining", 5):
            gym.cancel(loop)
            self._next_look = 0.0
            self.check()

    monkeypatch.setattr(gym.LoopWatch, "step", stop)
    assert not gym.execute(str(loop.pk))
    stopped = again(loop)
    assert (stopped.status, stopped.progress_done, len(stopped.rounds)) == ("cancelled", 1, 1)
    assert (stopped.model_file, stopped.at_hand) == (None, {})
    assert told[-1] == (1, "mining", 5)
    monkeypatch.undo()
    monkeypatch.setattr(gym, "frozen_presets", lambda *_: Frozen())
    assert gym.resume(again(loop), actor=staff, wake_worker=False)
    assert gym.execute(str(loop.pk)), again(loop).error
    assert again(loop).rounds[0] == stopped.rounds[0]
    assert len(again(loop).rounds) == 2


def test_a_models_folder_that_cannot_be_written_to_is_said_and_costs_no_training(
    staff: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object) -> None:
        raise PermissionError(13, "Permission denied")

    loop = gym.start(started_by=staff, **SMALL)
    monkeypatch.setattr(gym.Loop, "keep_trained", refuse)
    assert not gym.execute(str(loop.pk))
    failed = again(loop)
    assert failed.status == JobStatus.FAILED
    assert "MODELS_DIR of this worker cannot be written to (Permission denied)" in failed.error
    assert len(failed.rounds) == 2


def test_a_loop_that_kills_its_workers_ends(staff: Any) -> None:
    loop = gym.start(started_by=staff, **SMALL)
    GymLoop.objects.filter(pk=loop.pk).update(attempts=backoff.MAX_ATTEMPTS)
    assert not gym.execute(str(loop.pk))
    assert again(loop).status == "failed"


@pytest.mark.parametrize(
    "bad", [{"rounds": 21}, {"tasks": 1001}, {"unseen": 4}, {"arm": "none"}, {"learner": "gates"}]
)
def test_what_is_too_much_or_unknown_is_refused(staff: Any, bad: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match=next(iter(bad))):
        gym.start(started_by=staff, **{**SMALL, **bad})
    assert not GymLoop.objects.exists()


def test_what_it_trained_stands_on_a_board_with_its_lineage(
    finished: GymLoop, small: Any, staff: Any
) -> None:
    run = runs.start(
        version=small, executor="adapter:learner", started_by=staff, model_file=finished.model_file
    )
    assert runs.execute(str(run.pk), grade_now=True)
    run.refresh_from_db()
    assert run.system.name == f"gate-{finished.short_id} · trained in the gym, picks a line"
    assert run.system.kind == "selector"
    assert "gym loop" in run.system.description
    made = run.submission.provenance["trained"]
    assert (made["learner"], made["rounds"], made["trained_by"]) == (
        "gate",
        2,
        f"gym loop {finished.short_id}",
    )
    assert ModelFile.objects.get(pk=finished.model_file_id).loop == finished
