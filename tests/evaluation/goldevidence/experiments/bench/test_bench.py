"""The bench: every part over one system, judged by thresholds."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from evaluation.cli import main
from evaluation.core.errors import BenchmarkError, UnknownNameError
from evaluation.goldevidence.experiments.bench import BARS, PARTS, SIZES, run_bench
from evaluation.goldevidence.experiments.bench.bars import with_thresholds
from evaluation.goldevidence.experiments.bench.parts import SELECTORS
from evaluation.goldevidence.experiments.bench.running import grids
from evaluation.goldevidence.experiments.sweep import Contestant, Hooks
from evaluation.goldevidence.gates import BARS as GATES
from tests.evaluation.goldevidence.experiments.sweep.cast import tiny_model

SMOKE = SIZES["smoke"]


def reached(folder: Path) -> dict[str, bool | None]:
    return {bar["name"]: bar["reached"] for bar in orjson.loads((folder / "bench.json").read_bytes())["bars"]}


def test_a_system_that_reads_the_ledger_reaches_every_bar(tmp_path: Path, capsys) -> None:
    assert (
        main(["bench", "--system", "prefer_update_latest", "--preset", "smoke", "--out", str(tmp_path)]) == 0
    )
    assert reached(tmp_path) == {bar.name: True for bar in BARS}
    for name in PARTS.keys() - {"selectors"}:
        assert (tmp_path / name / "combined.json").exists(), name
        assert (tmp_path / name / "summary.json").exists(), name
    report = (tmp_path / "report.md").read_text()
    assert "8 bars: 8 pass." in report
    assert "Memory budget" in report
    assert "pass" in capsys.readouterr().out


def test_a_system_that_looks_at_places_misses_the_bars_of_candidates(tmp_path: Path, capsys) -> None:
    words = ["--parts", "k,order,authority", "--preset", "quick", "--out", str(tmp_path)]
    assert main(["bench", "--system", "positional_last", *words]) == 1
    missed = reached(tmp_path)
    assert missed["selection"] is missed["order_bias"] is missed["notes"] is False
    spread = next(
        bar
        for bar in orjson.loads((tmp_path / "bench.json").read_bytes())["bars"]
        if bar["name"] == "order_bias"
    )
    assert spread["value"] == 1.0
    assert spread["verdict"] == "fail"
    capsys.readouterr()


def test_cells_are_counted_over_all_parts_and_a_stopped_bench_goes_on(tmp_path: Path) -> None:
    who, seen = Contestant.system("ledger"), list[tuple[int, int]]()
    total = sum(map(len, grids(who, SMOKE).values()))
    hooks = Hooks(lambda done, of: seen.append((done, of)), should_stop=lambda: len(seen) >= 20)
    first = run_bench(who, SMOKE, tmp_path, hooks)
    assert first.unfinished is not None
    assert seen[-1] == (20, total)
    assert run_bench(who, SMOKE, tmp_path).unfinished is None


def test_a_bench_of_a_model_asks_it_under_every_selector(tmp_path: Path) -> None:
    model = Contestant("llama_cpp", "llama_cpp", {"model": str(tmp_path / "x.gguf")})
    with pytest.raises(BenchmarkError):  # settings are checked, and the file when it is loaded
        run_bench(model, SMOKE, tmp_path / "out", parts=["k"])
    names = [each.name for each in grids(model, SMOKE)["selectors"].contestants]
    assert names == [f"retrieval-selector={name}" for name in SELECTORS]
    assert "selectors" not in grids(Contestant.system("ledger"), SMOKE)


@pytest.mark.llama
def test_a_model_is_benched_by_its_file(tmp_path: Path, capsys) -> None:
    model = tiny_model(tmp_path)
    settings = ["--set", "context=2048", "--set", "threads=1"]
    words = ["--preset", "smoke", "--parts", "k", "--seeds", "1", "--out", str(tmp_path / "out")]
    assert main(["bench", "--model", str(model), *settings, *words]) in (0, 1)
    assert "selection" in capsys.readouterr().out
    assert (tmp_path / "out" / "report.html").exists()


def test_a_threshold_can_be_another(tmp_path: Path) -> None:
    bars = {bar.name: bar.threshold for bar in with_thresholds({"value": "0.5"})}
    assert bars["value"] == 0.5
    assert bars["entailment"] == 0.95
    with pytest.raises(UnknownNameError):
        with_thresholds({"valeu": "0.5"})
    with pytest.raises(BenchmarkError, match="from 0 to 1"):
        with_thresholds({"value": "5"})


def test_the_bars_that_are_gates_have_their_thresholds() -> None:
    gates, bars = {gate.letter: gate.threshold for gate in GATES}, {bar.name: bar.threshold for bar in BARS}
    assert (bars["notes"], bars["entailment"]) == (gates["A"], gates["C"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "name a system"),
        (["--system", "ledger", "--model", "x.gguf"], "name one system"),
        (["--system", "ledger", "--parts", "speed"], "no part is called 'speed'"),
        (["--system", "nobody"], "unknown system"),
    ],
)
def test_what_cannot_be_benched_is_a_plain_message(words, message, capsys) -> None:
    assert main(["bench", *words]) == 2
    assert message in capsys.readouterr().err
