"""Model files: one folder, nothing outside it, and what a file says about itself."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from leaderboard.runs import model_files
from leaderboard.runs import services as runs
from leaderboard.runs.models import ModelFile
from tests.leaderboard.runs.gguf import tiny_model


@pytest.fixture
def folder(settings, tmp_path) -> Path:
    settings.MODELS_DIR = tmp_path / "models"
    settings.MODELS_DIR.mkdir()
    return settings.MODELS_DIR


@pytest.mark.parametrize(
    "name", ["../out.gguf", "/etc/passwd", "a/../../out.gguf", "", "x\x00.gguf", "link.gguf", "up/out.gguf"]
)
def test_nothing_outside_the_folder_is_opened(folder, name):
    (folder.parent / "out.gguf").write_bytes(b"GGUF")
    (folder / "link.gguf").symlink_to(folder.parent / "out.gguf")
    (folder / "up").symlink_to(folder.parent)
    with pytest.raises(model_files.ModelFileError):
        model_files.resolve(name)


def test_other_files_of_the_folder_are_no_models(folder):
    (folder / "notes.txt").write_text("not a model")
    with pytest.raises(model_files.ModelFileError, match="does not end in"):
        model_files.resolve("notes.txt")
    with pytest.raises(model_files.ModelFileError, match="There is no file"):
        model_files.resolve("missing.gguf")


@pytest.mark.parametrize(
    ("parameters", "words"), [(7_248_023_552, "7.25B"), (116_928, "117K"), (12, "12"), (0, "")]
)
def test_a_number_of_parameters_in_words(parameters, words):
    assert model_files.size_in_words(parameters) == words


def test_no_path_of_this_machine_is_told(folder):
    message = {"model": f"{folder}/sub/x.gguf", "list": [f"cannot load {folder}/x.gguf"], "seed": 3}
    assert model_files.without_folder(message) == {
        "model": "sub/x.gguf",
        "list": ["cannot load x.gguf"],
        "seed": 3,
    }


@pytest.mark.llama
class TestRegistering:
    """With real files, read by the real reader."""

    def test_what_the_file_says_about_itself_is_kept(self, folder, staff):
        tiny_model(folder, "sub/tiny.gguf", context=4096)
        assert model_files.unregistered() == ["sub/tiny.gguf"]
        model = model_files.register("sub/tiny.gguf", by=staff)
        assert (model.name, model.architecture, model.quantization) == ("tiny", "llama", "F32")
        assert model.context_length == 4096
        assert model.parameters > 100_000
        assert "assistant" in model.chat_template
        assert model_files.path_of(model) == folder.resolve() / "sub" / "tiny.gguf"
        assert model_files.unregistered() == []

    def test_a_file_is_registered_once_and_names_are_told_apart(self, folder, staff):
        tiny_model(folder)
        tiny_model(folder, "second.gguf", seed=1)
        model_files.register("tiny.gguf", by=staff)
        assert model_files.register("second.gguf", by=staff).name == "second"
        with pytest.raises(model_files.ModelFileError, match="registered already"):
            model_files.register("tiny.gguf", by=staff)

    @pytest.mark.parametrize("kept", [3, 40, 5_000, 300_000])
    def test_a_truncated_file_is_refused_in_a_sentence(self, folder, staff, kept):
        path = tiny_model(folder)
        path.write_bytes(path.read_bytes()[:kept])
        with pytest.raises(model_files.ModelFileError) as refused:
            model_files.register("tiny.gguf", by=staff)
        assert str(refused.value).startswith("tiny.gguf is ")
        assert str(folder) not in str(refused.value)
        assert not ModelFile.objects.exists()

    def test_a_file_that_changed_since_is_not_run(self, folder, staff):
        path = tiny_model(folder)
        model = model_files.register("tiny.gguf", by=staff)
        tiny_model(folder, seed=1)
        assert path.stat().st_size == model.size
        with pytest.raises(model_files.ModelFileError, match="no longer the file"):
            model_files.path_of(model)

    def test_a_model_with_runs_stays(self, folder, staff, version):
        tiny_model(folder)
        model = model_files.register("tiny.gguf", by=staff)
        run = runs.start(version=version, executor="adapter:llama_cpp", model_file=model, started_by=staff)
        with pytest.raises(model_files.ModelFileError, match="has 1 run and is kept"):
            model_files.remove(model)
        run.delete()
        model_files.remove(model)
        assert not ModelFile.objects.exists()

    def test_staff_see_and_register_on_the_page_and_others_do_not(self, folder, client, staff, user):
        tiny_model(folder)
        (folder / "bad.gguf").write_bytes(b"GGUF and then nothing")
        client.force_login(user)
        assert client.get("/models/").status_code == 403
        client.force_login(staff)
        assert b"tiny.gguf" in client.get("/models/").content
        refused = client.post("/models/register/", {"name": "bad.gguf"})
        assert refused.status_code == 422
        assert b"bad.gguf is not a whole GGUF file" in refused.content
        done = client.post("/models/register/", {"name": "tiny.gguf"}, follow=True)
        model = ModelFile.objects.get()
        assert model.sha256.encode() in done.content
        assert b"&lt;|assistant|&gt;" in done.content
        assert client.post(f"/models/{model.pk}/remove/").status_code == 302
        assert not ModelFile.objects.exists()


@pytest.mark.parametrize("path", ["/models/", "/runs/", "/runs/new/?executor=adapter:llama_cpp"])
def test_every_page_works_without_the_extra_and_says_how_to_get_it(
    client, staff, version, folder, monkeypatch, path
):
    monkeypatch.setitem(sys.modules, "llama_cpp", None)
    monkeypatch.setitem(sys.modules, "gguf", None)
    client.force_login(staff)
    page = client.get(path)
    assert page.status_code == 200
    if path != "/runs/":
        assert b"pip install &#x27;.[llama]&#x27;" in page.content


def test_registering_without_the_extra_says_how_to_get_it(staff, folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "gguf", None)
    (folder / "x.gguf").write_bytes(b"GGUF")
    with pytest.raises(model_files.ModelFileError, match="pip install"):
        model_files.register("x.gguf", by=staff)


def test_a_card_takes_of_a_file_only_what_a_person_might_enter():
    said = {
        "developer": "x" * 101,
        "hub_id": "a b/c",
        "hub_revision": "abc",
        "licence_url": "javascript:alert(1)",
    }
    model = ModelFile(
        parameters=0, quantization="Q4_1", context_length=8192, metadata=said | {"licence": "mit"}
    )
    assert model_files.card_facts(model) == {"quantization": "Q4_1", "context": 8192, "licence": "mit"}
