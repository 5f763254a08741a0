"""Model files: one folder, nothing outside it, and the facts in a file."""

from __future__ import annotations

import resource
import struct
import sys
import time
from pathlib import Path

import pytest

from evaluation.core.errors import SettingsError
from leaderboard.runs import catalogue, model_checks, model_files
from leaderboard.runs import services as runs
from leaderboard.runs.models import ModelFile
from tests.leaderboard.runs.gguf import tiny_model
from tests.tiny_gguf import write_lora, write_other


def _header(listed: bytes) -> bytes:
    """A file with an architecture and one list."""
    fields = (("general.architecture", 8, struct.pack("<Q", 5) + b"llama"), ("x", 9, listed))
    said = b"".join(
        struct.pack("<Q", len(name)) + name.encode() + struct.pack("<I", kind) + value
        for name, kind, value in fields
    )
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(fields)) + said


def _memory() -> int:
    """The memory of this process, in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


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
    with pytest.raises(model_files.ModelFileError, match="The models folder has no file"):
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

    def test_a_split_model_is_offered_by_its_first_shard_alone(self, folder, staff):
        for shard in ("big-00001-of-00002.gguf", "big-00002-of-00002.gguf"):
            tiny_model(folder, shard)
        assert model_files.unregistered() == ["big-00001-of-00002.gguf"]

    def test_a_file_is_registered_once_and_names_are_told_apart(self, folder, staff):
        tiny_model(folder)
        tiny_model(folder, "second.gguf", seed=1)
        model_files.register("tiny.gguf", by=staff)
        assert model_files.register("second.gguf", by=staff).name == "second"
        with pytest.raises(model_files.ModelFileError, match="already registered"):
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

    @pytest.mark.parametrize(
        ("architecture", "declared", "words"),
        [
            ("bert", "", "an embedding model, not a language model"),
            ("clip", "mmproj", "a vision projector, which reads pictures for a language model"),
        ],
    )
    def test_what_is_no_language_model_is_called_what_it_is(
        self, folder, client, staff, architecture, declared, words
    ):
        write_other(folder / "other.gguf", architecture, declared=declared)
        client.force_login(staff)
        refused = client.post("/models/register/", {"name": "other.gguf"})
        assert refused.status_code == 422
        assert f"other.gguf is {words}".encode() in refused.content

    def test_a_lora_adapter_is_registered_as_one_and_chosen_beside_its_model(
        self, folder, client, staff, small
    ):
        tiny_model(folder)
        write_lora(folder / "lora.gguf")
        client.force_login(staff)
        for name in ("tiny.gguf", "lora.gguf"):
            page = client.post("/models/register/", {"name": name}, follow=True).content.decode()
        assert "LoRA adapter" in page
        assert "setting <code>lora</code> of a run" in page
        assert "Run it" not in page
        lora = ModelFile.objects.get(kind=ModelFile.LORA)
        assert model_checks.ask(lora) is None
        model = ModelFile.objects.get(kind=ModelFile.GGUF)
        form = client.get("/runs/new/?executor=adapter:llama_cpp").content.decode()
        assert '<option value="lora.gguf">' in form
        assert f'<option value="{lora.pk}">' not in form
        chosen = {"version": small, "executor": "adapter:llama_cpp", "model_file": model, "started_by": staff}
        with pytest.raises(SettingsError, match="must be a registered lora"):
            runs.start(**chosen, values={"lora": "tiny.gguf"})
        run = runs.start(**chosen, values={"lora": "lora.gguf"})
        executor = catalogue.executors_for(small)[run.executor]
        assert catalogue.files_of(executor, run.settings, model) == [model, lora]

    def test_a_hostile_header_costs_this_process_nothing(self, folder, staff):
        """2^60 nested lists, and 48 MB of empty lists: read in another process, and refused or known in seconds."""
        endless = _header(struct.pack("<IQ", 9, 1 << 60))
        empty = struct.pack("<IQ", 0, 0) * 3_999_000
        (folder / "endless.gguf").write_bytes(endless)
        (folder / "many.gguf").write_bytes(_header(struct.pack("<IQ", 9, 3_999_000) + empty)[:-1])
        tiny_model(folder)
        model_files.register("tiny.gguf", by=staff)
        before, cpu = _memory(), time.process_time()
        for name in ("endless.gguf", "many.gguf"):
            with pytest.raises(
                model_files.ModelFileError, match=f"{name} is (not a whole GGUF file|no model)"
            ):
                model_files.register(name, by=staff)
        assert len(endless) < 130
        assert _memory() - before < 8 << 20
        assert time.process_time() - cpu < 0.5

    @pytest.mark.timing
    def test_reading_a_header_elsewhere_costs_a_small_part_of_a_second(self, folder, staff):
        for seed in range(4):
            tiny_model(folder, f"{seed}.gguf", seed=seed)
        model_files.register("0.gguf", by=staff)  # the server of processes is there
        started = time.monotonic()
        for seed in range(1, 4):
            model_files.register(f"{seed}.gguf", by=staff)
        assert time.monotonic() - started < 3 * 0.5

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
        with pytest.raises(model_files.ModelFileError, match="cannot be removed: 1 run used it"):
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
