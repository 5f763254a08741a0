"""StateBench runs with a model: the options of the form, a verified and graded result, its provenance, its estimate."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.core.management import call_command

from benchsite.model_servers import ModelServer
from evaluation.core import jsonl
from evaluation.core.errors import SettingsError
from evaluation.statebench.strategies import STRATEGIES
from leaderboard.runs import catalogue, estimates, execution, provenance
from leaderboard.runs import services as runs
from leaderboard.runs.models import Run
from tests.leaderboard.runs.running import again

SHORT = {"max_tokens": 4, "threads": 1}


@pytest.fixture
def states(make_version):
    return make_version("statebench", "states", tracks=["supersession", "brutal_realistic"], count=2)


@pytest.fixture(autouse=True)
def house(settings):
    settings.MODEL_SERVERS = {"house": ModelServer("http://127.0.0.1:9/v1")}


def test_a_version_offers_the_adapters_that_answer_its_rows(states, version):
    assert set(catalogue.adapters(states)) == {"adapter:llama_cpp", "adapter:openai_compatible"}
    assert "adapter:retrieval" in catalogue.adapters(version)
    settings = {
        setting.name: setting for setting in catalogue.executors_for(states)["adapter:llama_cpp"].settings
    }
    assert settings["strategy"].choices == tuple(STRATEGIES)
    assert "mode" not in settings
    others = {setting.name for setting in catalogue.executors_for(version)["adapter:llama_cpp"].settings}
    assert "mode" in others
    assert "strategy" not in others


def test_the_form_offers_strategies_to_choose_from(client, staff, states):
    client.force_login(staff)
    form = client.get(f"/runs/new/?version={states.pk}&executor=adapter:llama_cpp").context["form"]
    names = [field.name for field in form.setting_fields]
    assert names[:2] == ["set_strategy", "set_budget"]
    assert ("rolling_summary", "rolling_summary") in form.fields["set_strategy"].choices
    given = {"version": states.pk, "executor": "adapter:openai_compatible", "set_strategy": "magic"}
    assert "set_strategy" in client.post("/runs/new/", given).context["form"].errors


def test_an_unknown_strategy_is_refused(states, staff):
    with pytest.raises(SettingsError, match="state_based"):
        runs.start(
            version=states,
            executor="adapter:openai_compatible",
            started_by=staff,
            values={"strategy": "magic"},
        )


@pytest.mark.parametrize("executor", ["adapter:llama_cpp", "adapter:openai_compatible"])
def test_a_file_of_contexts_is_for_the_command_line_alone(states, executor):
    chosen = catalogue.executors_for(states)[executor]
    assert "contexts" not in {each.name for each in chosen.settings}
    with pytest.raises(SettingsError, match="contexts: cannot be set here"):
        catalogue.checked(chosen, {"contexts": "/etc/hostname"}, None, by_hand=True)


@pytest.mark.parametrize(("part", "rows"), [({"splits": ["brutal_realistic"]}, 6), ({"row_limit": 4}, 4)])
@pytest.mark.parametrize("executor", ["state_based", "adapter:openai_compatible"])
def test_tracks_and_limits_count_queries(states, staff, part, rows, executor):
    run = runs.start(version=states, executor=executor, started_by=staff, **part)
    if executor == "state_based":
        assert runs.execute(str(run.pk), grade_now=True), again(run).error
        assert again(run).submission.row_count == rows
    else:
        assert len(execution.questions_of(run)) == rows


@pytest.mark.llama
class TestWithAModel:
    """Through the real llama.cpp."""

    def start(self, states: Any, staff: Any, model: Any, **values: Any) -> Run:
        return runs.start(
            version=states,
            executor="adapter:llama_cpp",
            model_file=model,
            started_by=staff,
            values={**SHORT, **values},
        )

    def test_a_run_ends_in_a_verified_graded_result_that_names_strategy_and_budget(
        self, client, states, staff, model
    ):
        run = self.start(states, staff, model, strategy="rolling_summary", budget=256)
        assert runs.execute(str(run.pk), grade_now=True), again(run).error
        run = again(run)
        submission = run.submission
        assert (run.status, submission.verified, submission.row_count) == ("finished", True, states.row_count)
        # Four tokens are no answer in words: each is cut off.
        assert submission.row_states == run.row_states == {"cut_off": states.row_count}
        assert submission.score.metrics["answered_rate"] == 0
        assert submission.score.failures == {"cut_off": states.row_count}
        assert submission.efficiency["tokens_per_query"] > 100
        assert run.system.name.startswith("tiny · rolling summary, up to 256 tokens")
        assert run.system.settings.startswith(
            "tiny · llama_cpp · standard@1 · strategy=rolling_summary, budget=256, "
        )
        labels = {label: text for label, text, _ in provenance.lines(submission.provenance, states.suite)}
        assert (labels["Strategy"], labels["Token budget"]) == ("rolling_summary", 256)
        assert labels["Model SHA-256"] == model.sha256
        assert "--set strategy=rolling_summary" in submission.provenance["command"]
        page = client.get(submission.get_absolute_url()).content.decode()
        assert "How it was made" in page
        assert "rolling_summary" in page
        assert run.system.name in client.get(states.get_board_url()).content.decode()

    def test_the_strategy_is_told_even_where_it_is_the_default(self, states, staff, model):
        run = self.start(states, staff, model)
        assert run.settings["strategy"] == "state_based"
        assert run.system.harness.startswith("state based, up to 8192 tokens")

    def test_stop_and_resume_answer_every_query_once(self, states, staff, model):
        run, stop = self.start(states, staff, model), threading.Event()
        runs.execute(str(run.pk), on_progress=lambda done, total, rate: done == 3 and stop.set(), stop=stop)
        assert (again(run).status, again(run).progress_done) == ("cancelled", 3)
        saved = list(jsonl.read(execution.path_of(run)))
        assert runs.resume(run)
        assert runs.execute(str(run.pk), grade_now=True), again(run).error
        assert again(run).submission.row_count == states.row_count == again(run).progress_total
        assert len(saved) == 3

    def test_the_estimate_is_calibrated(self, states, staff, model):
        plan = estimates.Plan(
            version=states.pk,
            executor="adapter:llama_cpp",
            model_file=model.pk,
            settings=SHORT | {"strategy": "fact_extraction"},
        )
        estimates.calibrate(plan)
        assert estimates.estimate_for(plan).state == "known", estimates.estimate_for(plan).text
        assert f"{states.row_count} rows" in estimates.estimate_for(plan).text

    def test_the_same_from_the_shell(self, states, model, capsys):
        words = ["statebench/states", "--adapter", "llama_cpp", "--model", "tiny.gguf", "--limit", "2"]
        settings = ("strategy=no_memory", "max_tokens=4", "threads=1")
        call_command("run_model", *words, *(f"--set={pair}" for pair in settings))
        output = capsys.readouterr().out
        assert "no memory, up to 8192 tokens" in output
        assert "/submissions/" in output
