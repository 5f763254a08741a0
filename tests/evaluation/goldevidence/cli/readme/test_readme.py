"""Every block of the reference's README runs: exit codes, files and columns are checked."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from evaluation.cli import main
from tests.evaluation.goldevidence.cli.readme.playing import (
    BLOCKS,
    FEWER,
    FULL,
    SLOW,
    Played,
    Reader,
    blocks,
    home,
)
from tests.evaluation.goldevidence.cli.readme.table import commands, not_run, scripts
from tests.reference import reference_path

pytestmark = [pytest.mark.llama, pytest.mark.xdist_group("readme")]
#: Options whose value is a file or a folder that the command writes.
WRITES = ("--out", "--results-json", "--out-json", "--out-csv")
#: Of a model that the reference stubs, and of rows without candidates.
NOT_OURS = {"reranked_uid", "answer_ledger_entries", "deterministic_answerer"}
#: How many commands a block comes to where it is a loop, or a script that types several.
SWEEPS = 21  # of eleven lines


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    reference_path("gold/documented_commands.json")
    folder = home(tmp_path_factory.mktemp("readme"))
    rows = folder / "data" / "goldevidencebench.jsonl"
    assert main(["generate", "--out", str(rows), "--seed", "0"]) == 0  # preds.jsonl is the reader's own
    assert main(["run", "--data", str(rows), "--out", str(folder / "preds.jsonl")]) == 0
    rows.unlink()
    return Reader(folder)


@pytest.mark.parametrize("number", range(BLOCKS))
def test_a_block_runs_and_leaves_its_files(reader: Reader, number: int, capsys) -> None:
    played = reader.play(number)
    assert all(each.code == 0 for each in played), (played, capsys.readouterr().err[-2000:])
    for each in played:
        for file in written(each):
            assert (reader.folder / file).exists(), each.words
        if each.words[0] == "sweep":
            check_tables(reader.folder, each)


def test_all_blocks_are_typed_and_what_is_not_run_is_there() -> None:
    lines = [line for block in blocks() for line in block]
    assert len(blocks()) == BLOCKS
    assert sum(line.startswith("goldevidencebench sweep") for line in lines) == 11
    assert set(not_run()) <= set(lines)
    names = {words[1] if words[0] == "python" else words[0] for words, _ in scripts()}
    assert all(any(name in line for line in lines) for name in names)


def test_a_line_that_the_docs_do_not_name_is_an_error() -> None:
    with pytest.raises(LookupError):
        commands(["python", "./scripts/plot_order_bias.py"])


def test_loops_are_as_many_sweeps_as_they_have_rounds(reader: Reader, capsys) -> None:
    typed = [
        at
        for at, block in enumerate(blocks())
        if any(line.startswith("goldevidencebench sweep") for line in block)
    ]
    sweeps = [each for at in typed for each in reader.play(at) if each.words[:2] == ["sweep", "--out"]]
    assert len(sweeps) == SWEEPS
    capsys.readouterr()


def test_baselines_and_grades_print_figures_cost_and_a_curve(reader: Reader, capsys) -> None:
    (run,) = [block for block in blocks() if block[0].startswith("goldevidencebench run")]
    (grade,) = [block for block in blocks() if block[0].startswith("goldevidencebench grade")]
    for number in map(blocks().index, (run, grade)):
        reader.play(number)
        capsys.readouterr()
        del reader.played[number]
        reader.play(number)
        printed = capsys.readouterr().out
        assert "exact_acc" in printed
        assert ("tokens per query" in printed) == (number == blocks().index(run))
        assert ("Efficiency curve" in printed) == (number == blocks().index(run))


def written(played: Played) -> Iterable[str]:
    return (value for name, value in zip(played.words, played.words[1:], strict=False) if name in WRITES)


def check_tables(folder: Path, played: Played) -> None:
    """Assert that fields and columns are those of the reference's files, or more."""
    theirs = reference_path("gold/sweeps")
    of = (
        "kvc_latest_s2q8"
        if "--selectors" in played.words or "retrieval" in str(played.words)
        else "ledger_s1q6"
    )
    for file in map(Path, written(played)):
        match file.name:
            case "combined.json":
                ours = json.loads((folder / file).read_text())
                assert ours
                assert fields(json.loads((theirs / of / file.name).read_text())) <= fields(ours)
            case "summary.json":
                ours = json.loads((folder / file).read_text())
                assert json.loads((theirs / "ledger_s1q6" / file.name).read_text()).keys() <= ours.keys()
            case "summary.csv":
                assert columns(theirs / "ledger_s1q6" / file.name) <= columns(folder / file)
            case "summary_all.csv":
                assert columns(theirs / file.name) <= columns(folder / file)


def fields(runs: Iterable[Mapping[str, Any]]) -> set[str]:
    """The field names of runs, nested ones included."""
    names = set()
    for run in runs:
        names |= run.keys()
        for part in ("data", "config", "env", "metrics", "efficiency"):
            names |= {f"{part}.{name}" for name in run[part]}
        names |= {f"retrieval_stats.{name}" for trace in run["retrieval_stats"] for name in trace}
    return {name for name in names if name.rpartition(".")[2] not in NOT_OURS}


def columns(path: Path) -> set[str]:
    with path.open(newline="") as handle:
        return set(next(csv.reader(handle)))


def test_only_slow_blocks_are_played_with_fewer_questions(reader: Reader, capsys) -> None:
    reader.play(BLOCKS - 1)
    small = {
        number
        for number, played in reader.played.items()
        if any(each.words[-len(FEWER) :] == FEWER for each in played)
    }
    assert small == (set() if FULL else set(SLOW))
    capsys.readouterr()
