"""The bench for a site: sizes, parts, thresholds, progress by part, and no text of the machine that runs it."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import orjson
import pytest

from evaluation.cli import main
from evaluation.core.errors import BenchmarkError, UnknownNameError
from evaluation.core.suite import benches_of, get_suite
from evaluation.core.suite.benches import BenchHooks, BenchOrder, BenchProgress
from evaluation.goldevidence.experiments.bench import BARS, PARTS, SIZES
from evaluation.goldevidence.experiments.bench.offer import BENCHES
from tests.evaluation.goldevidence.experiments.sweep.cast import tiny_model

RULE = BenchOrder("ledger", "smoke")


def quiet(stop_after: int = 10_000) -> tuple[BenchHooks, list[BenchProgress]]:
    seen: list[BenchProgress] = []
    return BenchHooks(seen.append, lambda: len(seen) >= stop_after), seen


def test_a_suite_offers_what_its_command_has() -> None:
    assert benches_of(get_suite("goldevidence")) is BENCHES
    assert benches_of(get_suite("statebench")) is None
    assert [size.name for size in BENCHES.sizes] == list(SIZES)
    assert BENCHES.default_size in SIZES
    assert [part.name for part in BENCHES.parts("llama_cpp")] == list(PARTS)
    assert {part.name for part in BENCHES.parts("")} == PARTS.keys() - {"selectors"}
    assert [bar.name for bar in BENCHES.bars] == [bar.name for bar in BARS]


def test_a_plan_counts_the_cells_and_rows_that_are_then_run(tmp_path: Path) -> None:
    plan = BENCHES.plan(RULE)
    hooks, seen = quiet()
    result = BENCHES.run(RULE, tmp_path, hooks)
    assert seen[-1].cells == {part.name: (part.cells, part.cells) for part in plan}
    for part in plan:
        runs = orjson.loads((tmp_path / part.name / "combined.json").read_bytes())
        assert (len(runs), sum(run["data"]["n"] for run in runs)) == (part.cells, part.rows)
    assert result.finished
    assert not result.paused


def test_one_that_is_stopped_says_so_and_goes_on(tmp_path: Path) -> None:
    hooks, seen = quiet(stop_after=12)
    first = BENCHES.run(RULE, tmp_path, hooks)
    assert not first.finished
    assert {name: done for name, (done, _) in seen[-1].cells.items() if done} == {"standard": 8, "length": 4}
    hooks, seen = quiet()
    assert BENCHES.run(RULE, tmp_path, hooks).finished
    assert len(seen) == sum(part.cells for part in BENCHES.plan(RULE)) - 12


@pytest.mark.llama
def test_rows_of_a_model_are_told_and_its_file_by_its_name_alone(tmp_path: Path) -> None:
    (tmp_path / "secret place").mkdir()
    model = tiny_model(tmp_path / "secret place")
    order = BenchOrder(
        "tiny",
        "smoke",
        "llama_cpp",
        {"model": str(model), "threads": "1", "context": "8192"},
        {f"{model.parent}/": ""},
        seeds=1,
        parts=["authority"],
    )
    hooks, seen = quiet()
    result = BENCHES.run(order, tmp_path / "out", hooks)
    rows = [each for each in seen if each.cell]
    assert [each.answered for each in rows] == list(range(1, len(rows) + 1))
    assert (rows[0].row, rows[0].rows) == (1, 4)
    assert "secret place" not in result.report.html()
    for path in BENCHES.files(tmp_path / "out"):
        assert b"secret place" not in path.read_bytes(), path
    assert "--set model=tiny.gguf" in BENCHES.command(order)
    again, told = quiet()
    assert BENCHES.run(order, tmp_path / "out", again).finished
    assert not told


def test_its_command_is_one_that_the_command_line_takes(capsys: pytest.CaptureFixture[str]) -> None:
    order = BenchOrder("ledger", "smoke", seeds=1, parts=["k", "order"], bars={"selection": 0.5})
    words = shlex.split(BENCHES.command(order))
    assert words[:2] == ["goldevidencebench", "bench"]
    assert main([*words[1:], "--estimate"]) == 0
    assert "k: 4 cells, 16 rows" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("order", "reason"),
    [
        (BenchOrder("nobody", "smoke"), "nobody"),
        (BenchOrder("ledger", "huge"), "huge"),
        (BenchOrder("ledger", "smoke", parts=["kk"]), "kk"),
        (BenchOrder("ledger", "smoke", parts=["selectors"]), "local model"),
        (BenchOrder("ledger", "smoke", seeds=101), "101 seeds"),
        (BenchOrder("ledger", "smoke", bars={"value": 1.5}), "1.5"),
        (BenchOrder("ledger", "smoke", bars={"none": 0.5}), "none"),
    ],
)
def test_what_cannot_be_run_is_refused_before_anything_is(order: BenchOrder, reason: str) -> None:
    with pytest.raises((BenchmarkError, UnknownNameError), match=reason):
        BENCHES.plan(order)


def test_its_bars_are_json(tmp_path: Path) -> None:
    hooks, _ = quiet()
    order = BenchOrder("positional_last", "smoke", parts=["k"])
    bars = json.loads(json.dumps(BENCHES.run(order, tmp_path, hooks).bars))
    assert [(bar["name"], bar["reached"]) for bar in bars] == [("selection", False)]
