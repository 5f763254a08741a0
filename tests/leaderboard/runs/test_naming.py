"""Names of systems of runs: all settings under test, and nothing of the machine."""

from __future__ import annotations

import pytest

from leaderboard.runs import catalogue, naming
from leaderboard.runs import services as runs
from leaderboard.runs.models import ModelFile
from leaderboard.submissions.models import System


def test_a_run_takes_the_first_of_two_systems_of_one_name(small, staff):
    first, _ = (System.objects.create(owner=staff, name="ledger") for _ in range(2))
    assert runs.start(version=small, executor="ledger", started_by=staff).system == first


def test_systems_with_long_settings_are_told_apart(small, staff):
    names = {_settings_of(small, "adapter:retrieval", {"linear_model": "x" * 90, "k": k}) for k in (4, 8)}
    assert len(names) == 2
    assert all(len(name) <= naming.NAME_LENGTH for name in names)


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ({"prompt": "standard@1", "wording": "a", "truncation": "recent"}, "llama_cpp · standard@1"),
        ({}, "llama_cpp · standard@1"),
        ({"prompt": "legacy@1"}, "llama_cpp · legacy@1"),
        ({"wording": "b", "mode": "select"}, "llama_cpp · standard@1 · mode=select, wording=b"),
        ({"truncation": "by_key", "context": 512}, "llama_cpp + by-key retriever · standard@1 · context=512"),
    ],
)
def test_a_name_tells_the_prompt_set_other_words_and_a_retriever(small, values, name):
    assert _settings_of(small, "adapter:llama_cpp", values) == name


@pytest.mark.parametrize(
    ("executor", "values", "reading", "harness"),
    [
        ("adapter:llama_cpp", {}, "whole", "reads the whole text"),
        ("adapter:llama_cpp", {"mode": "select"}, "whole", "picks a line of the whole text"),
        ("adapter:llama_cpp", {"wording": "b"}, "whole", "reads the whole text · wording=b"),
        (
            "adapter:retrieval",
            {"retriever": "bm25", "k": 4, "mode": "select", "selector": "none"},
            "retrieval",
            "picks from 4 lines found by BM25",
        ),
    ],
)
def test_how_a_run_reads_is_said_in_words(small, executor, values, reading, harness):
    called = naming.called(catalogue.executors_for(small)[executor], None, values)
    assert (called["reading"], called["harness"]) == (reading, harness)


def test_a_model_is_called_by_its_hub_id_or_by_its_file_without_format_and_quantization():
    hub = ModelFile(name="model.Q4_1.gguf", metadata={"hub_id": "HuggingFaceTB/SmolLM2-135M-Instruct"})
    assert naming.model_name(hub) == "SmolLM2-135M-Instruct"
    assert naming.model_name(ModelFile(name="tiny-llama.Q4_K_M.gguf")) == "tiny-llama"


def test_a_system_that_an_earlier_release_named_by_its_settings_is_found_again(small, staff):
    values = {"k": 4, "retriever": "bm25"}
    name = _settings_of(small, "adapter:retrieval", values)
    old = System.objects.create(owner=staff, name=name)
    run = runs.start(version=small, executor="adapter:retrieval", started_by=staff, values=values)
    assert run.system == old


def _settings_of(version, executor, values):
    return naming.adapter_name(catalogue.executors_for(version)[executor], None, values)
