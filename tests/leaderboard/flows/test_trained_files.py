"""A learned selector as a registered file: identified by its content, run like a model, and named on the board."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from evaluation.core.errors import SettingsError
from evaluation.goldevidence.selectors import linear
from leaderboard.runs import catalogue, execution, holders, model_checks, model_files
from leaderboard.runs import services as runs
from leaderboard.runs.model_job import JobError
from leaderboard.runs.models import ModelFile
from tests.leaderboard.runs.running import again

EXECUTOR = "adapter:retrieval"


@pytest.fixture
def folder(settings: Any, tmp_path: Path) -> Path:
    settings.MODELS_DIR = tmp_path / "models"
    settings.MODELS_DIR.mkdir(exist_ok=True)
    return settings.MODELS_DIR


def write(folder: Path, name: str = "mine.json", *, sign: float = 1.0) -> Path:
    """Write the project's own weights; with `sign=-1` they choose the worst line."""
    weights = linear.shipped()
    linear.save(linear.LinearSelector(sign * weights.weights, {"seed": 7}), folder / name)
    return folder / name


@pytest.fixture
def selector(folder: Path, staff: Any) -> ModelFile:
    write(folder)
    return model_files.register("mine.json", by=staff)


def start(version: Any, staff: Any, **options: Any) -> Any:
    return runs.start(version=version, executor=EXECUTOR, started_by=staff, **options)


def test_what_it_is_is_known_by_what_it_holds(folder: Path, staff: Any, selector: ModelFile) -> None:
    assert (selector.kind, selector.name, selector.parameters) == ("selector", "mine", 18)
    assert not selector.is_language_model
    assert model_checks.ask(selector) is None
    assert model_files.unregistered() == []
    for name, text in (("list.json", "[1]"), ("other.json", '{"feature_order": ["x"], "weights": [1]}')):
        (folder / name).write_text(text)
        with pytest.raises(model_files.ModelFileError, match=f"No system of this site can read {name}"):
            model_files.register(name, by=staff)
    (folder / "deep.json").write_text("[" * 100_000)
    with pytest.raises(model_files.ModelFileError, match=r"No system of this site can read deep\.json"):
        model_files.register("deep.json", by=staff)
    (folder / "large.json").write_text(" " * (model_files.MOST_TRAINED_BYTES + 1))
    with pytest.raises(model_files.ModelFileError, match="too large for trained weights"):
        model_files.register("large.json", by=staff)


def test_a_run_of_it_ends_on_the_board_under_its_name(
    small: Any, staff: Any, selector: ModelFile, client: Client
) -> None:
    run = start(small, staff, model_file=selector)
    assert runs.execute(str(run.pk), grade_now=True), again(run).error
    run = again(run)
    assert run.system.name == "mine · answers from 8 lines found by their tag"
    assert (run.system.kind, run.system.parameters) == ("selector", "18")
    assert run.submission.provenance["model"]["kind"] == "selector"
    assert run.submission.provenance["model"]["sha256"] == selector.sha256
    assert "--adapter retrieval --model mine.json" in run.submission.provenance["command"]
    assert "answers from 8 lines found by their tag" in client.get(small.get_board_url()).content.decode()


def test_its_weights_are_those_that_choose(small: Any, staff: Any, folder: Path, selector: ModelFile) -> None:
    write(folder, "worst.json", sign=-1.0)
    worst = model_files.register("worst.json", by=staff)
    scores = {}
    for model in (selector, worst):
        run = start(small, staff, model_file=model)
        assert runs.execute(str(run.pk), grade_now=True), again(run).error
        scores[model.name] = again(run).submission.score.headline
    own = start(small, staff, values={"selector": "linear"})
    assert runs.execute(str(own.pk), grade_now=True)
    assert scores["mine"] == again(own).submission.score.headline
    assert scores["mine"] > scores["worst"]


def test_a_file_that_changed_since_is_not_run(
    small: Any, staff: Any, folder: Path, selector: ModelFile
) -> None:
    run = start(small, staff, model_file=selector)
    path = folder / "mine.json"
    path.write_text(path.read_text().replace("7", "8", 1))
    assert not runs.execute(str(run.pk))
    assert (again(run).status, again(run).attempts) == ("queued", 0)


@pytest.mark.llama
def test_beside_a_language_model_it_is_a_setting_and_hashed_as_well(
    small: Any, staff: Any, folder: Path, model: ModelFile, selector: ModelFile
) -> None:
    run = start(small, staff, model_file=model, values={"linear_model": "mine.json"}, row_limit=2)
    assert "linear_model=mine.json" in run.system.harness
    assert run.system.kind == "llm"
    assert runs.execute(str(run.pk), grade_now=True), again(run).error
    made = again(run).submission.provenance["settings"]
    assert (made["selector"], made["linear_model"]) == ("linear", "mine.json")
    later = start(small, staff, model_file=model, values={"linear_model": "mine.json"}, row_limit=2)
    write(folder, sign=-1.0)
    assert not runs.execute(str(later.pk))
    assert (again(later).status, again(later).attempts) == ("queued", 0)
    assert holders.missing_here(execution.files_of(later)) == [selector]


def test_what_does_not_go_together_is_refused(small: Any, staff: Any, selector: ModelFile) -> None:
    with pytest.raises(JobError, match="cannot run mine, which is a trained selector"):
        runs.start(version=small, executor="adapter:llama_cpp", model_file=selector, started_by=staff)
    with pytest.raises(SettingsError, match="must be linear"):
        start(small, staff, model_file=selector, values={"selector": "latest_step"})
    with pytest.raises(SettingsError, match="would set it too"):
        start(small, staff, model_file=selector, values={"linear_model": "mine.json"})


def test_the_form_offers_it_to_the_adapter_that_takes_it_and_to_no_other(
    small: Any, staff: Any, selector: ModelFile, client: Client
) -> None:
    client.force_login(staff)
    form = client.get(f"/runs/new/?version={small.pk}&executor={EXECUTOR}").context["form"]
    assert [label for _, label in form.fields["model_file"].choices] == ["No model", "mine"]
    assert form.fields["set_linear_model"].choices == [("", "the project's"), ("mine.json", "mine")]
    other = client.get(f"/runs/new/?version={small.pk}&executor=adapter:llama_cpp").context["form"]
    assert selector not in other.fields["model_file"].queryset
    page = client.get(selector.get_absolute_url()).content.decode()
    assert "trained selector" in page
    assert f"executor={EXECUTOR}&amp;model_file={selector.pk}" in page
    assert "Chat template" not in page
    posted = {"version": small.pk, "executor": EXECUTOR, "model_file": selector.pk}
    assert client.post("/runs/new/", posted, follow=True).status_code == 200


def test_a_file_of_a_setting_that_is_gone_is_named_beside_the_setting(
    small: Any, staff: Any, selector: ModelFile, folder: Path, client: Client
) -> None:
    (folder / "mine.json").unlink()
    client.force_login(staff)
    posted = {"version": small.pk, "executor": EXECUTOR, "set_linear_model": "mine.json"}
    form = client.post("/runs/new/", posted).context["form"]
    assert form.errors == {"set_linear_model": ["The models folder has no file mine.json."]}


def test_an_adapter_says_which_files_it_takes(small: Any) -> None:
    known = catalogue.executors_for(small)
    assert known[EXECUTOR].file_kinds == ("gguf", "selector")
    assert known["adapter:llama_cpp"].file_kinds == ("gguf",)
    assert known["ledger"].file_kinds == ()
    assert catalogue.runner_of("selector") == EXECUTOR


def test_the_weights_a_file_names_are_counted(folder: Path) -> None:
    path = write(folder)
    data = json.loads(path.read_text())
    path.write_text(
        json.dumps(data | {"feature_order": data["feature_order"][:16], "weights": data["weights"][:16]})
    )
    assert linear.count_weights(path) == 16
