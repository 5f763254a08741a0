"""`goldevidencebench model` grades what it has written, and prints the cost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluation import goldevidence
from evaluation.cli import main
from evaluation.core import jsonl
from tests.evaluation.conftest import make_timelines

SPY = """
class Spy:
    def predict(self, row, *, protocol):
        with open("seen.txt", "a") as out:
            print(len(row["book"].split()), "gold" in row, file=out)
        return {"value": None, "support_ids": []}

make = Spy
"""


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    rows = goldevidence.generate({"episodes": 2, "steps": 30, "chapters": 2, "queries": 4, "twins": False})
    jsonl.write(tmp_path / "rows.jsonl", rows)
    return "rows.jsonl"


def results(*words: str) -> dict[str, Any]:
    assert main(["model", "--results-json", "r.json", *words]) == 0
    content: dict[str, Any] = json.loads(Path("r.json").read_text())
    return content


def test_figures_cost_and_a_curve_are_printed_and_kept(data: str, capsys: pytest.CaptureFixture[str]) -> None:
    content = results("--adapter", "ledger", "--data", data)
    printed = capsys.readouterr().out
    assert "exact_acc" in printed
    assert "Efficiency: " in printed
    assert content["metrics"]["exact_acc"] == content["metrics"]["value_acc"] == 1.0
    assert content["artifact_stats"] == []
    assert content["efficiency"]["tokens_per_q"] > 100  # words, where no model counted
    assert {"passes", "wall_s", "wall_s_per_q", "tokens_per_query"} <= content["efficiency"].keys()
    for name in ("tokens_per_q", "wall_s_per_q"):
        assert content["efficiency"][f"{name}uery"] == content["efficiency"][name]
    assert content["metrics_raw"] == content["metrics"]
    assert sum(point["n"] for point in content["efficiency_curve"]) == 8
    assert content["config"]["rubric"] == "strict@4"
    assert content["provenance"].keys() >= {"commit", "environment", "command"}
    assert sorted(path.name for path in Path().iterdir()) == ["r.json", "rows.jsonl"]


def test_the_grading_is_that_of_grade_with_the_same_options(data: str) -> None:
    how = ["--rubric", "reference", "--citations", "off", "--max-support-k", "1", "--no-entailment-check"]
    content = results("--adapter", "retrieval", "--data", data, "--out", "p.jsonl", *how)
    assert main(["grade", "--data", data, "--pred", "p.jsonl", "--results-json", "g.json", *how]) == 0
    assert content["metrics"]["exact_acc"] == json.loads(Path("g.json").read_text())["metrics"]["exact_acc"]
    assert content["config"]["max_support_k"] == 1


def test_only_rows_that_were_asked_are_graded(data: str) -> None:
    content = results("--adapter", "ledger", "--data", data, "--limit", "3")
    assert content["metrics"]["exact_acc"] == 1.0
    assert sum(point["n"] for point in content["efficiency_curve"]) == 3


def test_a_memory_budget_cuts_what_the_system_sees(data: str) -> None:
    Path("spy.py").write_text(SPY)
    content = results("--adapter", "spy:make", "--data", data, "--max-book-tokens", "20")
    seen = [line.split() for line in Path("seen.txt").read_text().splitlines()]
    assert {gold for _, gold in seen} == {"False"}
    assert all(int(words) <= 23 for words, _ in seen)  # and the heading of the ledger
    assert content["provenance"]["command"].endswith("--max-book-tokens 20")


def test_a_run_of_another_budget_is_not_continued(data: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["model", "--adapter", "ledger", "--data", data, "--out", "p.jsonl"]
    assert main([*words, "--max-book-tokens", "20"]) == 0
    assert main([*words, "--resume", "--max-book-tokens", "40"]) == 2
    assert "started with a different max_book_tokens" in capsys.readouterr().err


def test_rows_without_gold_are_answered_and_not_graded(data: str, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{name: value for name, value in row.items() if name != "gold"} for row in jsonl.read(data)]
    jsonl.write("bare.jsonl", rows)
    content = results("--adapter", "ledger", "--data", "bare.jsonl")
    assert content["metrics"] is None
    assert "nothing is graded" in capsys.readouterr().err


def test_without_a_file_there_is_nothing_to_go_on_with(data: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "--adapter", "ledger", "--data", data, "--resume"]) == 2
    assert "--resume needs --out" in capsys.readouterr().err


ECHO = """
class Echo:
    def predict(self, row, *, protocol):
        return {"response": "Yes."}

make = Echo
"""


def test_timelines_are_graded_by_their_own_suite(data: str, capsys: pytest.CaptureFixture[str]) -> None:
    jsonl.write("timelines.jsonl", make_timelines())
    Path("echo.py").write_text(ECHO)
    content = results("--adapter", "echo:make", "--data", "timelines.jsonl")
    assert "decision_accuracy" in content["metrics"]
    assert "Figures" in capsys.readouterr().out
    assert main(["model", "--adapter", "echo:make", "--data", "timelines.jsonl", "--citations", "on"]) == 2
    assert "citations: applies only to rows of goldevidence" in capsys.readouterr().err
    content = results("--adapter", "echo:make", "--data", "timelines.jsonl", "--limit", "1")
    assert content["metrics"] is None
