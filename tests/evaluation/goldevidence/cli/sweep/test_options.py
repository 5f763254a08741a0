"""The options of `sweep run`: the cells they make, what they refuse, and the estimated time."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import orjson
import pytest

from evaluation.cli import main

#: Options that mean nothing where a system is shown the whole text.
OF_CANDIDATES = (
    "--retrievers bm25",
    "--orders gold_last",
    "--wrong-type none",
    "--drop-prob 0.5",
    "--ties earliest",
    "--order-seed 1",
    "--drop-seed 1",
    "--spoof-rate 0.1",
    "--query-sandwich",
    "--no-include-clear",
)
SMALL = "--queries 3 --steps 24 --chapters 3 --no-derived-queries --no-twins"


def run(out: Path, words: str) -> list[dict[str, Any]]:
    assert main(["sweep", "--out", str(out), *SMALL.split(), *words.split()]) == 0
    runs: list[dict[str, Any]] = orjson.loads((out / "combined.json").read_bytes())
    return runs


def test_settings_of_the_generator_are_crossed(tmp_path: Path) -> None:
    runs = run(
        tmp_path / "s",
        "--systems ledger --vary keys=4,6 --vary clear_rate=0,0.3 --vary unsorted_ledger=false",
    )
    assert [(run["config"]["keys"], run["config"]["clear_rate"]) for run in runs] == [
        (4, 0.0),
        (4, 0.3),
        (6, 0.0),
        (6, 0.3),
    ]


def test_conditions_are_crossed(tmp_path: Path) -> None:
    words = (
        "--k-list 2,4 --wrong-type none,same_key --drop-prob 0,1 --retrievers key,bm25 --ties latest,earliest"
    )
    runs = run(tmp_path / "s", f"{words} --systems latest_step")
    assert len(runs) == len({run["config"]["condition"] for run in runs}) == 2**5
    dropped = [run for run in runs if run["identity"]["condition"]["drop_prob"] == 1]
    assert all(not trace["correct_included"] for run in dropped for trace in run["retrieval_stats"])


def test_an_authority_filter_is_an_ab(tmp_path: Path) -> None:
    words = "--state-modes kv_commentary --note-rate 0.5 --k-list 4 --authority-filter both --seeds 3"
    runs = run(tmp_path / "s", f"{words} --systems latest_step")
    rates = Counter[bool]()
    for each in runs:
        rates[each["config"]["authority_filter"]] += each["metrics"]["value_acc"]
    assert rates[False] < rates[True] == 3.0
    assert "authority_filter" in (tmp_path / "s" / "summary.csv").read_text()
    assert "Authority filter" in (tmp_path / "s" / "report.html").read_text()


def test_a_selector_alone_cites_and_leaves_the_value_out(tmp_path: Path) -> None:
    runs = run(
        tmp_path / "s",
        "--adapter retrieval --selectors latest_step --selector-only --k-list 4 --clear-rate 0",
    )
    assert runs[0]["metrics"]["value_acc"] == 0.0
    lines = (tmp_path / "s" / "decomposition.csv").read_text()
    assert "latest_step" in lines
    assert orjson.loads((tmp_path / "s" / "summary.json").read_bytes())["retrieval"]["selection_rate"] == 1.0


def test_a_second_sweep_adds_its_cells_to_the_folder(tmp_path: Path, capsys) -> None:
    run(tmp_path / "s", "--systems ledger")
    runs = run(tmp_path / "s", "--systems ledger,naive")
    assert [each["baseline"] for each in runs] == ["ledger", "naive"]
    assert "2 runs written" in (out := capsys.readouterr().out)
    assert "1 of them before" in out


def test_the_results_can_have_a_copy(tmp_path: Path) -> None:
    run(tmp_path / "s", f"--systems ledger --results-json {tmp_path / 'copy.json'}")
    assert (tmp_path / "copy.json").read_bytes() == (tmp_path / "s" / "combined.json").read_bytes()
    assert (
        main(["sweep", "summarize", "--in", str(tmp_path / "copy.json"), "--out-json", str(tmp_path / "x")])
        == 0
    )


def test_an_estimate_says_how_much_there_is_and_runs_nothing(tmp_path: Path, capsys) -> None:
    words = ["--systems", "ledger", "--adapter", "retrieval", "--seeds", "2", "--estimate"]
    assert main(["sweep", "--out", str(tmp_path / "s"), *SMALL.split(), *words]) == 0
    out = capsys.readouterr().out
    assert "4 cells, 6 rows of each system" in out
    assert "retrieval: about" in out
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--set k=4", "is a setting of adapters"),
        ("--adapter retrieval --set kk=4", "kk"),
        ("--adapter retrieval --selectors best", "selector"),
        ("--adapter nobody", "unknown adapter"),
        ("--vary kees=1", "'kees' is not one of"),
        ("--vary keys=many", "keys"),
        ("--orders first --k-list 2", "order"),
        ("--drop-prob half --k-list 2", "not a comma-separated list of numbers"),
        ("--authority-filter on", "applies only to candidates"),
        *(
            (
                words,
                f"{words.split()[0][2:].removeprefix('no-').replace('-', '_')}: applies only to candidates",
            )
            for words in OF_CANDIDATES
        ),
        ("--max-book-tokens-list 1,x", "not a comma-separated list of whole numbers"),
    ],
)
def test_what_cannot_be_run_is_a_plain_message(tmp_path: Path, words: str, message: str, capsys) -> None:
    assert main(["sweep", "run", "--out", str(tmp_path / "s"), *words.split()]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "s").exists()
