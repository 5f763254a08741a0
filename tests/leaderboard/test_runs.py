"""Runs: started, executed, cancelled, resumed; how they fail; what they tell of themselves."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from evaluation.errors import SettingsError
from leaderboard import (
    answering,
    bell,
    catalogue,
    estimates,
    leases,
    modelfiles,
    provenance,
    reaper,
    runs,
    turns,
)
from leaderboard.models import Run, Submission
from tests.leaderboard.gguf import SMALL_ORDER_BIAS, tiny_model


@pytest.fixture
def small(make_version):
    return make_version(name="small", **SMALL_ORDER_BIAS)


@pytest.fixture
def model(settings, tmp_path, staff):
    settings.MODELS_DIR = tmp_path / "models"
    tiny_model(settings.MODELS_DIR)
    return modelfiles.register("tiny.gguf", by=staff)


def again(run: Run) -> Run:
    return Run.objects.select_related("submission__score", "version", "system").get(pk=run.pk)


def history(run: Run) -> list[str]:
    return list(run.events.values_list("what", flat=True))


# What goes together


def test_a_version_offers_its_systems_and_the_adapters_that_read_its_rows(small, make_version):
    assert {"ledger", "adapter:llama_cpp", "adapter:retrieval"} <= catalogue.of(small).keys()
    states = make_version("statebench")
    assert catalogue.deterministic(states)
    assert "adapter:retrieval" not in catalogue.adapters(states)


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        ({"executor": "nobody"}, "Unknown system 'nobody'"),
        ({"executor": "adapter:os:system"}, "Unknown system"),
        ({"executor": "ledger", "conditions": ["k9"]}, "no condition k9"),
        ({"executor": "adapter:llama_cpp"}, "Choose a model file"),
    ],
)
def test_what_cannot_run_is_refused_before_anything_is_queued(small, staff, wanted, reason):
    with pytest.raises(runs.RunError, match=reason):
        runs.start(version=small, started_by=staff, **wanted)
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


def test_a_selector_s_weights_come_with_the_project_and_not_from_a_path(small, staff):
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
    assert not list(answering.path_of(run).parent.glob("*.jsonl*"))


def test_a_bell_that_rings_twice_makes_one_submission(small, staff):
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
    run = runs.start(
        version=small, executor="naive", started_by=staff, row_limit=5, conditions=["k4-gold_first"]
    )
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
    for _ in range(runs.MAX_ATTEMPTS):
        assert runs._claim(str(run.pk)) is not None
        Run.objects.filter(pk=run.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    assert not runs.execute(str(run.pk))
    assert again(run).status == "failed"
    assert "died 3 times without answering a row" in again(run).error


def test_a_run_that_gets_on_between_two_deaths_is_not_given_up(small, staff):
    run = runs.start(version=small, executor="adapter:ledger", started_by=staff)
    Run.objects.filter(pk=run.pk).update(attempts=runs.MAX_ATTEMPTS - 1)
    claimed = runs._claim(str(run.pk))
    watch = answering.Watch(claimed, leases.Lease(claimed))
    watch.progress(1, 10, 2.0)
    assert again(run).attempts == 1


def test_an_unexpected_error_becomes_a_reason_and_can_be_resumed(small, staff, monkeypatch):
    run = runs.start(version=small, executor="adapter:ledger", started_by=staff)
    monkeypatch.setattr(answering, "load_adapter", lambda *_: 1 / 0)
    assert not runs.execute(str(run.pk))
    assert "division by zero" in again(run).error
    monkeypatch.undo()
    assert runs.resume(run)


def test_a_lack_of_memory_is_said_in_a_sentence(small, staff, monkeypatch):
    def none_left(*_: Any) -> None:
        raise MemoryError

    run = runs.start(version=small, executor="adapter:ledger", started_by=staff)
    monkeypatch.setattr(answering, "load_adapter", none_left)
    runs.execute(str(run.pk))
    assert "not enough memory" in again(run).error


def test_a_worker_that_lost_its_lease_stops_and_leaves_no_trace(small, staff):
    run = runs.start(version=small, executor="adapter:ledger", started_by=staff)

    def overtake(done: int, total: int, rate: float) -> None:
        Run.objects.filter(pk=run.pk).update(lease_until=timezone.now() + timedelta(hours=1), worker="other")

    assert not runs.execute(str(run.pk), on_progress=overtake)
    run = again(run)
    assert (run.status, run.worker) == ("running", "other")
    assert "Finished" not in history(run)


# Leases and turns


def test_a_lease_is_renewed_only_while_it_is_ours(small, staff):
    claimed = runs._claim(str(runs.start(version=small, executor="ledger", started_by=staff).pk))
    lease = leases.Lease(claimed)
    lease._renew()
    assert not lease.lost
    assert again(claimed).lease_until > claimed.lease_until
    Run.objects.filter(pk=claimed.pk).update(lease_until=timezone.now() + timedelta(hours=1))
    lease._renew()
    assert lease.lost
    assert not lease.update(worker="late")


def test_two_generations_never_run_at_once_in_a_process(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    order: list[str] = []

    def second() -> None:
        with turns.turn("b", give_up=lambda: False):
            order.append("second")

    with turns.turn("a", give_up=lambda: False):
        other = threading.Thread(target=second)
        other.start()
        other.join(0.5)
        order.append("first")
    other.join(5)
    assert order == ["first", "second"]


def test_a_turn_that_another_process_holds_is_waited_for_until_called_off(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    with turns._lock_file("model") as held:
        assert turns._locked(held)
        with pytest.raises(turns.TurnGivenUp), turns.turn("model", give_up=lambda: True):
            pass
    with turns.turn("model", give_up=lambda: True):
        assert turns._generation.locked()
    assert not turns._generation.locked()


def test_bells_for_a_run_that_waits_do_not_pile_up(small, staff, monkeypatch):
    rung: list[str] = []
    monkeypatch.setattr(bell, "ring", lambda task, *args: rung.append(args[0]))
    run = runs.start(version=small, executor="ledger", started_by=staff)
    Run.objects.filter(pk=run.pk).update(created_at=timezone.now() - timedelta(minutes=5))
    reaper.ring_overdue()
    reaper.ring_overdue()
    assert rung == [str(run.pk)]


# Estimates


def test_an_estimate_is_unknown_until_something_was_measured(small, staff):
    plan = estimates.Plan(version=small.pk, executor="adapter:ledger", conditions=["k4-gold_last"])
    assert estimates.of(plan).state == "unknown"
    assert estimates.ask(plan).state == "asked"
    estimates.calibrate(plan)
    known = estimates.of(plan)
    assert known.state == "known"
    assert f"{small.conditions['k4-gold_last']} rows" in known.text


def test_an_estimate_follows_the_pace_of_an_earlier_run(small, staff):
    run = runs.start(version=small, executor="ledger", started_by=staff)
    runs.execute(str(run.pk))
    found = estimates.of(estimates.Plan(version=small.pk, executor="ledger", row_limit=3))
    assert "3 rows" in found.text
    assert "Small" in found.basis


def test_a_calibration_that_fails_says_why(small):
    plan = estimates.Plan(version=small.pk, executor="adapter:openai_compatible", settings={"base_url": "x"})
    estimates.calibrate(plan)
    assert estimates.of(plan).state == "failed"
    assert "base_url" in estimates.of(plan).text


# Models


@pytest.mark.llama
class TestWithAModel:
    """Through the real llama.cpp."""

    def test_a_run_carries_model_settings_builds_and_the_command_that_repeats_it(self, small, staff, model):
        run = runs.start(
            version=small,
            executor="adapter:llama_cpp",
            model_file=model,
            started_by=staff,
            values={"parallel": "2"},
            conditions=["k4-gold_first", "k4-gold_last"],
        )
        assert runs.execute(str(run.pk), grade_now=True), again(run).error
        made, submission = again(run).provenance, again(run).submission
        assert made["model"]["sha256"] == model.sha256
        assert made["model"]["quantization"] == "F32"
        assert made["settings"]["parallel"] == 2
        assert made["settings"]["model"] == "tiny.gguf"
        assert made["seed"] == 0
        assert all(made[name] for name in ("llama_cpp", "prompt_template_sha256", "hardware", "machine"))
        assert "--model tiny.gguf --set parallel=2 --conditions k4-gold_first k4-gold_last" in made["command"]
        assert str(modelfiles.folder()) not in str(made)
        assert submission.efficiency["tokens_per_query"] > 0
        assert submission.efficiency["reuse_ratio"] > 0
        assert (submission.system.quantization, submission.system.parameters) == ("F32", "117K")
        labels = {label: text for label, text, _ in provenance.lines(made)}
        assert labels["Model SHA-256"] == model.sha256

    def test_a_damaged_model_is_a_failed_run_with_the_reason(self, small, staff, model):
        run = runs.start(version=small, executor="adapter:llama_cpp", model_file=model, started_by=staff)
        path = modelfiles.folder() / "tiny.gguf"
        path.write_bytes(path.read_bytes()[:5000])
        runs.execute(str(run.pk))
        assert again(run).status == "failed"
        assert "no longer the file that was registered" in again(run).error

    def test_a_model_that_llama_cpp_cannot_load_is_a_failed_run_with_the_reason(self, small, staff, model):
        path = modelfiles.folder() / "tiny.gguf"
        path.write_bytes(path.read_bytes()[:-4096])
        model.size = path.stat().st_size
        model.sha256 = modelfiles.gguf_file.sha256(path)
        model.save()
        run = runs.start(version=small, executor="adapter:llama_cpp", model_file=model, started_by=staff)
        runs.execute(str(run.pk))
        assert again(run).status == "failed"
        assert "llama.cpp cannot load tiny.gguf" in again(run).error

    def test_a_context_beyond_the_memory_is_a_failed_run_with_the_reason(
        self, small, staff, settings, tmp_path
    ):
        settings.MODELS_DIR = tmp_path / "models"
        tiny_model(settings.MODELS_DIR, context=2**31 - 512)
        model = modelfiles.register("tiny.gguf", by=staff)
        values = {"context": 2**31 - 1024}
        run = runs.start(
            version=small, executor="adapter:llama_cpp", model_file=model, started_by=staff, values=values
        )
        runs.execute(str(run.pk))
        assert again(run).status == "failed"
        assert "context" in again(run).error

    def test_the_estimate_of_a_model_is_calibrated(self, small, model):
        plan = estimates.Plan(small.pk, "adapter:llama_cpp", model.pk, {}, ["k4-gold_last"])
        estimates.calibrate(plan)
        assert estimates.of(plan).state == "known", estimates.of(plan).text
        assert "calibrated on" in estimates.of(plan).basis


# Pages


def test_only_staff_see_runs(client, user, small, staff):
    run = runs.start(version=small, executor="ledger", started_by=staff)
    pages = ["/runs/", "/runs/new/", "/runs/new/estimate/", f"/runs/{run.pk}/", f"/runs/{run.pk}/status/"]
    for path in pages:
        assert client.get(path).status_code == 302
    client.force_login(user)
    for path in pages:
        assert client.get(path).status_code == 403
    assert client.post(f"/runs/{run.pk}/cancel/").status_code == 403
    assert again(run).status == "queued"


def test_the_form_follows_the_chosen_system_and_marks_bad_fields(client, staff, small):
    client.force_login(staff)
    form = client.get("/runs/new/?executor=adapter:retrieval").context["form"]
    assert "set_retriever" in form.fields
    assert "set_linear_model" not in form.fields
    assert "set_model" not in form.fields
    wanted = {"version": small.pk, "executor": "adapter:retrieval", "set_k": "0", "set_retriever": "magic"}
    refused = client.post("/runs/new/", wanted)
    assert refused.status_code == 422
    assert {"set_k", "set_retriever"} == set(refused.context["form"].errors)


def test_a_run_started_on_the_page_is_shown_while_it_waits_and_when_it_is_done(client, staff, small):
    client.force_login(staff)
    wanted = {"version": small.pk, "executor": "ledger", "conditions": ["k4-gold_last"]}
    page = client.post("/runs/new/", wanted, follow=True)
    run = Run.objects.get()
    assert b"Waiting for a worker" in page.content
    assert b"run_system ledger goldevidencebench/small --conditions k4-gold_last" in page.content
    runs.execute(str(run.pk), grade_now=True)
    poll = client.get(f"/runs/{run.pk}/status/", headers={"HX-Request": "true"})
    assert poll["HX-Refresh"] == "true"
    assert again(run).submission.get_absolute_url().encode() in poll.content
    assert b"Finished" in client.get("/runs/").content


def test_the_page_of_a_verified_submission_says_how_it_was_made_and_others_do_not(
    client, staff, small, submit, system
):
    run = runs.start(version=small, executor="ledger", started_by=staff)
    runs.execute(str(run.pk), grade_now=True)
    verified = client.get(again(run).submission.get_absolute_url()).content
    assert b"How it was made" in verified
    assert small.sha256.encode() in verified
    assert b"How it was made" not in client.get(submit(small, system).get_absolute_url()).content


def test_the_list_asks_the_database_the_same_few_questions_however_many_runs(
    client, staff, small, django_assert_max_num_queries
):
    client.force_login(staff)
    for _ in range(5):
        runs.start(version=small, executor="ledger", started_by=staff)
    with django_assert_max_num_queries(8):
        client.get("/runs/")
