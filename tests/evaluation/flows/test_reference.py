"""Under the `reference` rubric every figure equals the reference's to 1e-9."""

from __future__ import annotations

import gzip
import json
from functools import cache
from typing import Any

import pytest

from evaluation.cli import main
from evaluation.core.files import flat
from evaluation.core.files.version_files import numbered_answers
from evaluation.core.report import Report
from evaluation.goldevidence.artifacts.shown import Artifacts
from evaluation.goldevidence.data.answers import parse_text
from evaluation.goldevidence.data.rubrics import RUBRICS, Options
from evaluation.goldevidence.grading.grade import grade_cases, row_reader
from tests.evaluation.goldevidence.cast import graded
from tests.reference import ROOT, reference_path

GOLD = ROOT / "gold"
FORM = RUBRICS["reference"].answer_form
DATASETS = sorted(path.name.removesuffix(".jsonl.gz") for path in (GOLD / "data").glob("*.jsonl.gz"))


@cache
def manifest() -> dict[str, Any]:
    return json.loads(reference_path("gold/manifest.json").read_text())


def options_of(settings: dict[str, Any]) -> dict[str, Any]:
    return {name.replace("_check", ""): value for name, value in settings.items()} | {"rubric": "reference"}


def cases_of(path: str, options: Options) -> list[Any]:
    """(row id, case) of a data set's rows, read once for all of its predictions."""
    read = row_reader(options, Artifacts({}))
    return [case for _, row in flat.read(GOLD / path) for case in read(row)]


def graded_cases(cases: list[Any], answers: dict[str, Any], options: Options) -> Report:
    return grade_cases(((case, answers.get(row_id)) for row_id, case in cases), options, [])


def assert_equal(figures: dict[str, Any], expected: dict[str, Any], case: str) -> None:
    for name, value in expected.items():
        assert (figures[name] is None) == (value is None), f"{case}: {name} is {figures[name]}, not {value}"
        assert value is None or figures[name] == pytest.approx(value, abs=1e-9), f"{case}: {name}"


def test_every_dataset_of_the_reference_is_looked_at() -> None:
    assert len(DATASETS) == len(manifest()["datasets"])


@pytest.mark.parametrize("dataset", DATASETS)
def test_every_case_has_the_figures_of_the_reference(dataset: str) -> None:
    names, options = manifest()["metric_names"], [options_of(item) for item in manifest()["option_sets"]]
    data = f"data/{dataset}.jsonl.gz"
    cases = cases_of(data, Options(**options[0]))
    answers = cache(lambda path: dict(numbered_answers(GOLD / path, FORM)))
    for case in manifest()["cases"]:
        if case["data"] == data:
            report = graded_cases(cases, answers(case["pred"]), Options(**options[case["options"]]))
            assert_equal(report.metrics, dict(zip(names, case["expected"], strict=True)), case["id"])


def test_every_verdict_is_that_of_the_reference() -> None:
    by_id = {case["id"]: case for case in manifest()["cases"]}
    cases = cache(lambda path: cases_of(path, Options("reference")))
    with gzip.open(reference_path("gold/expected_rows.json.gz")) as handle:
        expected = json.load(handle)
    for case_id, figures in expected.items():
        case = by_id[case_id]
        answers = dict(numbered_answers(GOLD / case["pred"], FORM))
        rows = graded_cases(cases(case["data"]), answers, Options("reference")).rows
        fields = {"value_ok": "value_ok", "exact_ok": "correct", "entails": "entailed", "bloat": "bloat"}
        for name, field in fields.items():
            result = "".join("-" if row[field] is None else str(int(row[field])) for row in rows)
            assert result == figures[name], (case_id, name)
        wanted_f1 = figures["cite_f1"] or [None] * len(
            rows
        )  # rounded to six decimals in the reference's file
        assert [row["cite_f1"] for row in rows] == pytest.approx(wanted_f1, abs=5e-7), case_id


def test_edge_cases_have_the_figures_of_the_reference(tmp_path) -> None:
    for case in json.loads(reference_path("gold/edge/grade_edge.json").read_text()):
        report = graded(tmp_path, case["data_rows"], case["pred_rows"], **options_of(case["options"]))
        assert_equal(report.metrics, case["expected"], case["id"])


def test_texts_are_read_as_the_reference_reads_them() -> None:
    for case in json.loads(reference_path("gold/edge/answer_parse.json").read_text()):
        result = parse_text(case["text"])
        if case["expected"] == {"value": "__NaN__"}:
            assert str(result["value"]) == "nan"
        else:
            assert result == case["expected"], case["text"]


@pytest.mark.parametrize("dataset", DATASETS)
def test_the_command_line_writes_the_figures_of_the_reference(dataset: str, tmp_path, capsys) -> None:
    names, options = manifest()["metric_names"], manifest()["option_sets"]
    of_data = [case for case in manifest()["cases"] if case["data"] == f"data/{dataset}.jsonl.gz"]
    case = of_data[sum(map(ord, dataset)) % len(of_data)]
    chosen, out = options[case["options"]], tmp_path / "results.json"
    arguments = [
        "grade",
        "--data",
        GOLD / case["data"],
        "--pred",
        GOLD / case["pred"],
        "--rubric",
        "reference",
    ]
    arguments += ["--citations", chosen["citations"], "--support-metric", chosen["support_metric"]]
    arguments += ["--max-support-k", chosen["max_support_k"], "--results-json", out]
    arguments += [] if chosen["entailment_check"] else ["--no-entailment"]
    assert main([str(argument) for argument in arguments]) == 0
    assert "value_acc" in capsys.readouterr().out
    written = json.loads(out.read_text())
    assert_equal(written["metrics"], dict(zip(names, case["expected"], strict=True)), case["id"])
    assert len(written["rows"]) == manifest()["datasets"][dataset]["rows"]
