"""Malformed input gives a RowError with its place, under both rubrics; nothing else ever crashes."""

from __future__ import annotations

import json
import math
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluation.cli import main
from evaluation.core.errors import RowError
from evaluation.goldevidence import grade_files
from tests.evaluation.goldevidence.cast import graded, row, says
from tests.reference import reference_path

#: Where the fault lies and what is said about it.
FAULTS = {
    "robust/pred_line_not_json": r"pred.jsonl:2:2: not JSON: Expecting property name",
    "robust/pred_line_json_string": r"pred.jsonl:1: a line must be a JSON object, not a text",
    "robust/pred_id_list": r"pred.jsonl:1: an 'id' must be a text, not a list",
    "robust/pred_output_huge_int": r"pred.jsonl:1: the answer contains a number with thousands of digits",
    "robust/pred_output_deep_nesting": r"pred.jsonl:1: the answer is nested too deeply",
    "robust/data_row_without_id": r"data.jsonl:1: the row has no usable 'id'",
    "robust/data_row_without_document": r"data.jsonl:1: row 'a' has no usable 'document'",
    "robust/data_meta_null": r"data.jsonl:1: row 'a' has no usable 'meta'",
    "robust/parity_on_kv_row": r"data.jsonl:1: row 'a' asks for the parity of 'amber-0001'",
}
RUBRICS = ("reference", "strict")


@cache
def robustness() -> list[dict[str, Any]]:
    return json.loads(reference_path("gold/edge/robustness.json").read_text())


def write(folder: Path, case: dict[str, Any]) -> tuple[str, str]:
    paths = []
    for name in ("data", "pred"):
        path = folder / f"{name}.jsonl"
        path.write_text("\n".join(case[f"{name}_lines"]) + "\n", encoding="utf-8")
        paths.append(str(path))
    return paths[0], paths[1]


@pytest.mark.parametrize("rubric", RUBRICS)
def test_what_crashes_the_reference_is_a_clear_error(rubric: str, tmp_path) -> None:
    crashing = [case for case in robustness() if "upstream_crash" in case["upstream"]]
    assert {case["id"] for case in crashing} == set(FAULTS)
    for case in crashing:
        with pytest.raises(RowError, match=re.escape(str(tmp_path)) + "/" + FAULTS[case["id"]]):
            grade_files(*write(tmp_path, case), rubric=rubric)


def test_what_the_reference_survives_has_its_figures(tmp_path) -> None:
    for case in robustness():
        if "cli_stdout" in case["upstream"]:
            figures = grade_files(*write(tmp_path, case), rubric="reference").metrics
            for name, value in re.findall(r"(\w+)=([\d.]+)", case["upstream"]["cli_stdout"]):
                assert figures[name] == pytest.approx(float(value), abs=5e-4), (case["id"], name)


def test_the_command_line_prints_the_error_without_a_traceback(tmp_path, capsys) -> None:
    data, pred = write(tmp_path, robustness()[0])
    assert main(["grade", "--data", data, "--pred", pred]) == 2
    assert capsys.readouterr().err.startswith(f"goldevidencebench: {pred}:2:2: not JSON")


@pytest.mark.parametrize("rubric", RUBRICS)
def test_a_byte_order_mark_changes_no_grade(rubric: str, tmp_path) -> None:
    graded(tmp_path, [row()], [says("amber-0003")])
    paths = tmp_path / "data.jsonl", tmp_path / "pred.jsonl"
    plain = grade_files(*paths, rubric=rubric).metrics
    for path in paths:
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert grade_files(*paths, rubric=rubric).metrics == plain


@pytest.mark.parametrize("value", ["NaN", "Infinity", '"\\ud800"', "123456789012345678901234567890"])
def test_values_that_only_python_reads_are_graded_as_the_reference_grades_them(value: str, tmp_path) -> None:
    graded(tmp_path, [row()], [])
    (tmp_path / "pred.jsonl").write_text(f'{{"id": "E0001-Q001", "value": {value}}}\n')
    report = grade_files(tmp_path / "data.jsonl", tmp_path / "pred.jsonl")
    assert report.rows[0]["failure"] == "wrong_value"
    assert report.metrics["value_acc"] == 0.0


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["amber-0003", "U000003"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.sampled_from(["id", "value", "support_ids", "support_id", "output", "text", "completion"])
META = st.sampled_from(
    "key q_index state_mode query_type derived_op derived_manager has_instruction instruction_value "
    "condition requires_citation twin_group tokens_since_update writes_to_key".split()
)
LINES = st.lists(
    st.fixed_dictionaries(
        {"uid": st.just("U000003"), "step": st.integers(), "op": st.sampled_from(["SET", "NOTE", "?"])}
        | {"key": st.just("tag.00") | ANYTHING, "value": st.just("amber-0003") | ANYTHING}
    ),
    max_size=3,
)
OPERATIONS = st.sampled_from(["color", "parity", "count", "reports", "other"])


def as_json(value: Any) -> str:
    """Python's JSON, NaN and lone surrogates included."""
    return json.dumps(value)


def assert_sane(report) -> None:
    assert len(report.rows) == 1
    for value in report.metrics.values():
        assert value is None or (math.isfinite(value) and -1 <= value <= 1)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    prediction=st.dictionaries(FIELDS, ANYTHING, max_size=4),
    meta=st.dictionaries(META, ANYTHING | OPERATIONS, max_size=4),
    gold=st.dictionaries(
        st.sampled_from(["value", "support_ids", "present", "spoofed"]), ANYTHING, max_size=2
    ),
    texts=st.dictionaries(st.sampled_from(["document", "book", "candidates"]), ANYTHING | LINES, max_size=2),
    row_id=st.just("E0001-Q001") | ANYTHING,
    rubric=st.sampled_from(RUBRICS),
)
def test_any_row_and_any_prediction_are_graded_or_refused(
    tmp_path, prediction, meta, gold, texts, row_id, rubric
) -> None:
    question = row(**meta) | texts
    question["gold"] |= gold
    question["id"] = row_id
    prediction.setdefault("id", "E0001-Q001")
    (tmp_path / "data.jsonl").write_text(as_json(question) + "\n")
    (tmp_path / "pred.jsonl").write_text(as_json(prediction) + "\n")
    try:
        report = grade_files(tmp_path / "data.jsonl", tmp_path / "pred.jsonl", rubric=rubric)
    except RowError as error:
        where = str(error)
    else:
        where = "data.jsonl:1"
        assert_sane(report)
    assert ".jsonl:1" in where


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(text=st.text(max_size=40) | st.from_regex(r'.{0,5}\{"value": ?["0-9a-z]{0,9}[}\]]?.{0,5}'))
def test_any_output_is_read_or_found_unreadable(tmp_path, text: str) -> None:
    report = graded(
        tmp_path, [row()], [{"id": "E0001-Q001", "output": text.encode("utf-8", "replace").decode()}]
    )
    assert report.rows[0]["failure"] in ("unparseable", "wrong_value", "no_value")
