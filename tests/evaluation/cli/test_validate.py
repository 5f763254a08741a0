"""`goldevidencebench validate` finds before an upload what the upload would find."""

from __future__ import annotations

import json

import pytest

from evaluation.cli import main
from evaluation.core import jsonl
from evaluation.goldevidence.suite import SUITE
from tests.evaluation.goldevidence.cast import GOLD, row, says


@pytest.fixture
def validate(tmp_path):
    jsonl.write(
        tmp_path / "rows.jsonl", [SUITE.public_row(row("E0001-Q001")), SUITE.public_row(row("E0001-Q002"))]
    )

    def exit_code(predictions, *flags: str) -> int:
        jsonl.write(tmp_path / "pred.jsonl", predictions)
        paths = ["--data", str(tmp_path / "rows.jsonl"), "--pred", str(tmp_path / "pred.jsonl")]
        return main(["validate", *paths, *flags])

    return exit_code


def test_a_usable_file_is_said_to_be_ready(validate, capsys) -> None:
    assert validate([says("x", GOLD), says("y", GOLD, row_id="E0001-Q002")]) == 0
    assert "2 predictions, ready to upload (closed_book 2)" in capsys.readouterr().out


def test_rows_that_do_not_say_their_split_are_checked_by_what_they_show(tmp_path, capsys) -> None:
    settings = {"generator": {"episodes": 1, "steps": 24, "queries": 3, "keys": 4, "chapters": 2}}
    settings["conditions"] = [{"k": 2, "order": "gold_first"}, {"k": 2, "order": "gold_last"}]
    rows = [SUITE.public_row(row) for item in SUITE.version(settings).generate() for row in item.rows]
    shown = [row["id"] for row in rows if "candidates" in row]
    jsonl.write(tmp_path / "rows.jsonl", sorted(rows, key=lambda row: row["id"]))
    command = ["validate", "--data", str(tmp_path / "rows.jsonl"), "--pred", str(tmp_path / "pred.jsonl")]
    jsonl.write(tmp_path / "pred.jsonl", [says("x", row_id=row_id) for row_id in shown])
    assert main(command) == 0
    assert f"ready to upload (candidates {len(shown)})" in capsys.readouterr().out
    jsonl.write(tmp_path / "pred.jsonl", [says("x", row_id=row_id) for row_id in shown[1:]])
    assert main(command) == 1
    assert f"1 row of 'candidates' has no prediction: {shown[0]}" in capsys.readouterr().err


def test_problems_are_printed_with_file_and_line(validate, capsys) -> None:
    assert validate([says("x", GOLD), says("x", row_id="E0001-Q2")]) == 1
    printed = capsys.readouterr()
    assert "pred.jsonl:2: The version has no row 'E0001-Q2'. Did you mean 'E0001-Q002'?" in printed.err
    assert "not usable (unknown_id 1, missing_id 1)" in printed.out


def test_rows_may_be_left_out_on_request(validate, capsys) -> None:
    assert validate([says("x", GOLD)]) == 1
    assert validate([says("x", GOLD)], "--allow-missing") == 0


def test_findings_can_be_had_as_json(validate, capsys) -> None:
    assert validate([says("x", GOLD)], "--json") == 1
    output = json.loads(capsys.readouterr().out)
    assert (output["ok"], output["rows"], output["counts"]) == (False, 1, {"missing_id": 1})
    assert output["problems"][0]["code"] == "missing_id"
    assert output["conditions"] == {"closed_book": 1}


@pytest.mark.parametrize("changes", [{"meta": []}, {"meta": {"condition": 5}}, {"id": 5}, {"ledgers": 1}])
def test_rows_of_wrong_types_are_named_by_their_line(tmp_path, changes, capsys) -> None:
    jsonl.write(
        tmp_path / "rows.jsonl", [SUITE.public_row(row()), SUITE.public_row(row("E0001-Q002")) | changes]
    )
    jsonl.write(tmp_path / "pred.jsonl", [says("x", GOLD)])
    assert (
        main(["validate", "--data", str(tmp_path / "rows.jsonl"), "--pred", str(tmp_path / "pred.jsonl")])
        == 2
    )
    assert "rows.jsonl:2: " in capsys.readouterr().err


def test_rows_of_another_suite_are_named(tmp_path, capsys) -> None:
    jsonl.write(tmp_path / "rows.jsonl", [SUITE.public_row(row())])
    data = str(tmp_path / "rows.jsonl")
    arguments = ["--data", data, "--pred", data, "--suite", "statebench"]
    assert main(["validate", *arguments]) == 2
    assert "rows.jsonl: no rows of StateBench: check --suite" in capsys.readouterr().err


def test_a_predictions_file_that_is_not_there_is_missed_before_any_row_is_read(tmp_path, capsys) -> None:
    arguments = ["--data", str(tmp_path / "no-rows.jsonl"), "--pred", str(tmp_path / "no-answers.jsonl")]
    assert main(["validate", *arguments]) == 2
    assert "no-answers.jsonl: No such file" in capsys.readouterr().err


def test_equal_problems_are_one_line(validate, capsys) -> None:
    strangers = [says("x", row_id=f"E0009-Q00{number}") for number in range(1, 5)]
    assert validate([says("x", GOLD), says("x", row_id="E0001-Q002"), *strangers]) == 1
    printed = capsys.readouterr().err
    assert printed.count("The version has no row") == 1
    assert "(and 3 more: lines 3–6)" in printed


def test_a_file_of_another_tool_is_checked_as_the_predictions_that_it_holds(
    tmp_path, validate, capsys
) -> None:
    assert validate([says("x", GOLD), says("x", row_id="E0001-Q002")]) == 0
    (tmp_path / "pred.jsonl").write_text("id,value\nE0001-Q001,x\nE0001-Q002,y\n")
    checked = ["validate", "--data", str(tmp_path / "rows.jsonl"), "--pred", str(tmp_path / "pred.jsonl")]
    assert main(checked) == 0
    assert "pred.jsonl: Read as a table: 2 answers used." in capsys.readouterr().err
    (tmp_path / "pred.jsonl").write_text("name,value\nE0001-Q001,x\nE0001-Q002,y\n")
    assert main(checked) == 1
    assert "This seems to be a CSV table ('name', 'value')." in capsys.readouterr().err


def test_what_looks_mistaken_is_warned_of_and_refuses_nothing(validate, capsys) -> None:
    cited = says("x", GOLD) | {"support_ids": ["U000001", "U000002", "U000003", "U000004"]}
    assert validate([cited, says("y", GOLD, row_id="E0001-Q002")]) == 0
    assert "warning: 1 of 2 lines cites more than 3 lines of the text." in capsys.readouterr().err
    assert validate([cited, says("y", GOLD, row_id="E0001-Q002")], "--json") == 0
    assert [each["code"] for each in json.loads(capsys.readouterr().out)["warnings"]] == [
        "more_citations_than_count"
    ]
