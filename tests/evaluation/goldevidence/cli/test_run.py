"""`goldevidencebench run`."""

from __future__ import annotations

import json

import pytest

from evaluation import goldevidence
from evaluation.cli import main
from evaluation.core import jsonl


@pytest.fixture
def rows():
    return list(goldevidence.generate({"episodes": 1, "steps": 20, "chapters": 2, "queries": 3}))


@pytest.fixture
def data(tmp_path, rows):
    """Rows as the site hands them out: without gold."""
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
        assert set(figure["efficiency"]) == {"tokens", "tokens_per_query", "passes", "wall_s", "wall_s_per_q"}


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
