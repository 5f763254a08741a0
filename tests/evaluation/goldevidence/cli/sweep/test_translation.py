"""Sweeps typed as for the reference: its variables and its adapter become our options."""

from __future__ import annotations

import pytest

from evaluation.adapters.environment import PREFIX
from evaluation.cli import main
from evaluation.core.errors import BenchmarkError
from evaluation.core.terminal.typed import Typed, values_of
from evaluation.goldevidence.cli.sweep.translation import SWITCHES, VALUES, translate_arguments

pytestmark = pytest.mark.usefixtures("nothing_set")

THEIRS = "goldevidencebench.adapters.retrieval_llama_cpp_adapter:create_adapter"
OTHER = "goldevidencebench.adapters.llama_cpp_adapter:create_adapter"


def meant(*words: str, **variables: str) -> Typed:
    return translate_arguments(
        Typed(["run", *words]), {PREFIX + name: value for name, value in variables.items()}
    )


def test_their_adapter_shows_one_line_by_itself_and_lets_the_model_choose() -> None:
    typed = meant("--adapter", THEIRS, RETRIEVAL_ORDER_SEED="")
    assert typed.words[:9] == [
        "run", "--k-list", "1", "--wrong-type", "none", "--ties", "earliest", "--selectors", "none",
    ]  # fmt: skip
    assert typed.words[9:] == ["--adapter", "retrieval"]
    assert "is read as --adapter retrieval, whose defaults add --k-list 1" in typed.hints[0]


def test_what_the_environment_says_stands_before_what_was_typed() -> None:
    typed = meant("--adapter", THEIRS, "--orders", "gold_last", RETRIEVAL_K="4", RETRIEVAL_ORDER="shuffle")
    assert values_of(typed.words, "--k-list") == ["4"]
    assert values_of(typed.words, "--orders") == ["gold_last"]
    assert typed.overridden == {f"{PREFIX}RETRIEVAL_ORDER"}
    assert typed.taken == {f"{PREFIX}RETRIEVAL_K": f"{PREFIX}RETRIEVAL_K=4 (as --k-list 4)"}


@pytest.mark.parametrize("name", SWITCHES)
def test_a_switch_is_on_or_off(name: str) -> None:
    option = SWITCHES[name]
    assert f"--{option}" in meant("--adapter", "retrieval", **{name: "1"}).words
    assert f"--no-{option}" in meant("--adapter", "retrieval", **{name: "0"}).words
    typed = meant("--adapter", "retrieval", f"--no-{option}", **{name: "1"})
    assert f"--{option}" not in typed.words
    with pytest.raises(BenchmarkError, match=f"{name}: must be 1 or 0"):
        meant("--adapter", "retrieval", **{name: "perhaps"})


def test_variables_of_candidates_alone_mean_the_latest_line() -> None:
    assert values_of(meant("--adapter", "retrieval", RETRIEVAL_ORDER="shuffle").words, "--k-list") == ["1"]
    assert values_of(meant("--adapter", "retrieval", RETRIEVAL_RERANK="linear").words, "--k-list") == []


@pytest.mark.parametrize("name", [*VALUES, *sorted(set(SWITCHES) - {"REQUIRE_CITATIONS"})])
def test_another_adapter_or_none_is_not_shown_candidates(name: str) -> None:
    assert meant("--adapter", OTHER, **{name: "1"}).words == ["run", "--adapter", "llama_cpp"]
    assert meant("--systems", "ledger", **{name: "1"}).words == ["run", "--systems", "ledger"]


def test_whether_citations_are_required_is_set_for_systems_without_a_model_too() -> None:
    assert meant("--systems", "ledger", REQUIRE_CITATIONS="0").words[:2] == ["run", "--no-require-citations"]
    assert meant("--systems", "ledger", "--require-citations", REQUIRE_CITATIONS="0").overridden


def test_other_actions_are_left_alone() -> None:
    assert translate_arguments(Typed(["collect"]), {f"{PREFIX}RETRIEVAL_K": "4"}).words == ["collect"]


def test_the_command_says_what_it_took_and_the_run_keeps_it(tmp_path, monkeypatch, capsys) -> None:
    for name, value in {
        "K": "4",
        "RERANK": "latest_step",
        "WRONG_TYPE": "same_key",
        "ORDER_SEED": "0",
    }.items():
        monkeypatch.setenv(f"{PREFIX}RETRIEVAL_{name}", value)
    monkeypatch.setenv(f"{PREFIX}STREAM_MODE", "llm")
    words = ["--adapter", THEIRS, "--steps", "30", "--queries", "2", "--no-twins", "--no-derived-queries"]
    assert main(["sweep", "--out", str(tmp_path / "s"), *words]) == 0
    said = capsys.readouterr().err
    assert f"{PREFIX}RETRIEVAL_K=4 (as --k-list 4)" in said
    assert f"not used by this command: {PREFIX}STREAM_MODE" in said
    combined = (tmp_path / "s" / "combined.json").read_text()
    assert f'"{PREFIX}RETRIEVAL_RERANK": "latest_step"' in combined
    assert '"rerank_mode": "latest_step"' in combined


def test_what_a_sweep_cannot_do_is_refused_by_name(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setenv(f"{PREFIX}RETRIEVAL_PICK_THEN_ANSWER", "1")
    assert main(["sweep", "--out", str(tmp_path / "s"), "--adapter", THEIRS]) == 2
    assert "--set selector=… (other than none) picks a line first" in capsys.readouterr().err
    assert not (tmp_path / "s").exists()
