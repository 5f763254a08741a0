"""Sweeps: a grid of cells, each in a folder, and summaries that read them back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import orjson
import pytest

from evaluation.cli import main
from evaluation.core.errors import BenchmarkError
from evaluation.goldevidence.conditions.conditions import Condition
from evaluation.goldevidence.conditions.perturb import PUBLISHED_ORDERS
from evaluation.goldevidence.experiments.summary import collect, decompositions, summarize
from evaluation.goldevidence.experiments.sweep import Contestant, Grid, Hooks, run_sweep
from evaluation.goldevidence.experiments.sweep.contestants import adapters_with
from evaluation.goldevidence.experiments.sweep.plots import cost_charts
from evaluation.goldevidence.experiments.sweep.report import figures_table, write_report
from evaluation.goldevidence.generator.config import GeneratorConfig
from tests.evaluation.adapters.server import Server, serving
from tests.evaluation.goldevidence.experiments.sweep.cast import CONFIG, OWN, tiny_model
from tests.evaluation.goldevidence.experiments.sweep.cast import grid as small

GRID = Grid(
    contestants=[Contestant.system("positional_last"), Contestant.system("prefer_update_latest")],
    config=GeneratorConfig(episodes=1, queries=6, chapters=4, keys=6),
    seeds=2,
    steps=(60,),
    state_modes=("kv_commentary",),
    conditions=[Condition.from_json({"order": order}) for order in ("gold_first", "gold_last")],
)


def test_every_cell_has_its_folder_and_the_summary_reads_them_all(tmp_path: Path) -> None:
    collected: list[tuple[int, int]] = []
    runs = run_sweep(GRID, tmp_path / "s", Hooks(lambda done, total: collected.append((done, total)))).runs
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
    grid = Grid([Contestant.system("ledger")], config=GRID.config, steps=(60,))
    (run,) = run_sweep(grid, tmp_path / "s").runs
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
    assert "not a comma-separated list of whole numbers" in capsys.readouterr().err
    (tmp_path / "combined.json").write_text(json.dumps({}))
    assert main(["sweep", "summarize", "--in", str(tmp_path / "combined.json")]) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--systems", ""], "systems: must not be empty"),
        (["--systems", "ledger,ledger"], "or repeat a value"),
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


def test_several_processes_write_what_one_writes(tmp_path: Path) -> None:
    grid = small("ledger", "naive", seeds=3)
    one, two = (run_sweep(grid, tmp_path / name, jobs=jobs).runs for name, jobs in (("a", 1), ("b", 2)))
    for first, second in zip(one, two, strict=True):
        assert first["metrics"] == second["metrics"]
        assert first["identity"] == second["identity"]
    for path in sorted((tmp_path / "a").glob("*/*.jsonl")):
        assert path.read_bytes() == (tmp_path / "b" / path.relative_to(tmp_path / "a")).read_bytes()


def test_the_views_of_one_data_set_are_divided_among_processes(tmp_path: Path) -> None:
    conditions = [Condition.from_json({"k": k, "order": order}) for k in (2, 3) for order in PUBLISHED_ORDERS]
    grid = small("latest_step", "linear", conditions=conditions)
    for name, jobs in (("a", 1), ("b", 3)):
        assert run_sweep(grid, tmp_path / name, jobs=jobs).is_done
    files = sorted((tmp_path / "a").glob("*/*.jsonl"))
    assert len(files) == 2 * len(grid) == 32
    for path in files:
        assert path.read_bytes() == (tmp_path / "b" / path.relative_to(tmp_path / "a")).read_bytes()
    one, two = (orjson.loads((tmp_path / name / "combined.json").read_bytes()) for name in ("a", "b"))
    assert [_without_times(run) for run in one] == [_without_times(run) for run in two]


def _without_times(run: dict[str, Any]) -> dict[str, Any]:
    """A run without its duration and its folder."""
    return {name: value for name, value in run.items() if name not in ("efficiency", "data")}


def test_a_sweep_that_was_stopped_goes_on(tmp_path: Path) -> None:
    grid, done = small("ledger", seeds=3), list[int]()
    hooks = Hooks(lambda count, _: done.append(count), should_stop=lambda: len(done) >= 2)
    first = run_sweep(grid, tmp_path / "s", hooks)
    assert first.stopped
    assert not first.is_done
    assert len(orjson.loads((tmp_path / "s" / "combined.json").read_bytes())) == 2
    second = run_sweep(grid, tmp_path / "s")
    assert (second.reused, second.is_done) == (2, True)
    whole = run_sweep(grid, tmp_path / "whole")
    assert [run["metrics"] for run in second.runs] == [run["metrics"] for run in whole.runs]


def test_a_cell_that_was_run_otherwise_is_not_taken_for_done(tmp_path: Path) -> None:
    run_sweep(small("ledger"), tmp_path / "s")
    other = small("ledger", config=CONFIG.having(queries=3))
    with pytest.raises(BenchmarkError, match=r"was run with another config.*--again"):
        run_sweep(other, tmp_path / "s")
    assert run_sweep(other, tmp_path / "s", again=True).runs[0]["data"]["n"] == 3


def test_a_cell_is_not_gone_on_with_under_other_settings_of_the_environment(tmp_path, monkeypatch) -> None:
    def grid() -> Grid:
        return Grid(adapters_with(["retrieval"], {}, {}), CONFIG, steps=(24,))

    asked = list[str]()
    monkeypatch.setenv("GOLDEVIDENCEBENCH_K", "2")
    stop = Hooks(on_row=lambda cell, result: asked.append(result.id), should_stop=lambda: len(asked) >= 2)
    assert run_sweep(grid(), tmp_path / "s", stop).stopped
    monkeypatch.setenv("GOLDEVIDENCEBENCH_K", "1")
    with pytest.raises(BenchmarkError, match="started with a different system"):
        run_sweep(grid(), tmp_path / "s")
    monkeypatch.setenv("GOLDEVIDENCEBENCH_K", "2")
    (run,) = run_sweep(grid(), tmp_path / "s").runs
    assert {trace["k"] for trace in run["retrieval_stats"]} == {2}
    monkeypatch.delenv("GOLDEVIDENCEBENCH_K")
    with pytest.raises(BenchmarkError, match="was run with another system"):
        run_sweep(grid(), tmp_path / "s")


@pytest.mark.parametrize("protocol", ["closed", "open", "build"])
def test_the_ledger_is_right_under_every_protocol(tmp_path: Path, protocol: str) -> None:
    (run,) = run_sweep(small("ledger", protocol=protocol), tmp_path / "s").runs
    assert run["metrics"]["exact_acc"] == 1.0
    assert len(run["artifact_stats"]) == (protocol == "build")
    assert summarize(tmp_path / "s" / "combined.json")["overall"]["value_acc_mean"] == 1.0


def test_a_small_budget_forgets_old_updates(tmp_path: Path) -> None:
    grid = small("ledger", steps=(80,), max_book_tokens=(20, 2000))
    little, enough = (run["metrics"]["value_acc"] for run in run_sweep(grid, tmp_path / "s").runs)
    assert little < enough == 1.0


@pytest.mark.parametrize(("protocol", "text"), [("closed", "book"), ("open", "document")])
def test_an_own_adapter_sees_what_the_protocol_shows(tmp_path, monkeypatch, protocol, text) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / f"own_{protocol}.py").write_text(OWN)
    grid = Grid([Contestant("own", f"own_{protocol}:create_adapter")], CONFIG, steps=(24,), protocol=protocol)
    assert run_sweep(grid, "s").is_done
    seen = {line.partition(",")[2] for line in Path("seen.txt").read_text().splitlines()}
    assert all(text in fields for fields in seen)
    assert not any(
        {"gold", "book" if text == "document" else "document"} & set(fields.split(",")) for fields in seen
    )


def test_a_retrieval_adapter_is_decomposed_by_what_it_says_it_showed(tmp_path: Path) -> None:
    who = adapters_with(["retrieval"], {"k": "2"}, {"selector": ["latest_step", "first_shown"]})
    latest, first = run_sweep(Grid(who, CONFIG, steps=(60,)), tmp_path / "s").runs
    assert {trace["k"] for trace in latest["retrieval_stats"]} == {2}
    lines = list(decompositions(tmp_path / "s" / "combined.json"))
    assert [line["retrieval_rerank"] for line in lines] == ["latest_step", "first_shown"]
    assert lines[0]["selection_rate"] == 1.0 > lines[1]["selection_rate"]
    assert latest["metrics"]["value_acc"] > first["metrics"]["value_acc"]


def test_quality_stands_over_cost_from_cheap_to_dear(tmp_path: Path) -> None:
    conditions = [Condition.from_json({"k": k}) for k in (1, 4)]
    grid = Grid(GRID.contestants, GRID.config, seeds=2, steps=(60,), conditions=conditions)
    [picture] = cost_charts(run_sweep(grid, tmp_path / "s").runs)
    places = [float(place) for place in picture.chart.places]
    assert len(places) == 2
    assert places == sorted(places)
    assert {series.name for series in picture.chart.series} == {"positional_last", "prefer_update_latest"}
    best = next(series for series in picture.chart.series if series.name == "prefer_update_latest")
    assert [point.y for point in best.points] == [1.0, 1.0]
    assert all(point.low is not None for point in best.points)
    write_report(tmp_path / "s" / "combined.json", tmp_path / "r")
    assert (tmp_path / "r" / "plots" / "cost-value_acc.svg").exists()
    assert not list(cost_charts(run_sweep(small("ledger"), tmp_path / "one").runs))


PICKS = """
class Picks:
    def predict(self, row, *, protocol):
        lines = row["candidates"]
        picked = max(lines, key=lambda line: line["step"])["uid"]
        return {"value": None, "support_ids": [lines[0]["uid"]], "selected_uid": picked}


def create_adapter():
    return Picks()
"""


def test_what_a_selector_picked_stands_beside_what_the_answer_cites(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "picks.py").write_text(PICKS)
    orders = [Condition.from_json({"k": 2, "order": order}) for order in ("gold_first", "gold_last")]
    who = [Contestant("picks", "picks:create_adapter"), Contestant.system("ledger")]
    sweep = run_sweep(Grid(who, CONFIG, steps=(60,), conditions=orders), "s")
    lines = {
        (line["baseline"], line["retrieval_order"]): (line["gold_picked_rate"], line["selection_rate"])
        for line in decompositions("s/combined.json")
    }
    assert lines["picks", "gold_first"] == (1.0, 1.0)
    assert lines["picks", "gold_last"] == (1.0, 0.0)
    assert lines["ledger", "gold_last"] == (None, 1.0), "it says nothing of a selector"
    table = figures_table(sweep.runs)
    picked, cited = map(table.headings.index, ("picked", "cited"))
    assert {tuple(row[at] for at in (0, 1, picked, cited)) for row in table.rows} > {
        ("picks", "gold_last", "1.000", "0.000"),
        ("ledger", "gold_last", "–", "1.000"),
    }


@pytest.mark.llama
def test_a_model_is_loaded_once_for_all_its_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from evaluation.adapters.llama import engine

    loaded, load = list[str](), engine.load_weights
    monkeypatch.setattr(
        engine, "load_weights", lambda path, **more: loaded.append(path) or load(path, **more)
    )
    settings = {"model": str(tiny_model(tmp_path)), "context": "2048", "threads": "1"}
    who = adapters_with(["retrieval"], settings, {"selector": ["none", "latest_step"]})
    shown = {"k": 2, "retriever": "bm25", "ties": "earliest"}
    conditions = [Condition.from_json({**shown, "order": order}) for order in ("gold_first", "gold_last")]
    rows = list[str]()
    hooks = Hooks(on_row=lambda cell, result: rows.append(cell.folder))
    grid = Grid(who, CONFIG.having(queries=2), steps=(24,), conditions=conditions)
    sweep = run_sweep(grid, tmp_path / "s", hooks)
    assert sweep.is_done
    assert len(loaded) == 1
    assert len(set(rows)) == 4
    assert sweep.runs[0]["provenance"]["model"]
    told = sweep.runs[0]["provenance"]["settings"]
    assert {name: told[name] for name in (*shown, "order")} == {**shown, "order": "gold_first"}
    assert "tokens_per_query" not in sweep.runs[0]["efficiency"]
    assert sweep.runs[0]["metrics_raw"] == sweep.runs[0]["metrics"]
    place = tmp_path / "s" / next(grid.cells()).folder
    assert (place / "preds.transcripts.jsonl.gz").exists()


@pytest.mark.llama
def test_cells_of_a_model_file_that_was_replaced_are_not_taken_for_done(tmp_path: Path) -> None:
    settings = {"model": str(tiny_model(tmp_path)), "context": "1024", "threads": "1"}
    conditions = [Condition.from_json({"k": 2, "order": "gold_first"})]
    who = adapters_with(["llama_cpp"], settings, {})
    grid = Grid(who, CONFIG.having(queries=1), steps=(24,), conditions=conditions)
    assert run_sweep(grid, tmp_path / "s").is_done
    assert run_sweep(grid, tmp_path / "s").reused == 1
    tiny_model(tmp_path, seed=5)
    with pytest.raises(BenchmarkError, match="was run with another model file"):
        run_sweep(grid, tmp_path / "s")


def test_a_cell_that_was_resumed_counts_the_shortened_prompts_of_all_its_sessions(tmp_path: Path) -> None:
    reply = {"choices": [{"message": {"content": '{"value": null, "support_ids": []}'}}]}
    with serving(Server(None, script=lambda request: (200, reply))) as server:
        settings = {
            "base_url": server.url,
            "model": "m",
            "context": "512",
            "max_tokens": "64",
            "concurrency": "1",
        }
        grid = Grid(adapters_with(["openai_compatible"], settings, {}), CONFIG, steps=(200,))
        (whole,) = run_sweep(grid, tmp_path / "whole").runs
        asked = list[str]()
        stop = Hooks(on_row=lambda cell, result: asked.append(result.id), should_stop=lambda: len(asked) >= 2)
        assert run_sweep(grid, tmp_path / "s", stop).stopped
        (resumed,) = run_sweep(grid, tmp_path / "s").runs
    assert whole["provenance"]["truncated_rows"] == whole["data"]["n"] > len(asked) == 2
    assert resumed["provenance"]["truncated_rows"] == whole["data"]["n"]


@pytest.mark.llama
def test_a_model_that_is_opened_in_several_ways_is_in_memory_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from evaluation.adapters.llama import engine

    there, most, load, close = set[int](), list[int](), engine.load_weights, engine.Engine.close

    def loading(path: str, **more: object) -> object:
        there.add(id(model := load(path, **more)))
        most.append(len(there))
        return model

    def closing(self: object) -> None:
        there.discard(id(self._model))  # type: ignore[attr-defined]
        close(self)

    monkeypatch.setattr(engine, "load_weights", loading)
    monkeypatch.setattr(engine.Engine, "close", closing)
    settings = {"model": str(tiny_model(tmp_path)), "threads": "1"}
    ways = {"context": ["1024", "2048"], "selector": ["none", "latest_step"]}
    who = adapters_with(["retrieval"], settings, ways)
    conditions = [Condition.from_json({"k": 2, "order": "gold_first"})]
    grid = Grid(who, CONFIG.having(queries=2), steps=(24,), conditions=conditions)
    assert run_sweep(grid, tmp_path / "s").is_done
    assert most == [1, 1]


def test_rows_of_a_broken_cell_are_not_asked_again(tmp_path: Path) -> None:
    who, asked = [Contestant("retrieval", "retrieval", {})], list[str]()
    grid = Grid(who, CONFIG, steps=(24,))
    stop = Hooks(on_row=lambda cell, result: asked.append(result.id), should_stop=lambda: len(asked) >= 2)
    assert run_sweep(grid, tmp_path / "s", stop).stopped
    on = Hooks(on_row=lambda cell, result: asked.append(result.id))
    assert run_sweep(grid, tmp_path / "s", on).is_done
    assert len(asked) == len(set(asked)) == 4


def test_a_sweep_can_be_read_where_it_was_moved_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (run,) = run_sweep(small("ledger"), "runs/a").runs
    assert run["data"]["path"].startswith("runs/a/seed0")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "runs" / "a").rename(tmp_path / "elsewhere" / "b")
    monkeypatch.chdir("/")
    assert summarize(tmp_path / "elsewhere" / "b" / "combined.json")["rows"] == 1


def test_the_environment_that_mattered_is_noted_without_secrets(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("GOLDEVIDENCEBENCH_API_KEY", "sk-very-secret-key")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    run_sweep(small("ledger"), tmp_path / "s", command="goldevidencebench sweep")
    provenance = orjson.loads((tmp_path / "s" / "sweep.json").read_bytes())["provenance"]
    assert provenance["environment"]["OMP_NUM_THREADS"] == "1"
    assert "very-secret" not in str(provenance)
    assert provenance["command"] == "goldevidencebench sweep"
