"""A variable that nothing reads is refused by name, before it makes figures of another system."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from evaluation import cli
from evaluation.adapters import environment, load_adapter
from evaluation.adapters.environment import INSTEAD, OURS, UnknownVariableError, refuse_unknown
from evaluation.cli import COMMANDS, WITHOUT_FIGURES, main
from evaluation.core import jsonl
from tests.evaluation.conftest import make_row

#: Those of the reference.
REFERENCE = (
    "MODEL REQUIRE_CITATIONS STREAM_MODE STREAM_CHUNK_TOKENS BUILDER_MODE BUILDER_MODEL BUILDER_CHUNK_TOKENS "
    "BUILDER_PER_KEY_LLM RETRIEVAL_K RETRIEVAL_WRONG_TYPE RETRIEVAL_ORDER RETRIEVAL_ORDER_SEED RETRIEVAL_DROP_PROB "
    "RETRIEVAL_DROP_SEED RETRIEVAL_RERANK RETRIEVAL_RETRIEVER RETRIEVAL_LINEAR_MODEL RETRIEVAL_AUTHORITY_FILTER "
    "RETRIEVAL_INCLUDE_CLEAR RETRIEVAL_SELECTOR_ONLY RETRIEVAL_QUERY_SANDWICH RETRIEVAL_PICK_THEN_ANSWER"
).split()
HONOURED = ("MODEL", "STREAM_MODE", "BUILDER_MODEL")
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
    jsonl.write(tmp_path / "rows.jsonl", [make_row()])
    (tmp_path / "own_system.py").write_text(OWN)
    return tmp_path / "rows.jsonl"


def refused(**variables: str) -> str:
    with pytest.raises(UnknownVariableError) as error:
        refuse_unknown(environment={environment.PREFIX + name: value for name, value in variables.items()})
    return str(error.value)


@pytest.mark.parametrize("name", REFERENCE)
def test_a_variable_of_the_reference_is_read_or_refused_with_what_to_use_instead(name: str) -> None:
    if name in HONOURED:
        refuse_unknown(environment={environment.PREFIX + name: "x"})
        return
    text = refused(**{name: "1"})
    assert text.startswith(f"GOLDEVIDENCEBENCH_{name}: set in the environment, and read by nothing here.")
    assert INSTEAD[name] in text
    assert f"unset GOLDEVIDENCEBENCH_{name}" in text


def test_what_to_use_instead_is_there() -> None:
    """`--set name=…` names a setting of an adapter."""
    known = {name.lower() for name in environment._names_of_adapters("")}
    named = {text.split("--set ")[1].split("=")[0] for text in INSTEAD.values() if "--set " in text}
    assert named <= known
    assert set(INSTEAD) | set(HONOURED) == set(REFERENCE)


@pytest.mark.parametrize(
    "name", [*sorted(OURS), "K", "MAX_TOKENS", "STRATEGY", "LINEAR_MODEL", "BASE_URL", "CHECK_PROMPT"]
)
def test_what_is_read_is_known(name: str) -> None:
    refuse_unknown(environment={environment.PREFIX + name: "x"})


def test_a_misspelt_variable_is_named_with_the_nearest_and_all_are_named_at_once() -> None:
    text = refused(TOKN="secret-value", SELECTR="x", ZZZZ="y")
    assert "GOLDEVIDENCEBENCH_SELECTR, GOLDEVIDENCEBENCH_TOKN, GOLDEVIDENCEBENCH_ZZZZ" in text
    assert "Did you mean GOLDEVIDENCEBENCH_TOKEN?" in text
    assert "Did you mean GOLDEVIDENCEBENCH_SELECTOR?" in text
    assert "Nothing here is called so." in text
    assert "secret-value" not in text


def test_an_empty_variable_and_those_of_others_mean_nothing() -> None:
    refuse_unknown(environment={"GOLDEVIDENCEBENCH_RETRIEVAL_K": "", "RETRIEVAL_K": "4", "GOLDEVIDENCE": "x"})


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - WITHOUT_FIGURES))
def test_every_command_that_makes_figures_refuses(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = {
        "generate": ["--out", "o"],
        "run": ["--data", "d", "--out", "o"],
        "model": ["--adapter", "ledger", "--data", "d", "--out", "o"],
        "grade": ["--data", "d", "--pred", "p"],
        "selector": ["demo"],
        "sweep": ["run", "--out", "o"],
        "bench": ["--system", "ledger"],
        "reference": ["--reference-dir", "d"],
        "estimate": ["--adapter", "ledger", "--data", "d"],
        "state": ["generate", "--out", "o"],
    }[command]
    monkeypatch.setenv("GOLDEVIDENCEBENCH_RETRIEVAL_K", "4")
    assert main([command, *words]) == 2
    assert "GOLDEVIDENCEBENCH_RETRIEVAL_K: set in the environment" in capsys.readouterr().err


def test_a_command_that_makes_no_figures_does_not_mind(
    rows: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GOLDEVIDENCEBENCH_RETRIEVAL_K", "4")
    jsonl.write(rows.parent / "p.jsonl", [{"id": make_row()["id"], "value": "x"}])
    assert main(["validate", "--data", str(rows), "--pred", str(rows.parent / "p.jsonl")]) == 0


def test_an_adapter_refuses_too_when_it_is_loaded_from_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDEVIDENCEBENCH_RETRIEVAL_RERANK", "linear")
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
