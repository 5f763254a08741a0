"""`goldevidencebench run`."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from evaluation import goldevidence
from evaluation.cli import main
from evaluation.core import jsonl
from tests.live import ROOT

COSTS = {"tokens", "tokens_per_query", "tokens_per_q", "passes", "wall_s", "wall_s_per_q"}


@pytest.fixture
def rows():
    return list(goldevidence.generate({"episodes": 1, "steps": 20, "chapters": 2, "queries": 3}))


@pytest.fixture
def data(tmp_path, rows):
    """Rows as the site serves them: without gold."""
    jsonl.write(tmp_path / "rows.jsonl.gz", [{k: v for k, v in row.items() if k != "gold"} for row in rows])
    return str(tmp_path / "rows.jsonl.gz")


def test_it_answers_rows_without_gold(tmp_path, data, rows):
    out = tmp_path / "preds.jsonl"
    assert main(["run", "--baseline", "ledger", "--data", data, "--out", str(out)]) == 0
    answers = [(p["id"], p["value"], p["support_ids"]) for p in jsonl.read(out)]
    assert answers == [(row["id"], row["gold"]["value"], row["gold"]["support_ids"]) for row in rows]


def test_both_protocols_write_a_file_each_and_their_figures(tmp_path, data):
    out, results = tmp_path / "preds.jsonl.gz", tmp_path / "results.json"
    flags = ["--protocol", "both", "--out", str(out), "--results-json", str(results)]
    assert main(["run", "--baseline", "naive", "--data", data, *flags]) == 0
    figures = json.loads(results.read_text())["protocols"]
    assert list(figures) == ["open_book", "closed_book"]
    for protocol, figure in figures.items():
        assert figure["n"] == len(list(jsonl.read(tmp_path / f"preds.{protocol}.jsonl.gz"))) == 6
        assert set(figure["efficiency"]) == COSTS
        assert figure["metrics"] is None


def test_a_damaged_row_is_named_by_file_and_line(tmp_path, capsys):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"id": "E1", "meta": {"key": "tag.00"}, "book": ""}\n{"id": ')
    assert main(["run", "--data", str(path), "--out", str(tmp_path / "p.jsonl")]) == 2
    assert f"{path}:2:" in capsys.readouterr().err


def test_a_missing_file_is_one_line(tmp_path, capsys):
    assert main(["run", "--data", str(tmp_path / "none.jsonl"), "--out", str(tmp_path / "p.jsonl")]) == 2
    assert (
        capsys.readouterr().err
        == f"goldevidencebench: {tmp_path / 'none.jsonl'}: No such file or directory\n"
    )


def test_a_failed_run_leaves_what_was_there(tmp_path):
    out = tmp_path / "preds.jsonl"
    out.write_text("before\n")
    assert main(["run", "--data", str(tmp_path / "none.jsonl"), "--out", str(out)]) == 2
    assert out.read_text() == "before\n"


def test_the_data_is_never_written_over(tmp_path, data, capsys):
    before = (tmp_path / "rows.jsonl.gz").read_bytes()
    assert main(["run", "--data", data, "--out", data]) == 2
    assert "write to another file" in capsys.readouterr().err
    assert (tmp_path / "rows.jsonl.gz").read_bytes() == before


@pytest.fixture
def graded(tmp_path):
    """Rows with gold, of texts of several lengths."""
    path = tmp_path / "graded.jsonl"
    every = [
        {"episodes": 1, "steps": steps, "chapters": 2, "queries": 3, "twins": False} for steps in (12, 20, 40)
    ]
    unique = [
        row | {"id": f"{number}-{row['id']}", "episode_id": f"{number}-{row['episode_id']}"}
        for number, settings in enumerate(every)
        for row in goldevidence.generate(settings)
    ]
    jsonl.write(path, unique)
    return str(path)


def test_rows_with_gold_are_graded_at_once_and_nothing_has_to_be_written(
    tmp_path, graded, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    assert main(["run", "--data", graded]) == 0
    printed = capsys.readouterr().out
    assert "baseline ledger, closed_book: 9 rows" in printed
    assert "exact_acc" in printed
    assert "1 pass, " in printed
    assert "Efficiency curve: accuracy against tokens" in printed
    assert sorted(path.name for path in tmp_path.iterdir()) == ["graded.jsonl"]


def test_the_results_hold_what_grade_says_of_the_same_file(tmp_path, graded, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for rubric in ("strict", "reference"):
        how = ["--rubric", rubric, "--citations", "on", "--support-metric", "exact", "--no-entailment-check"]
        assert (
            main(
                [
                    "run",
                    "--data",
                    graded,
                    "--baseline",
                    "naive",
                    "--out",
                    "p.jsonl",
                    "--results-json",
                    "r.json",
                    *how,
                ]
            )
            == 0
        )
        assert main(["grade", "--data", graded, "--pred", "p.jsonl", "--results-json", "g.json", *how]) == 0
        run = json.loads((tmp_path / "r.json").read_text())
        figure, figures = (
            run["protocols"]["closed_book"],
            json.loads((tmp_path / "g.json").read_text())["metrics"],
        )
        assert figure["metrics"]["exact_acc"] == figures["exact_acc"]
        assert figure["metrics"]["instr_override_rate"] == figures["instr_override"]
        assert figure["config"] == {
            "citations": "on",
            "support_metric": "exact",
            "max_support_k": None,
            "rubric": rubric,
            "entailment_check": False,
        }
    assert figure["artifact_stats"] == []
    points = figure["efficiency_curve"]
    assert [point["n"] for point in points] == [3, 3, 3]
    assert sum(point["exact_acc"] * 3 for point in points) == pytest.approx(figures["exact_acc"] * 9)
    assert run["provenance"].keys() >= {"commit", "environment", "command", "engine"}
    assert run["env"] == {"GOLDEVIDENCEBENCH_MODEL": None, "GOLDEVIDENCEBENCH_REQUIRE_CITATIONS": None}


def test_rows_without_gold_are_answered_and_not_graded(tmp_path, data, capsys):
    assert main(["run", "--data", data]) == 0
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "the rows contain no gold: nothing is graded" in printed.err


def test_the_artifacts_of_a_system_that_builds_are_measured(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    words = ["--episodes", "1", "--queries", "1", "--steps", "30", "--out", "build.jsonl"]
    assert main(["generate", "--preset", "build", *words]) == 0
    assert main(["run", "--data", "build.jsonl", "--results-json", "r.json"]) == 0
    (figure,) = json.loads((tmp_path / "r.json").read_text())["protocols"].values()
    assert figure["artifact_stats"]
    assert {"episode_id", "tokens", "lines", "live"} <= figure["artifact_stats"][0].keys()


def test_predictions_that_go_down_a_pipe_are_not_mixed_with_figures(graded, tmp_path):
    words = [sys.executable, "-m", "evaluation", "run", "--data", graded, "--out", "/dev/stdout"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, check=True)
    assert len([json.loads(line) for line in done.stdout.splitlines()]) == 9
