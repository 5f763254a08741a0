"""Sweep summaries equal the reference's figures."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import orjson
import pytest

from evaluation.cli import main
from evaluation.core.errors import BenchmarkError
from evaluation.goldevidence.data.buckets import EDGES
from evaluation.goldevidence.experiments.summary import collect, decompositions, flat_runs, summarize, to_csv
from evaluation.goldevidence.experiments.sweep_folder import run_files
from tests.reference import reference_path

# The reference counts such a selection twice in one table and never in the other.
MISCOUNTED = "spoof_accept_rate_non_gold"
MADE_ELSEWHERE = ("mtime", "run_dir")


def cases() -> list[dict[str, Any]]:
    manifest = orjson.loads(reference_path("gold/manifest.json").read_bytes())
    result: list[dict[str, Any]] = manifest["summarize"]["cases"]
    return result


def edges(args: list[str]) -> Mapping[str, tuple[int, ...]]:
    given = [tuple(map(int, text.split(","))) for text in args[1::2]]
    return dict(EDGES) | dict(zip(EDGES, given, strict=False))


def assert_holds(actual: Any, expected: Any, where: str = "") -> None:
    """Assert that `actual` has everything expected, numbers to 1e-9; lists of buckets in any order."""
    if isinstance(expected, dict):
        for name, value in expected.items():
            if name != MISCOUNTED:
                assert_holds(actual[name], value, f"{where}.{name}")
    elif isinstance(expected, list):
        assert len(actual) == len(expected), where
        order = (lambda item: item["bucket"]) if where.startswith(".recency") else (lambda item: 0)
        for ours, theirs in zip(sorted(actual, key=order), sorted(expected, key=order), strict=True):
            assert_holds(ours, theirs, where)
    else:
        assert actual == (pytest.approx(expected, abs=1e-9) if isinstance(expected, float) else expected), (
            where
        )


def assert_same_table(lines: Iterable[Mapping[str, Any]], expected: Path) -> None:
    result = list(csv.DictReader(io.StringIO(to_csv(lines))))
    expected_figures = list(csv.DictReader(expected.read_text().splitlines()))
    assert len(result) == len(expected_figures)
    by_name = {row.get("run_name", str(n)): row for n, row in enumerate(result)}
    for n, row in enumerate(expected_figures):
        for column, text in row.items():
            if column not in (MISCOUNTED, *MADE_ELSEWHERE):
                assert_same_cell(by_name[row.get("run_name", str(n))][column], text)


def assert_same_cell(actual: str, expected: str) -> None:
    try:
        assert float(actual) == pytest.approx(float(expected), abs=1e-9)
    except ValueError:
        assert actual == expected


def test_every_summary_of_the_reference_is_reproduced() -> None:
    for case in cases():
        combined = reference_path(f"gold/{case['combined']}")
        expected = orjson.loads(reference_path(f"gold/{case['expected_summary']}").read_bytes())
        assert_holds(summarize(combined, edges(case["extra_args"])), expected)


def test_every_table_of_the_reference_is_reproduced() -> None:
    for case in cases():
        combined = reference_path(f"gold/{case['combined']}")
        assert_same_table(flat_runs(combined), reference_path(f"gold/{case['expected_csv']}"))
        if case["expected_decomposition"]:
            assert_same_table(
                decompositions(combined), reference_path(f"gold/{case['expected_decomposition']}")
            )


@pytest.mark.parametrize("latest_only", [False, True])
def test_the_collected_runs_of_the_reference_are_reproduced(latest_only: bool) -> None:
    name = "summary_all.latest_only.csv" if latest_only else "summary_all.csv"
    lines = collect(reference_path("gold/sweeps"), latest_only=latest_only)
    assert_same_table(lines, reference_path(f"gold/sweeps/{name}"))


def test_disguised_lines_other_than_the_gold_are_counted_once() -> None:
    combined = reference_path("gold/sweeps/kvc_spoof_s2q8/combined.json")
    assert summarize(combined)["retrieval"][MISCOUNTED] == 1 / 16
    assert [line[MISCOUNTED] for line in decompositions(combined)] == [1 / 8, 0.0]


def test_a_file_that_is_no_sweep_is_refused(tmp_path: Path) -> None:
    combined = tmp_path / "combined.json"
    combined.write_text("{}")
    with pytest.raises(BenchmarkError, match="a JSON list of runs"):
        summarize(combined)
    combined.write_text("[")
    with pytest.raises(BenchmarkError, match="not JSON"):
        summarize(combined)


def test_a_run_without_its_files_says_which_is_missing(tmp_path: Path) -> None:
    with pytest.raises(BenchmarkError, match=r"data\.jsonl: .* is missing"):
        run_files(tmp_path / "sweep" / "combined.json", {"data": {"path": "sweep/run/data.jsonl"}})


def test_only_the_newest_of_sweeps_that_differ_in_size_is_kept(tmp_path: Path) -> None:
    for name in ("kv_s1q4", "kv_s3q16", "other_s1q4"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "summary.json").write_text('{"rows": 1, "overall": {}}')
    kept = [line["run_name"] for line in collect(tmp_path, latest_only=True)]
    assert len(kept) == 2
    assert "other_s1q4" in kept


@pytest.fixture(scope="module")
def crossed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sweep of two seeds over systems, k and orders."""
    folder = tmp_path_factory.mktemp("crossed") / "grid_s2q3"
    words = "--queries 3 --steps 24 --chapters 3 --no-derived-queries --no-twins --seeds 2"
    words += " --systems latest_step,last_occurrence --k-list 2,4 --orders gold_first,gold_last"
    assert main(["sweep", "run", "--out", str(folder), *words.split()]) == 0
    return folder


def test_each_system_k_and_order_of_a_sweep_is_a_line(crossed: Path) -> None:
    lines = collect(crossed)
    cells = [(each["baseline"], each["retrieval_k"], each["retrieval_order"]) for each in lines]
    assert len(cells) == len(set(cells)) == 8
    assert {each["rows"] for each in lines} == {2}, "seeds are one line"
    assert {each["run_name"] for each in lines} == {"grid_s2q3"}
    rates = {cell: each["selection_rate"] for cell, each in zip(cells, lines, strict=True)}
    assert all(rates["last_occurrence", k, "gold_first"] < 0.5 for k in (2, 4))
    assert all(rates["last_occurrence", k, "gold_last"] == 1.0 for k in (2, 4))
    figures = {cell: each["value_acc"] for cell, each in zip(cells, lines, strict=True)}
    assert figures["latest_step", 4, "gold_first"] == 1.0
    assert collect(crossed.parent, latest_only=True) == lines


def test_groups_of_a_sweep_are_of_one_system_k_and_order(crossed: Path) -> None:
    groups = summarize(crossed / "combined.json")["by_group"]
    assert [each["n"] for each in groups] == [2] * 8
    assert {each["condition"] for each in groups} == {
        f"k{k}-{order}" for k in (2, 4) for order in ("gold_first", "gold_last")
    }
    assert {each["baseline"] for each in groups} == {"latest_step", "last_occurrence"}


def test_a_summary_that_was_written_before_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "summary.json").write_text('{"rows": 3, "overall": {"value_acc_mean": 0.5}}')
    [line] = collect(tmp_path)
    assert line["value_acc"] == 0.5
    assert line["baseline"] is None
