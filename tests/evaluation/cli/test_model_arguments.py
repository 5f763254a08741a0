"""The reference's names and variables in `model`, `estimate`, `bench` and `baseline`; messages contain no secret."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluation import goldevidence
from evaluation.adapters.environment import PREFIX
from evaluation.cli import main
from evaluation.core import jsonl

pytestmark = pytest.mark.usefixtures("nothing_set")

THEIRS = "goldevidencebench.adapters.retrieval_llama_cpp_adapter:create_adapter"
SECRET = "geb_Zm9yLXlvdXItZXllcw"


@pytest.fixture
def data(tmp_path: Path) -> str:
    rows = goldevidence.generate({"episodes": 1, "steps": 20, "chapters": 2, "queries": 3})
    jsonl.write(tmp_path / "rows.jsonl", rows)
    return str(tmp_path / "rows.jsonl")


def test_an_old_module_path_is_understood_with_a_hint(data: str, tmp_path: Path, capsys) -> None:
    results = tmp_path / "r.json"
    assert main(["model", "--data", data, "--adapter", THEIRS, "--results-json", str(results)]) == 0
    assert f"{THEIRS} is read as --adapter retrieval --set k=1" in capsys.readouterr().err
    content = json.loads(results.read_text())
    assert content["adapter"] == "retrieval"
    assert (
        "--set k=1 --set order=shuffle --set ties=earliest --set selector=none"
        in content["provenance"]["command"]
    )


def test_their_variables_are_settings_that_an_option_overrides(data: str, monkeypatch, capsys) -> None:
    monkeypatch.setenv(f"{PREFIX}RETRIEVAL_K", "4")
    monkeypatch.setenv(f"{PREFIX}RETRIEVAL_RERANK", "latest_step")
    monkeypatch.setenv(f"{PREFIX}BUILDER_MODE", "heuristic")
    assert main(["model", "--data", data, "--adapter", THEIRS, "--set", "selector=linear"]) == 0
    said = capsys.readouterr().err
    assert f"from the environment: {PREFIX}RETRIEVAL_K=4 (as --set k=4)\n" in said
    assert "--set k=1" not in said
    assert f"not used by this command: {PREFIX}BUILDER_MODE" in said


def test_estimate_understands_them_too(data: str, monkeypatch, capsys) -> None:
    monkeypatch.setenv(f"{PREFIX}RETRIEVAL_K", "4")
    assert main(["estimate", "--data", data, "--adapter", THEIRS]) == 0
    assert f"{PREFIX}RETRIEVAL_K=4" in capsys.readouterr().err


def test_the_model_of_a_bench_may_stand_in_the_environment(monkeypatch, tmp_path: Path, capsys) -> None:
    monkeypatch.setenv(f"{PREFIX}MODEL", "none.gguf")
    monkeypatch.chdir(tmp_path)
    assert main(["bench", "--preset", "smoke", "--parts", "standard"]) == 2
    said = capsys.readouterr().err
    assert f"{PREFIX}MODEL=none.gguf (as --model none.gguf)" in said
    assert "none.gguf" in said.splitlines()[-1]
    assert main(["bench", "--system", "ledger", "--preset", "smoke", "--parts", "k", "--out", "b"]) == 0


def test_a_variable_that_means_nothing_here_stops_no_other_command(data: str, monkeypatch, capsys) -> None:
    monkeypatch.setenv(f"{PREFIX}RETRIEVAL_K", "4")
    assert main(["run", "--data", data]) == 0
    assert f"not used by this command: {PREFIX}RETRIEVAL_K" in capsys.readouterr().err


def test_baseline_is_run(data: str, tmp_path: Path, capsys) -> None:
    assert main(["baseline", "--data", data, "--baseline", "ledger", "--out", str(tmp_path / "p.jsonl")]) == 0
    assert "`baseline` is called `run` here" in capsys.readouterr().err
    assert len(list(jsonl.read(tmp_path / "p.jsonl"))) == 6


@pytest.mark.parametrize(
    "words",
    [
        ["sweep", "--out", "s", "--token", SECRET],
        ["sweep", "--out", "s", f"--token={SECRET}"],
        ["sweep", "--out", "s", "--max-book-tokens", SECRET],
        ["sweep", "--out", "s", "--k-list", SECRET],
        ["sweep", "--out", "s", "--drop-prob", SECRET],
        ["sweep", "--out", "s", "--set", SECRET, "--adapter", "llama_cpp"],
        ["sweep", "--out", "s", "--set", f"api_key={SECRET}", "--adapter", "llama_cpp"],
        ["sweep", "--out", "s", "--set", f"token={SECRET}", "--adapter", THEIRS],
        [
            "model",
            "--data",
            "d",
            "--adapter",
            "openai_compatible",
            "--set",
            f"base_url=http://u:{SECRET}@h/v1",
        ],
        ["model", "--data", "d", "--adapter", "llama_cpp", "--api-key", SECRET],
        ["bench", "--model", "m.gguf", "--set", SECRET],
        ["bench", "--bar", SECRET, "--system", "ledger"],
        ["run", "--data", "d", "--tok", SECRET],
        ["generate", "--out", "o", "--seed", SECRET],
        ["submit", "--token", SECRET],
    ],
)
def test_no_message_about_options_prints_a_secret(
    words: list[str], tmp_path: Path, monkeypatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        code = main(words)
    except SystemExit as error:
        code = int(error.code or 0)
    printed = capsys.readouterr()
    assert code == 2
    assert printed.err
    assert SECRET not in printed.out + printed.err


@pytest.mark.parametrize("short", ["--tok", "--token", "--bas", "--dat"])
def test_options_are_not_abbreviated(short: str, data: str, capsys) -> None:
    with pytest.raises(SystemExit):
        main(["run", "--data", data, short, "x1234567"])
    assert "x1234567" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["sweep", "--out", "s", "--token", "correct-horse-battery"],
        ["sweep", "--out", "s", "--api-key=correct-horse-battery"],
        ["sweep", "--out", "s", "--adapter", "llama_cpp", "--set", "api_key=correct-horse-battery"],
        ["sweep", "--out", "s", "--adapter", "llama_cpp", "--vary-set", "hf_token=correct-horse-battery"],
        ["sweep", "--out", "s", "--vary", "token=correct-horse-battery"],
        ["model", "--data", "d", "--adapter", "llama_cpp", "--password", "correct-horse-battery"],
        ["model", "--adapter", THEIRS, "--set", "api_key=correct-horse-battery", "--data", "rows.jsonl"],
        ["bench", "--model", "m.gguf", "--set", "secret=correct-horse-battery"],
        ["bench", "--system", "ledger", "--bar", "token=correct-horse-battery"],
        ["baseline", "--data", "d", "--token", "correct-horse-battery"],
        ["login", "--token", "correct-horse-battery"],
    ],
)
def test_a_secret_given_for_the_name_of_its_variable_is_printed_nowhere(
    words: list[str], data: str, tmp_path: Path, monkeypatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        code = main(words)
    except SystemExit as error:
        code = int(error.code or 0)
    printed = capsys.readouterr()
    assert code == 2
    assert "correct-horse-battery" not in printed.out + printed.err
