"""Every sweep of the benchmark's own README runs with a GGUF file, fewer questions aside."""

from __future__ import annotations

import shutil
from pathlib import Path

import orjson
import pytest

from evaluation.cli import main
from evaluation.goldevidence.selectors import trained
from tests.evaluation.goldevidence.cli.sweep.documented import lines, sweeps
from tests.evaluation.goldevidence.experiments.sweep.cast import tiny_model
from tests.reference import reference_path

pytestmark = pytest.mark.llama
SWEEPS = 21  # eleven lines, three of which stand in loops of 3, 4 and 6 rounds
FEWER = ["--seeds", "1", "--queries", "2"]  # the last of two words for an option counts


def test_all_eleven_lines_are_read() -> None:
    assert lines() == 11
    assert len(sweeps()) == SWEEPS


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    reference_path("gold/documented_commands.json")
    folder = tmp_path_factory.mktemp("readme")
    tiny_model(folder)
    (folder / "models").mkdir()
    shutil.copy(Path(trained.__file__).with_name("linear.json"), folder / "models" / "linear_selector.json")
    return folder


@pytest.mark.parametrize("number", range(SWEEPS))
def test_a_sweep_of_the_readme_runs_with_a_model(home: Path, number: int, monkeypatch, capsys) -> None:
    _, words = sweeps()[number]
    monkeypatch.chdir(home)
    model = ["--set", "model=tiny.gguf", "--set", "context=4096", "--set", "threads=1"]
    assert main([*words, *FEWER, *model]) == 0
    combined = words[words.index("--results-json") + 1]
    runs = orjson.loads(Path(combined).read_bytes())
    assert runs
    assert all(run["row_states"] and (Path(run["data"]["path"])).is_file() for run in runs)
    limits = {run["config"]["max_book_tokens"] for run in runs}
    assert None not in limits
    summary = ["--out-json", "summary.json", "--out-csv", "summary.csv"]
    assert main(["sweep", "summarize", "--in", combined, *summary]) == 0
    assert orjson.loads(Path("summary.json").read_bytes())["rows"] == len(runs)
    capsys.readouterr()
