"""Sweeps: a grid of cells, each in a folder, and summaries that read them back."""

from __future__ import annotations

import json
from pathlib import Path

import orjson
import pytest

from evaluation.cli import main
from evaluation.goldevidence.conditions.conditions import Condition
from evaluation.goldevidence.experiments.summary import collect, decompositions, summarize
from evaluation.goldevidence.experiments.sweep import Grid, run_sweep
from evaluation.goldevidence.generator.config import GeneratorConfig

GRID = Grid(
    systems=("positional_last", "prefer_update_latest"),
    config=GeneratorConfig(episodes=1, queries=6, chapters=4, keys=6),
    seeds=2,
    steps=(60,),
    state_modes=("kv_commentary",),
    conditions=[Condition.from_json({"order": order}) for order in ("gold_first", "gold_last")],
)


def test_every_cell_has_its_folder_and_the_summary_reads_them_all(tmp_path: Path) -> None:
    collected: list[tuple[int, int]] = []
    runs = run_sweep(GRID, tmp_path / "s", lambda done, total: collected.append((done, total)))
    assert len(runs) == len(GRID) == 8
    assert collected[-1] == (8, 8)
    assert (
        tmp_path / "s" / "seed1-steps60-modekv_commentary-profstandard-positional_last-k4-gold_last"
    ).is_dir()
    summary = summarize(tmp_path / "s" / "combined.json")
    assert summary["rows"] == 8
    assert summary["retrieval"]["n"] == sum(run["data"]["n"] for run in runs)


def test_the_decomposition_of_a_positional_system_depends_on_the_order(tmp_path: Path) -> None:
    run_sweep(GRID, tmp_path / "s")
    rates = {
        (line["baseline"], line["retrieval_order"]): line["selection_rate"]
        for line in decompositions(tmp_path / "s" / "combined.json")
    }
    assert rates == {
        ("positional_last", "gold_first"): 0.0,
        ("positional_last", "gold_last"): 1.0,
        ("prefer_update_latest", "gold_first"): 1.0,
        ("prefer_update_latest", "gold_last"): 1.0,
    }


def test_without_conditions_systems_answer_the_whole_book(tmp_path: Path) -> None:
    grid = Grid(systems=("ledger",), config=GRID.config, steps=(60,))
    (run,) = run_sweep(grid, tmp_path / "s")
    assert run["metrics"]["exact_acc"] == 1.0
    assert run["retrieval_stats"] == []
    assert "retrieval" not in summarize(tmp_path / "s" / "combined.json")


def test_the_same_grid_writes_the_same_rows_and_predictions(tmp_path: Path) -> None:
    for name in ("a", "b"):
        run_sweep(GRID, tmp_path / name)
    for first in sorted((tmp_path / "a").glob("*/*.jsonl")):
        assert first.read_bytes() == (tmp_path / "b" / first.relative_to(tmp_path / "a")).read_bytes()


def test_the_command_runs_summarizes_and_collects(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sweep, out = tmp_path / "kv_s1q4", tmp_path / "again.json"
    grid = [
        "--systems",
        "latest_step",
        "--queries",
        "4",
        "--steps-list",
        "40",
        "--k-list",
        "2",
        "--drop-prob",
        "0.5",
    ]
    assert main(["sweep", "run", "--out", str(sweep), *grid]) == 0
    assert "1 run written" in capsys.readouterr().out
    again = ["--out-json", str(out), "--out-csv", str(tmp_path / "a.csv"), "--writes-buckets", "3,6"]
    assert main(["sweep", "summarize", "--in", str(sweep / "combined.json"), *again]) == 0
    ours, theirs = orjson.loads(out.read_bytes()), orjson.loads((sweep / "summary.json").read_bytes())
    assert ours["retrieval"] == theirs["retrieval"]
    assert {bucket["bucket"] for bucket in ours["recency"]["writes_to_key"]} <= {"0-3", "3-6", "6+"}
    assert main(["sweep", "collect", "--root", str(tmp_path), "--out-csv", str(tmp_path / "all.csv")]) == 0
    assert "kv_s1q4" in (tmp_path / "all.csv").read_text()


def test_a_list_that_is_none_is_a_plain_message(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", "run", "--out", str(tmp_path), "--steps-list", "ten"]) == 2
    assert "not a list of whole numbers" in capsys.readouterr().err
    (tmp_path / "combined.json").write_text(json.dumps({}))
    assert main(["sweep", "summarize", "--in", str(tmp_path / "combined.json")]) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--systems", ""], "systems: must name something"),
        (["--systems", "ledger,ledger"], "nothing twice"),
        (["--systems", "ledger,nobody"], "unknown system 'nobody'"),
        (["--steps-list", "220,5"], "chapters: must not exceed steps"),
        (["--k-list", "4,4"], "conditions: must not repeat"),
        (["--state-modes", "kv,kw"], "state_mode"),
    ],
)
def test_a_grid_is_checked_before_its_first_cell(tmp_path, arguments, message, capsys) -> None:
    assert main(["sweep", "run", "--out", str(tmp_path / "s"), *arguments]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize("runs", [[{}], [{"data": 5}], [{"data": {"path": "x/y"}, "metrics": {}}]])
def test_a_file_that_is_no_sweep_is_a_plain_message(tmp_path, runs, capsys) -> None:
    (tmp_path / "combined.json").write_text(json.dumps(runs))
    assert main(["sweep", "summarize", "--in", str(tmp_path / "combined.json")]) == 2
    assert "goldevidencebench: " in capsys.readouterr().err


@pytest.mark.parametrize("edges", ["4,2", "0,2", "2,2"])
def test_edges_have_to_rise(tmp_path, edges, capsys) -> None:
    (tmp_path / "combined.json").write_text("[]")
    assert (
        main(["sweep", "summarize", "--in", str(tmp_path / "combined.json"), "--writes-buckets", edges]) == 2
    )
    assert "the edges of writes_to_key must be" in capsys.readouterr().err


def test_a_summary_that_is_none_is_a_plain_message(tmp_path, capsys) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "summary.json").write_text("[]")
    assert main(["sweep", "collect", "--root", str(tmp_path), "--out-csv", str(tmp_path / "c.csv")]) == 2
    assert "summary.json: not in the form of a sweep" in capsys.readouterr().err


def test_only_the_size_is_cut_off_a_sweeps_name(tmp_path) -> None:
    summary = json.dumps({"rows": 1, "overall": {}})
    for name in ("kv_standard_s3q16", "kv_standard_s5q24", "kv_set"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "summary.json").write_text(summary)
    assert [line["pattern"] for line in collect(tmp_path)] == ["kv_set", "kv_standard", "kv_standard"]
