"""Runs of a model file through the real llama.cpp: what they record, and how they fail."""

from __future__ import annotations

import pytest

from leaderboard.runs import estimates, holders, model_files, provenance
from leaderboard.runs import services as runs
from tests.leaderboard.runs.gguf import tiny_model
from tests.leaderboard.runs.running import again

pytestmark = pytest.mark.llama


def test_a_run_carries_model_settings_builds_and_the_command_that_repeats_it(small, staff, model):
    run = runs.start(
        version=small,
        executor="adapter:llama_cpp",
        model_file=model,
        started_by=staff,
        values={"parallel": "2"},
        splits=["k4-gold_first", "k4-gold_last"],
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
    assert str(model_files.folder()) not in str(made)
    assert submission.efficiency["tokens_per_query"] > 0
    assert submission.efficiency["reuse_ratio"] > 0
    assert (submission.system.quantization, submission.system.parameters) == ("F32", "117K")
    labels = {label: text for label, text, _ in provenance.lines(made, small.suite)}
    assert labels["Model SHA-256"] == model.sha256


def test_a_damaged_model_is_no_model_that_this_worker_has(small, staff, model):
    run = runs.start(version=small, executor="adapter:llama_cpp", model_file=model, started_by=staff)
    path = model_files.folder() / "tiny.gguf"
    path.write_bytes(path.read_bytes()[:5000])
    assert not runs.execute(str(run.pk))
    assert (again(run).status, again(run).attempts) == ("queued", 0)
    assert "No worker has tiny.gguf" in holders.reason([model])


def test_a_model_that_llama_cpp_cannot_load_is_a_failed_run_with_the_reason(small, staff, model):
    path = model_files.folder() / "tiny.gguf"
    path.write_bytes(path.read_bytes()[:-4096])
    model.size = path.stat().st_size
    model.sha256 = model_files.gguf_file.sha256(path)
    model.save()
    run = runs.start(version=small, executor="adapter:llama_cpp", model_file=model, started_by=staff)
    runs.execute(str(run.pk))
    assert again(run).status == "failed"
    assert "llama.cpp cannot load tiny.gguf" in again(run).error


def test_a_context_beyond_the_memory_is_a_failed_run_with_the_reason(small, staff, settings, tmp_path):
    settings.MODELS_DIR = tmp_path / "models"
    tiny_model(settings.MODELS_DIR, context=2**31 - 512)
    model = model_files.register("tiny.gguf", by=staff)
    values = {"context": 2**31 - 1024}
    run = runs.start(
        version=small, executor="adapter:llama_cpp", model_file=model, started_by=staff, values=values
    )
    runs.execute(str(run.pk))
    assert again(run).status == "failed"
    assert "context" in again(run).error


def test_the_estimate_of_a_model_is_calibrated(small, model):
    plan = estimates.Plan(
        version=small.pk, executor="adapter:llama_cpp", model_file=model.pk, conditions=["k4-gold_last"]
    )
    estimates.calibrate(plan)
    assert estimates.estimate_for(plan).state == "known", estimates.estimate_for(plan).text
    assert "calibrated on" in estimates.estimate_for(plan).basis
