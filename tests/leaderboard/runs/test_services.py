"""Runs: started, executed, cancelled, resumed; how they fail."""

from __future__ import annotations

import threading
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest
from django.utils import timezone

from evaluation.core.errors import SettingsError
from evaluation.goldevidence.retrieval import dense
from leaderboard.jobs import backoff, leases
from leaderboard.runs import catalogue, execution, life, provenance
from leaderboard.runs import services as runs
from leaderboard.runs.model_job import JobError
from leaderboard.runs.models import Run
from leaderboard.runs.watch import Watch
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission
from tests.leaderboard.jobs.workers import die, wait_is_over
from tests.leaderboard.runs.running import again, history
from tests.tiny_gguf import write_tiny_gguf

# What goes together


def test_a_version_offers_its_systems_and_the_adapters_that_read_its_rows(small, make_version):
    assert {"ledger", "adapter:llama_cpp", "adapter:retrieval"} <= catalogue.executors_for(small).keys()
    states = make_version("statebench")
    assert catalogue.deterministic(states)
    assert "adapter:retrieval" not in catalogue.adapters(states)


def test_a_version_of_typed_answers_has_models_asked_for_them_unless_another_prompt_is_chosen(make_version):
    version = make_version(
        "statebench",
        source="scenes",
        tracks=["supersession"],
        rubric="typed@1",
        templates=1,
        lengths=[0],
        count=1,
    )
    server = {"base_url": "http://localhost:1/v1", "model": "m"}

    def prompt(**chosen):
        values = runs.check(version, "adapter:openai_compatible", None, server | chosen, [], by_hand=True)
        return values["prompt"]

    assert prompt() == "typed@1"
    assert prompt(prompt="standard@1") == "standard@1"
    assert "prompt" not in runs.asked_with(version, catalogue.executors_for(version)["state_based"])


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"executor": "nobody"}, "Unknown system 'nobody'"),
        ({"executor": "adapter:os:system"}, "Unknown system"),
        ({"executor": "ledger", "splits": ["k9"]}, "no condition k9"),
        ({"executor": "adapter:llama_cpp"}, "Choose a model file"),
    ],
)
def test_what_cannot_run_is_refused_before_anything_is_queued(small, staff, options, reason):
    with pytest.raises(JobError, match=reason):
        runs.start(version=small, started_by=staff, **options)
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ({"context": "many"}, "context"),
        ({"contxt": "1"}, "contxt"),
        ({"model": "/etc/passwd"}, "model"),
        ({"builder_model": "/etc/passwd"}, "builder_model"),
        ({"builder_model": "../x.gguf"}, "builder_model"),
    ],
)
def test_settings_are_checked_and_name_no_file_outside(small, staff, values, name):
    with pytest.raises(SettingsError) as refused:
        runs.start(version=small, executor="adapter:book_builder", started_by=staff, values=values)
    assert name in refused.value.fields


def test_a_selector_s_weights_are_a_registered_file_and_not_a_path(small, staff):
    with pytest.raises(SettingsError, match="linear_model"):
        runs.start(
            version=small, executor="adapter:retrieval", started_by=staff, values={"linear_model": "/x"}
        )


# Life


def test_a_deterministic_run_ends_in_a_verified_submission_that_says_how_it_was_made(small, staff):
    run = runs.start(version=small, executor="ledger", started_by=staff)
    assert runs.execute(str(run.pk), grade_now=True)
    run = again(run)
    made = run.submission.provenance
    assert (run.status, run.submission.verified, run.submission.score.headline) == ("finished", True, 1.0)
    assert made["version_sha256"] == small.sha256
    assert made["command"] == "python manage.py run_system ledger goldevidencebench/small"
    assert history(run)[-1] == "Finished"
    assert not list(execution.path_of(run).parent.glob("*.jsonl*"))


@pytest.mark.llama
def test_a_run_with_embeddings_names_the_model_that_made_them(small, staff, tmp_path, monkeypatch):
    model = write_tiny_gguf(tmp_path / "tiny.gguf")
    monkeypatch.setenv(dense.SETTING, str(model))
    run = runs.start(version=small, executor="dense+latest_step", started_by=staff, row_limit=2)
    assert runs.execute(str(run.pk), grade_now=True)
    made = again(run).submission.provenance
    assert made["embedding_model"]["file"] == "tiny.gguf"
    origin = {label: text for label, text, _ in provenance.lines(made, small.suite)}
    assert origin["Embedding model SHA-256"] == sha256(model.read_bytes()).hexdigest()
    assert str(tmp_path) not in str(made)


def test_a_message_that_comes_twice_makes_one_submission(small, staff):
    run = runs.start(version=small, executor="ledger", started_by=staff)
    assert runs.execute(str(run.pk))
    assert not runs.execute(str(run.pk))
    assert Submission.objects.count() == 1


def test_a_worker_that_died_after_submitting_submits_no_second_time(small, staff):
    run = runs.start(version=small, executor="ledger", started_by=staff)
    runs.execute(str(run.pk))
    Run.objects.filter(pk=run.pk).update(status="running", lease_until=timezone.now() - timedelta(seconds=1))
    assert runs.execute(str(run.pk))
    assert Submission.objects.count() == 1


def test_a_trial_over_a_part_is_private_and_its_command_repeats_the_part(small, staff):
    run = runs.start(version=small, executor="naive", started_by=staff, row_limit=5, splits=["k4-gold_first"])
    runs.execute(str(run.pk), grade_now=True)
    submission = again(run).submission
    assert (submission.row_count, submission.visibility, submission.shown) == (5, "private", False)
    assert submission.provenance["command"].endswith("--conditions k4-gold_first --limit 5")


def test_a_queued_run_is_cancelled_at_once_and_not_executed(small, staff):
    run = runs.start(version=small, executor="ledger", started_by=staff)
    runs.cancel(run, actor=staff)
    assert again(run).status == "cancelled"
    assert not runs.execute(str(run.pk))


def test_a_run_whose_worker_is_dead_is_cancelled_at_once(small, staff):
    run = runs.start(version=small, executor="ledger", started_by=staff)
    Run.objects.filter(pk=run.pk).update(status="running", lease_until=timezone.now() - timedelta(seconds=1))
    runs.cancel(run)
    assert again(run).status == "cancelled"


def test_a_running_run_is_asked_once_and_a_finished_one_is_left_alone(small, staff):
    run = runs.start(version=small, executor="ledger", started_by=staff)
    Run.objects.filter(pk=run.pk).update(status="running", lease_until=timezone.now() + timedelta(seconds=60))
    runs.cancel(run)
    runs.cancel(run)
    assert again(run).cancel_requested
    assert history(run).count("Asked to stop") == 1
    Run.objects.filter(pk=run.pk).update(status="finished")
    runs.cancel(run)
    assert again(run).status == "finished"
    assert not runs.resume(run)


def test_stop_and_resume_answer_every_row_once(small, staff):
    run = runs.start(version=small, executor="adapter:ledger", started_by=staff)
    stop = threading.Event()
    runs.execute(str(run.pk), on_progress=lambda done, total, rate: done == 4 and stop.set(), stop=stop)
    assert (again(run).status, again(run).progress_done) == ("cancelled", 4)
    created = again(run).created_at
    assert runs.resume(run, actor=staff)
    seen: list[int] = []
    assert runs.execute(str(run.pk), on_progress=lambda done, total, rate: seen.append(done))
    run = again(run)
    assert seen == list(range(5, run.progress_total + 1))
    assert run.submission.row_count == run.progress_total == small.row_count
    assert (run.created_at, run.attempts) == (created, 1)


# Faults


def test_a_worker_that_keeps_dying_without_a_row_is_given_up(small, staff):
    run = runs.start(version=small, executor="adapter:ledger", started_by=staff)
    for _ in range(backoff.MAX_ATTEMPTS):
        assert life.claim(Run, str(run.pk), execution.files_of) is not None
        die(run)
        leases.recover(Run.objects.all())
        wait_is_over(run)
    assert not runs.execute(str(run.pk))
    assert again(run).status == "failed"
    assert "died 10 times without progress" in again(run).error


def test_a_run_that_gets_on_between_two_deaths_is_not_given_up(small, staff):
    run = runs.start(version=small, executor="adapter:ledger", started_by=staff)
    Run.objects.filter(pk=run.pk).update(attempts=backoff.MAX_ATTEMPTS - 1)
    lease = life.claim(Run, str(run.pk), execution.files_of)
    Watch(run, lease, execution.copy_of(run, lease)).progress(1, 10, 2.0)
    assert again(run).attempts == 1


def test_a_run_says_at_what_it_is_from_the_first_second(small, staff, monkeypatch):
    run = runs.start(version=small, executor="adapter:ledger", started_by=staff)
    said: list[str] = []
    monkeypatch.setattr(Watch, "doing", lambda self, what: said.append(what))
    assert runs.execute(str(run.pk))
    assert said == [
        "Reading the rows",
        "Waiting for its turn",
        "Loading the model",
        "Answering the rows",
        "Checking the answers",
    ]
    assert again(run).doing == ""


def test_a_long_prompt_is_told_as_it_is_read(small, staff):
    run = runs.start(version=small, executor="adapter:ledger", started_by=staff)
    lease = life.claim(Run, str(run.pk), execution.files_of)
    watch = Watch(run, lease, execution.copy_of(run, lease))
    watch.reading(3277, 8192)
    assert again(run).doing == "Reading the first text, 8k tokens, 40%"
    watch.reading(3300, 8192)  # too soon to be told
    assert again(run).doing == "Reading the first text, 8k tokens, 40%"
    watch.reading(8192, 8192)
    assert again(run).doing == "Writing the first answer"
    watch.progress(1, 10, 2.0)
    assert again(run).doing == "Answering the rows"


def test_what_the_page_says_of_a_running_run(client, small, staff):
    run = runs.start(version=small, executor="adapter:ledger", started_by=staff)
    lease = life.claim(Run, str(run.pk), execution.files_of)
    client.force_login(staff)
    assert '<p class="doing">Starting</p>' in client.get(run.get_absolute_url()).content.decode()
    lease.update(doing="Loading the model")
    assert '<p class="doing">Loading the model</p>' in client.get(run.get_absolute_url()).content.decode()


def test_an_unexpected_error_becomes_a_reason_and_can_be_resumed(small, staff, monkeypatch):
    run = runs.start(version=small, executor="adapter:ledger", started_by=staff)
    monkeypatch.setattr(execution, "load_adapter", lambda *_, **__: 1 / 0)
    assert not runs.execute(str(run.pk))
    assert "division by zero" in again(run).error
    monkeypatch.undo()
    assert runs.resume(run)


def test_a_lack_of_memory_is_said_in_a_sentence(small, staff, monkeypatch):
    def none_left(*_: Any, **__: Any) -> None:
        raise MemoryError

    run = runs.start(version=small, executor="adapter:ledger", started_by=staff)
    monkeypatch.setattr(execution, "load_adapter", none_left)
    runs.execute(str(run.pk))
    assert "not enough memory" in again(run).error


def test_a_run_that_is_graded_by_a_faster_worker_ends_with_its_score(small, staff, monkeypatch):
    run = runs.start(version=small, executor="ledger", started_by=staff)
    grade, waits = submissions.grade, []

    def lose_the_race(pk):
        if waits:
            return grade(pk)
        waits.append(leases.claim(Submission.objects.filter(pk=pk), status=Submission.WORKS))
        return False

    def end(_):
        waits[0].release(status=Submission.WAITS)

    monkeypatch.setattr(submissions, "grade", lose_the_race)
    monkeypatch.setattr(runs.time, "sleep", end)
    assert runs.execute(str(run.pk), grade_now=True)
    run.refresh_from_db()
    assert run.submission.score is not None
