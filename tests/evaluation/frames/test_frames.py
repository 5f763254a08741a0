"""Real reports as DataFrames, and the schema that documents them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from evaluation import frames
from evaluation.cli import main
from evaluation.core.suite import SUITES, get_suite
from evaluation.frames import board_frame, board_table, metrics_frame, read_frame, rows_frame, verdicts_frame
from evaluation.frames.schema import METRICS, ROWS, RUNS, SUMMARY, TABLES, as_markdown

ROOT = Path(__file__).resolve().parents[3]
SMALL = {
    "goldevidence": {"generator": {"episodes": 2, "queries": 3, "steps": 30}},
    "statebench": {"count": 1},
}


@pytest.fixture(scope="module", params=SUITES)
def graded(request):
    """(suite, public rows, report) of a small version."""
    suite = get_suite(request.param)
    settings = suite.settings.checked(SMALL[request.param])
    items = list(suite.version(settings).generate())
    rows = [suite.public_row(row) for item in items for row in item.rows]
    system = next(iter(suite.systems().values())).build()
    made = [system.predict(row) for row in rows]
    predictions = [one for each in made for one in (each if isinstance(each, list) else [each])]
    return suite, rows, suite.version(settings).grade([item.gold for item in items], predictions)


def test_verdicts_have_the_figures_of_the_report(graded):
    _, _, report = graded
    frame = verdicts_frame(report)
    assert frame["id"].tolist() == [row["id"] for row in report.rows]
    assert [json.loads(text) for text in frame["verdict"]] == list(report.rows)
    for name in ("exact_acc", "value_acc", "decision_accuracy"):
        if name in report.row_figures:
            covered = frame[f"figure_{name}"][frame["in_headline"]]
            assert covered.mean() == pytest.approx(report.metrics[name])


def test_metrics_are_a_line_each_and_pivot_to_the_table_of_a_grouping(graded):
    _, _, report = graded
    frame = metrics_frame(report)
    assert {str(frame[field.name].dtype) for field in METRICS} == {"category", "Float64"}
    whole = frame[frame["grouping"] == "all"].set_index("metric")["value"]
    assert {name: None if pd.isna(whole[name]) else whole[name] for name in report.metrics} == report.metrics
    grouping, groups = next(iter(report.groups.items()))
    table = frame[frame["grouping"] == grouping].pivot(index="group", columns="metric", values="value")
    for group, figures in groups.items():
        for metric, value in figures["metrics"].items():
            assert pd.isna(table.loc[group, metric]) if value is None else table.loc[group, metric] == value


def test_rows_are_the_questions_that_verdicts_answer(graded):
    suite, rows, report = graded
    frame = rows_frame(rows, suite)
    assert list(frame.columns) == ROWS.columns
    assert set(frame["id"]) == {row["id"] for row in report.rows}
    assert frame["question"].notna().all()
    assert (frame["shown"] > 0).all()
    assert json.loads(frame["row"].iloc[-1]) == rows[frame["line"].iloc[-1] - 1]


def test_a_board_has_the_columns_of_its_suite_before_what_it_is_about(graded):
    suite, _, report = graded
    table = board_table(suite.version({}).columns, gates=["authority"], orders=["shuffle"])
    frame = board_frame(
        [{"rank": 1, "system": "a", "submitted": "2026-01-02T03:04:05+00:00"}, report.metrics], table
    )
    columns = list(frame.columns)
    first = columns.index("benchmark")
    assert columns[first : first + 4] == ["benchmark", "version", "version_sha256", "grader"]
    assert (
        max(columns.index(f"{each.name}_high") for each in suite.version({}).columns if not each.headline)
        < first
    )
    types = {column.name: str(frame[column.name].dtype) for column in suite.version({}).columns}
    assert types == {
        column.name: "Int64" if column.whole else "Float64" for column in suite.version({}).columns
    }
    assert str(frame["submitted"].dtype) == "datetime64[us, UTC]"
    assert frame["gate_authority"].isna().all()


def test_grade_and_sweep_write_their_tables_with_types(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    commands = (
        "generate --preset smoke --out rows.jsonl",
        "run --data rows.jsonl --out preds.jsonl",
        "grade --data rows.jsonl --pred preds.jsonl --verdicts-out v.parquet --metrics-out m.csv --rows-out v.jsonl",
        "generate --suite statebench --preset smoke --out timelines.jsonl",
        "run --data timelines.jsonl --out responses.jsonl",
        "grade --data timelines.jsonl --pred responses.jsonl --verdicts-out state.json --metrics-out state.parquet",
        "sweep run --out sweeps/a_s3q2 --episodes 1 --queries 2 --steps-list 30 --k-list 3 --systems ledger",
        "sweep collect --root sweeps --out-csv c.csv --out-frame c.parquet",
        "sweep summarize --in sweeps/a_s3q2/combined.json --out-json s.json --out-frame r.parquet",
    )
    for command in commands:
        assert main(command.split()) == 0, capsys.readouterr().err
    flat, lines = frames.read_verdicts("v.parquet"), frames.read_verdicts("v.jsonl")
    pd.testing.assert_frame_equal(flat[lines.columns], lines)
    assert read_frame("m.csv", METRICS)["value"].dtype == "Float64"
    assert set(frames.read_verdicts("state.json")["split"]) == set(
        read_frame("state.parquet", METRICS).query("grouping == 'track'")["group"]
    )
    assert read_frame("c.parquet", SUMMARY)["mtime"].dtype == "datetime64[us, UTC]"
    runs, summary = read_frame("r.parquet", RUNS), json.loads(Path("s.json").read_text())
    assert runs["seed"].dtype == "Int64"
    means = runs.groupby(["state_mode", "distractor_profile"], observed=True)["value_acc"].mean()
    groups = {
        (group["state_mode"], group["distractor_profile"]): group["value_acc_mean"]
        for group in summary["by_group"]
    }
    assert means.to_dict() == pytest.approx(groups), "a DataFrame of the runs says what summary.json does"
    for wrong in ("v.txt", "rows.jsonl"):
        assert main(["grade", "--data", "rows.jsonl", "--pred", "preds.jsonl", "--verdicts-out", wrong]) == 2


@pytest.mark.parametrize("table", TABLES.values(), ids=list(TABLES))
def test_the_documented_columns_are_those_of_the_code(table):
    text = (ROOT / "docs/frames.md").read_text()
    section = re.search(rf"^## `{table.name}`\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert section is not None
    assert table.about in section[1]
    assert as_markdown(table) in section[1]


def test_every_name_of_the_package_is_callable():
    assert sorted(frames.DOORS) == frames.__all__
    assert all(callable(getattr(frames, name)) for name in frames.DOORS)


WITHOUT = """
import importlib.util, sys
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name in ("pandas", "pyarrow") else found(name, *rest)
sys.modules["pandas"] = sys.modules["pyarrow"] = None
from evaluation.cli import main
sys.exit(main(sys.argv[1:]))
"""


def test_without_the_extra_the_engine_grades_and_says_what_needs_it(tmp_path):
    def run(command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", WITHOUT, *command.split()],
            capture_output=True, text=True, cwd=tmp_path, env={"PYTHONPATH": str(ROOT), "HOME": str(tmp_path)},
        )  # fmt: skip

    for command in (
        "generate --preset smoke --out rows.jsonl",
        "run --data rows.jsonl --out preds.jsonl",
        "grade --data rows.jsonl --pred preds.jsonl --results-json results.json --rows-out verdicts.jsonl",
        "sweep run --out sweep --episodes 1 --queries 2 --steps-list 30 --k-list 3 --systems ledger",
    ):
        done = run(command)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "sweep" / "summary.csv").exists()
    done = run("grade --data rows.jsonl --pred preds.jsonl --verdicts-out verdicts.parquet")
    assert done.returncode == 2
    assert "need pandas and pyarrow: pip install 'goldevidencebench[frames]'" in done.stderr
