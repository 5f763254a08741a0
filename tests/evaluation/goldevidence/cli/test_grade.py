"""`goldevidencebench grade` prints the figures, writes the library's report, and reports faults."""

from __future__ import annotations

import json

import pytest

from evaluation.cli import main
from evaluation.core import jsonl
from evaluation.core.statistics import VERSION
from evaluation.goldevidence import generate, grade_files
from evaluation.goldevidence.systems.baselines import get_baseline


@pytest.fixture
def files(tmp_path):
    rows = list(generate({"episodes": 2, "steps": 40, "queries": 4, "chapters": 2}, seed=1))
    jsonl.write(tmp_path / "data.jsonl.gz", rows)
    jsonl.write(tmp_path / "pred.jsonl", [get_baseline("naive").predict(row) for row in rows])
    return str(tmp_path / "data.jsonl.gz"), str(tmp_path / "pred.jsonl")


@pytest.mark.parametrize("rubric", ["strict", "reference"])
def test_the_written_report_is_that_of_the_library(files, rubric: str, tmp_path, capsys) -> None:
    data, pred = files
    out, rows = tmp_path / "results.json", tmp_path / "rows.jsonl"
    arguments = ["grade", "--data", data, "--pred", pred, "--rubric", rubric, "--results-json", str(out)]
    assert main([*arguments, "--rows-out", str(rows)]) == 0
    report = grade_files(data, pred, rubric=rubric)
    expected = json.loads(jsonl.dumps(report.as_dict(rows=False)))
    assert json.loads(out.read_text()) == expected | {"rows": list(report.rows)}
    assert list(jsonl.read(rows)) == list(report.rows)
    printed = capsys.readouterr().out
    assert "exact_acc" in printed
    assert "at least" in printed
    assert f"statistics {VERSION}" in printed
    assert report.rows[0]["failure"] in printed


def test_the_same_files_give_the_same_report_byte_for_byte(files, tmp_path, capsys) -> None:
    written = []
    for name in ("a.json", "b.json"):
        assert (
            main(["grade", "--data", files[0], "--pred", files[1], "--results-json", str(tmp_path / name)])
            == 0
        )
        written.append((tmp_path / name).read_bytes())
    assert written[0] == written[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--max-support-k", "0"], "max_support_k: must be between 1 and"),
        (["--pred", "nowhere.jsonl"], "nowhere.jsonl: No such file"),
    ],
)
def test_unusable_arguments_end_with_a_sentence_and_exit_code_2(
    files, arguments, message: str, capsys
) -> None:
    assert main(["grade", "--data", files[0], "--pred", files[1], *arguments]) == 2
    assert message in capsys.readouterr().err


def test_as_many_citations_count_as_the_rows_ask_for(tmp_path, capsys) -> None:
    """A `reports` question allows up to k lines, so rows that ask for six are graded by six."""
    settings = {
        "episodes": 4,
        "steps": 60,
        "queries": 8,
        "chapters": 2,
        "state_mode": "relational",
        "max_support_k": 6,
    }
    rows = list(generate(settings, seed=2))
    assert any(len(row["gold"]["support_ids"]) > 3 for row in rows)
    assert {row["meta"]["max_support_k"] for row in rows} == {6}
    assert "max_support_k" not in next(generate({"episodes": 1, "steps": 20, "chapters": 2}))["meta"]
    jsonl.write(tmp_path / "data.jsonl", rows)
    jsonl.write(tmp_path / "pred.jsonl", [get_baseline("ledger").predict(row) for row in rows])
    files = ["--data", str(tmp_path / "data.jsonl"), "--pred", str(tmp_path / "pred.jsonl")]
    out = tmp_path / "out.json"
    assert main(["grade", *files, "--results-json", str(out)]) == 0
    assert json.loads(out.read_text())["metrics"]["exact_acc"] == 1.0
    assert main(["grade", *files, "--results-json", str(out), "--max-support-k", "3"]) == 0
    assert json.loads(out.read_text())["metrics"]["exact_acc"] < 1.0
