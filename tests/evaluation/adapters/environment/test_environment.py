"""Unknown variables are refused by name; the reference's variables are read if they mean the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from evaluation import cli
from evaluation.adapters import environment, find_factory, load_adapter, settings_of
from evaluation.adapters.environment import OURS, UnknownVariableError, refuse_unknown
from evaluation.adapters.environment.reference import ADAPTERS, INSTEAD, SAME, SETTINGS
from evaluation.adapters.settings import json_schema, read_settings
from evaluation.cli import COMMANDS, WITHOUT_FIGURES, main
from evaluation.core import jsonl
from evaluation.core.errors import AdapterError, SettingsError
from evaluation.goldevidence.adapters.retrieval import RetrievalSettings
from tests.evaluation.conftest import make_row

#: Variables of the reference, with a valid value, and the adapters that read them there.
REFERENCE = {
    "MODEL": ("m.gguf", "llama_cpp"),
    "REQUIRE_CITATIONS": ("0", "llama_cpp"),
    "STREAM_MODE": ("parse", "streaming"),
    "STREAM_CHUNK_TOKENS": ("512", "streaming"),
    "BUILDER_MODE": ("heuristic", "book_builder"),
    "BUILDER_MODEL": ("b.gguf", "book_builder"),
    "BUILDER_CHUNK_TOKENS": ("512", "book_builder"),
    "BUILDER_PER_KEY_LLM": ("0", "book_builder"),
    "RETRIEVAL_K": ("4", "retrieval"),
    "RETRIEVAL_WRONG_TYPE": ("same_key", "retrieval"),
    "RETRIEVAL_ORDER": ("shuffle", "retrieval"),
    "RETRIEVAL_ORDER_SEED": ("7", "retrieval"),
    "RETRIEVAL_DROP_PROB": ("0.2", "retrieval"),
    "RETRIEVAL_DROP_SEED": ("7", "retrieval"),
    "RETRIEVAL_RERANK": ("latest_step", "retrieval"),
    "RETRIEVAL_RETRIEVER": ("bm25", "retrieval"),
    "RETRIEVAL_LINEAR_MODEL": ("x.json", "retrieval"),
    "RETRIEVAL_AUTHORITY_FILTER": ("1", "retrieval"),
    "RETRIEVAL_INCLUDE_CLEAR": ("0", "retrieval"),
    "RETRIEVAL_SELECTOR_ONLY": ("1", "retrieval"),
    "RETRIEVAL_QUERY_SANDWICH": ("1", "retrieval"),
    "RETRIEVAL_PICK_THEN_ANSWER": ("1", "retrieval"),
}
READ = {*SETTINGS, "MODEL", "STREAM_MODE", "BUILDER_MODEL"}  # what a setting of the same meaning takes
OWN = """
import os
from dataclasses import dataclass
from evaluation.adapters.environment import register
register("GOLDEVIDENCEBENCH_MY_CACHE")

@dataclass
class Settings:
    warmth: float = 0.5

class System:
    def predict(self, row, *, protocol):
        return {"value": "x"}

def make(settings: Settings):
    return System()
"""


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(environment.PREFIX)]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(environment, "_registered", set())


@pytest.fixture
def rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "own_system", raising=False)  # of another test's folder
    jsonl.write(tmp_path / "rows.jsonl", [make_row()])
    (tmp_path / "own_system.py").write_text(OWN)
    return tmp_path / "rows.jsonl"


def variables(**values: str) -> dict[str, str]:
    return {environment.PREFIX + name: value for name, value in values.items()}


def refused(adapter: str = "", **values: str) -> str:
    with pytest.raises(UnknownVariableError) as error:
        refuse_unknown(adapter, variables(**values))
    return str(error.value)


@pytest.mark.parametrize("name", REFERENCE)
def test_a_variable_of_the_reference_is_read_or_refused_with_what_to_use_instead(name: str) -> None:
    value, adapter = REFERENCE[name]
    if name in READ:
        refuse_unknown(adapter, variables(**{name: value}))
        setting = SETTINGS.get(name, name.lower())
        cls = settings_of(find_factory(adapter))
        assert cls is not None
        assert str(getattr(read_settings(cls, {}, variables(**{name: value})), setting)).lower() in (
            value,
            {"1": "true", "0": "false"}.get(value),
        )
        return
    text = refused(adapter, **{name: value})
    assert text.startswith(f"GOLDEVIDENCEBENCH_{name}: set in the environment but not read here.")
    assert INSTEAD[name] in text
    assert f"unset GOLDEVIDENCEBENCH_{name}" in text


@pytest.mark.parametrize("name", sorted(set(REFERENCE) - READ - {"REQUIRE_CITATIONS"}))
def test_what_the_reference_reads_for_another_adapter_changes_nothing(name: str, rows: Path) -> None:
    refuse_unknown("ledger", variables(**{name: REFERENCE[name][0]}))
    refuse_unknown("own_system:make", variables(**{name: REFERENCE[name][0]}))


@pytest.mark.parametrize("name", SAME)
def test_a_variable_with_the_value_that_holds_here_is_accepted(name: str) -> None:
    refuse_unknown("retrieval", variables(**{name: SAME[name]}))


def test_the_position_of_the_gold_line_is_no_setting_of_an_adapter() -> None:
    assert "sweep --orders gold_first" in refused("retrieval", RETRIEVAL_ORDER="gold_last")


def test_where_both_names_are_set_ours_counts() -> None:
    settings = read_settings(RetrievalSettings, {}, variables(K="3", RETRIEVAL_K="4"))
    assert settings.k == 3
    assert read_settings(RetrievalSettings, {"k": "5"}, variables(RETRIEVAL_K="4")).k == 5


def test_a_bad_value_is_refused_by_the_setting() -> None:
    with pytest.raises(SettingsError, match="k"):
        read_settings(RetrievalSettings, {}, variables(RETRIEVAL_K="many"))


def test_the_suggested_replacement_exists() -> None:
    """`--set name=…` in a message names a setting of the adapter."""
    known = {name.lower() for name in environment._names_of_adapters("")}
    named = {text.split("--set ")[1].split("=")[0] for text in INSTEAD.values() if "--set " in text}
    assert named | set(SETTINGS.values()) <= known
    assert set(REFERENCE) <= set(INSTEAD) | READ


def test_settings_of_a_run_on_the_site_are_not_taken_from_the_environment() -> None:
    with pytest.raises(UnknownVariableError, match="Use --set k=") as error:
        refuse_unknown("retrieval", variables(RETRIEVAL_K="4"), reads_settings=False)
    assert "GOLDEVIDENCEBENCH_RETRIEVAL_K" in str(error.value)
    with pytest.raises(UnknownVariableError, match="query_sandwich"):
        refuse_unknown(environment=variables(RETRIEVAL_QUERY_SANDWICH="1"), reads_settings=False)


@pytest.mark.parametrize("theirs", ADAPTERS)
def test_an_adapter_of_the_reference_is_found_under_its_path(theirs: str) -> None:
    assert find_factory(theirs) is find_factory(ADAPTERS[theirs].name)
    cls = settings_of(find_factory(theirs))
    assert set(ADAPTERS[theirs].settings) <= set(json_schema(cls)["properties"] if cls else ())


def test_another_path_of_the_reference_is_refused_with_those_that_are_understood() -> None:
    with pytest.raises(AdapterError, match="retrieval_llama_cpp_adapter"):
        find_factory("goldevidencebench.adapters.mock_adapter:create_adapter")


def test_an_adapter_under_its_old_path_does_by_itself_what_it_does_there() -> None:
    path = "goldevidencebench.adapters.retrieval_llama_cpp_adapter:create_adapter"
    adapter = load_adapter(path, environment={})
    assert (adapter.settings.k, adapter.settings.selector, adapter.settings.ties) == (1, "none", "earliest")
    adapter = load_adapter(path, {"ties": "latest"}, environment=variables(RETRIEVAL_K="4"))
    assert (adapter.settings.k, adapter.settings.ties) == (4, "latest")


@pytest.mark.parametrize(
    "name", [*sorted(OURS), "K", "MAX_TOKENS", "STRATEGY", "LINEAR_MODEL", "BASE_URL", "CHECK_PROMPT"]
)
def test_every_variable_that_is_read_is_known(name: str) -> None:
    refuse_unknown(environment={environment.PREFIX + name: "x"})


def test_a_misspelt_variable_is_named_with_the_nearest_and_all_are_named_at_once() -> None:
    text = refused(TOKN="secret-value", SELECTR="x", ZZZZ="y")
    assert "GOLDEVIDENCEBENCH_SELECTR, GOLDEVIDENCEBENCH_TOKN, GOLDEVIDENCEBENCH_ZZZZ" in text
    assert "Did you mean GOLDEVIDENCEBENCH_TOKEN?" in text
    assert "Did you mean GOLDEVIDENCEBENCH_SELECTOR?" in text
    assert "No variable has a similar name." in text
    assert "secret-value" not in text


def test_the_nearest_name_may_be_one_of_the_reference_s() -> None:
    assert "Did you mean GOLDEVIDENCEBENCH_RETRIEVAL_RERANK?" in refused(RETRIEVAL_RERNK="linear")


def test_empty_variables_and_those_of_others_are_ignored() -> None:
    mean_nothing = variables(RETRIEVAL_K="", RETRIEVAL_ORDER_SEED="") | {
        "RETRIEVAL_K": "4",
        "GOLDEVIDENCE": "x",
    }
    refuse_unknown("retrieval", mean_nothing)
    assert read_settings(RetrievalSettings, {}, mean_nothing).k == 8


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - WITHOUT_FIGURES))
def test_every_command_that_makes_figures_refuses(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = {
        "generate": ["--out", "o"],
        "run": ["--data", "d", "--out", "o"],
        "model": ["--adapter", "ledger", "--data", "d", "--out", "o"],
        "grade": ["--data", "d", "--pred", "p"],
        "mistakes": ["--data", "d", "--pred", "p", "--out", "o"],
        "selector": ["demo"],
        "sweep": ["run", "--out", "o"],
        "bench": ["--system", "ledger"],
        "reference": ["--reference-dir", "d"],
        "estimate": ["--adapter", "ledger", "--data", "d"],
        "state": ["generate", "--out", "o"],
        "gym": ["loop", "--learner", "selector", "--out", "o"],
    }[command]
    monkeypatch.setenv("GOLDEVIDENCEBENCH_RETREIVAL_K", "4")
    assert main([command, *words]) == 2
    assert "GOLDEVIDENCEBENCH_RETREIVAL_K: set in the environment" in capsys.readouterr().err


def test_a_command_that_makes_no_figures_does_not_mind(
    rows: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GOLDEVIDENCEBENCH_RETREIVAL_K", "4")
    jsonl.write(rows.parent / "p.jsonl", [{"id": make_row()["id"], "value": "x"}])
    assert main(["validate", "--data", str(rows), "--pred", str(rows.parent / "p.jsonl")]) == 0


def test_an_adapter_refuses_too_when_it_is_loaded_from_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDEVIDENCEBENCH_RETRIEVAL_PICK_THEN_ANSWER", "1")
    with pytest.raises(UnknownVariableError, match="--set selector"):
        load_adapter("retrieval")
    assert load_adapter("retrieval", environment={})


def test_a_system_of_one_s_own_brings_its_settings_and_registers_what_it_reads(
    rows: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["model", "--data", str(rows), "--out", "p.jsonl", "--adapter"]
    monkeypatch.setenv("GOLDEVIDENCEBENCH_WARMTH", "0.9")
    monkeypatch.setenv("GOLDEVIDENCEBENCH_MY_CACHE", "/tmp/x")
    assert main([*words, "ledger"]) == 2
    assert "GOLDEVIDENCEBENCH_MY_CACHE, GOLDEVIDENCEBENCH_WARMTH" in capsys.readouterr().err
    assert main([*words, "own_system:make"]) == 0


def test_nothing_is_imported_where_nothing_strange_is_set() -> None:
    code = (
        "import sys, evaluation.adapters.environment as e;"
        "e.refuse_unknown(environment={'GOLDEVIDENCEBENCH_URL': 'x'});"
        "sys.exit('evaluation.goldevidence' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0


def test_the_command_line_knows_our_prefix_without_the_adapters():
    assert cli.PREFIX == environment.PREFIX
