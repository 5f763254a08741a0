"""Verdicts in Parquet: equal to JSON lines, and found without reading those before."""

from __future__ import annotations

import io
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluation.core import jsonl
from evaluation.frames import verdict_file
from evaluation.frames.grouped_file import DamagedFrameError
from evaluation.frames.results import read_verdicts, verdicts_frame
from evaluation.frames.verdict_file import (
    VerdictFile,
    Where,
    verdict_table,
    write_rows,
    write_verdicts,
)
from tests.evaluation.frames.tables import VERDICTS, report_of

many = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
WHERE = st.builds(
    Where,
    failure=st.sampled_from(["", "any", "missing", "unknown"]),
    splits=st.none() | st.sets(st.sampled_from(["closed_book", "k4-gold_last", "elsewhere"])),
    text=st.sampled_from(["", "r", "R01", "02", "x"]),
)


@pytest.fixture(autouse=True)
def small_groups(monkeypatch):
    """Row groups of five rows, so that a few verdicts fill several."""
    monkeypatch.setattr(verdict_file, "GROUP_ROWS", 5)


def passes(where: Where, verdict: dict) -> bool:
    """The same filter, for a reader of JSON lines."""
    if where.failure == "any" and not verdict["failure"]:
        return False
    if where.failure not in ("any", "") and verdict["failure"] != where.failure:
        return False
    if where.splits is not None and verdict["condition"] not in where.splits:
        return False
    return where.text.lower() in verdict["id"].lower()


@pytest.fixture
def written(tmp_path):
    def write(verdicts: list[dict]) -> VerdictFile:
        write_verdicts(report_of(verdicts), tmp_path / "v.parquet")
        return VerdictFile(tmp_path / "v.parquet")

    return write


@many
@given(VERDICTS)
def test_nothing_of_a_verdict_is_lost(written, verdicts):
    file = written(verdicts)
    assert [jsonl.dumps(verdict) for verdict in file] == [jsonl.dumps(verdict) for verdict in verdicts]
    assert len(file) == len(verdicts)


@many
@given(VERDICTS, WHERE)
def test_what_a_filter_takes_is_what_a_reader_of_all_lines_takes(written, verdicts, where):
    selection = written(verdicts).select(where)
    taken = [verdict for verdict in verdicts if passes(where, verdict)]
    assert list(selection) == taken
    assert len(selection) == len(taken)
    for start in range(0, len(taken) + 3, 3):
        assert selection[start : start + 3] == taken[start : start + 3]


@many
@given(VERDICTS, WHERE, st.integers(0, 45), st.integers(1, 12))
def test_going_on_from_a_row_is_what_a_reader_of_all_lines_does(written, verdicts, where, start, limit):
    numbers = [n for n, verdict in enumerate(verdicts) if n >= start and passes(where, verdict)]
    following = numbers[limit] if len(numbers) > limit else None
    page = [verdicts[n] for n in numbers[:limit]]
    assert written(verdicts).select(where).following(start, limit) == (page, following)


@many
@given(VERDICTS)
def test_the_same_verdicts_are_the_same_bytes(verdicts):
    files = [io.BytesIO() for _ in range(2)]
    for file in files:
        write_rows(iter(verdicts), file, about={"b": 1, "a": 2})
    assert files[0].getvalue() == files[1].getvalue()


@many
@given(VERDICTS)
def test_a_frame_from_a_file_is_that_of_the_report(tmp_path, verdicts):
    report = report_of(verdicts)
    report.row_figures = {
        "exact": np.array([math.nan if v["correct"] is None else v["correct"] for v in verdicts])
    }
    write_verdicts(report, tmp_path / "v.parquet", figures=["exact"])
    pd.testing.assert_frame_equal(read_verdicts(tmp_path / "v.parquet"), verdicts_frame(report))
    jsonl.write(tmp_path / "v.jsonl.gz", verdicts)
    without = verdicts_frame(report).drop(columns="figure_exact")
    pd.testing.assert_frame_equal(read_verdicts(tmp_path / "v.jsonl.gz"), without)


def test_figures_go_with_their_rows(written, tmp_path):
    report = report_of([{"id": f"r{n}", "unit": "E1", "condition": "a", "failure": None} for n in range(12)])
    report.row_figures = {"rate": np.array([math.nan, *range(1, 12)], dtype=np.float64)}
    write_verdicts(report, tmp_path / "v.parquet", figures=["rate"])
    columns = VerdictFile(tmp_path / "v.parquet").columns(["figure_rate"])
    assert columns == {"figure_rate": [None, *range(1, 12)]}


def test_a_page_reads_only_the_row_groups_that_hold_it(written, monkeypatch):
    verdicts = [
        {"id": f"r{n}", "unit": "E1", "condition": "a", "failure": "missing" if n >= 95 else None}
        for n in range(100)
    ]
    file, read = written(verdicts), []
    group = VerdictFile._group
    monkeypatch.setattr(
        VerdictFile, "_group", lambda self, number, names: read.append(number) or group(self, number, names)
    )
    assert len(file.select(Where())) == 100
    assert len(file.select(Where("any"))) == 5
    assert read == [], "counts stand in the footer"
    assert [verdict["id"] for verdict in file.select(Where("any"))[3:5]] == ["r98", "r99"]
    assert file.select(Where()).following(97, 2)[1] == 99
    assert set(read) == {19}


def test_damage_to_what_is_read_is_found_by_the_checksums_of_pages(written, tmp_path):
    verdicts = [
        {"id": f"r{n}", "unit": "E", "condition": "a", "failure": None, "x": "y" * n} for n in range(40)
    ]
    file = written(verdicts)
    whole, chunk = file.path.read_bytes(), file.footer.row_group(3).column(len(verdict_table().columns) - 1)
    places = range(chunk.data_page_offset, chunk.data_page_offset + chunk.total_compressed_size)
    refused = 0
    for place in places:
        changed = bytearray(whole)
        changed[place] ^= 0xFF
        (tmp_path / "changed.parquet").write_bytes(changed)
        refused += is_refused(tmp_path / "changed.parquet", verdicts)
    assert refused > 0.8 * len(places), "the rest says what no reader asks"


def is_refused(path: Path, verdicts: list[dict]) -> bool:
    """Whether a file is refused as damaged; otherwise asserts that it holds these verdicts."""
    try:
        result = list(VerdictFile(path))
    except DamagedFrameError:
        return True
    assert result == verdicts
    return False


def test_what_is_no_file_of_verdicts_is_named(tmp_path):
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    pd.DataFrame({"id": ["a"]}).to_parquet(tmp_path / "b.parquet")
    for name in ("a.parquet", "b.parquet"):
        with pytest.raises(DamagedFrameError, match=name):
            VerdictFile(tmp_path / name)
