"""`goldevidencebench mistakes` from end to end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluation.cli import main
from evaluation.core import jsonl
from tests.evaluation.goldevidence.mistakes.cast import answer_of, rows_of, written


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    rows = rows_of(seed=7)
    data, predictions = written(tmp_path, rows, [answer_of(row, 7) for row in rows])
    return ["--data", data, "--pred", predictions, "--out", str(tmp_path / "out.jsonl")]


@pytest.mark.parametrize(
    ("form", "fields"),
    [
        ("preferences", {"id", "prompt", "chosen", "rejected"}),
        ("triplets", {"anchor", "positive", "negative"}),
        ("abstain", {"id", "prompt", "label"}),
    ],
)
def test_each_format_has_its_fields(form: str, fields: set[str], files: list[str]) -> None:
    assert main(["mistakes", *files, "--format", form]) == 0
    lines = list(jsonl.read(files[-1]))
    assert lines
    assert all(set(line) == fields for line in lines)


def test_records_hold_everything_and_the_summary_goes_to_the_error_stream(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["mistakes", *files, "--kinds", "wrong_selection, bad_citation", "--limit", "3"]) == 0
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "6 lines (records) written to" in printed.err
    assert "wrong_abstention" in printed.err  # counted, whether it was asked for or not
    assert {line["kind"] for line in jsonl.read(files[-1])} == {"wrong_selection", "bad_citation"}


def test_a_selector_is_trained_on_exported_mistakes(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "linear.json"
    assert main(["mistakes", *files, "--format", "selector"]) == 0
    with_right = len(list(jsonl.read(files[-1])))
    assert main(["selector", "train", "--data", files[-1], "--out", str(model)]) == 0
    assert "selection rate" in capsys.readouterr().out
    assert len(json.loads(model.read_text())["weights"]) == 18
    assert main(["mistakes", *files, "--format", "selector", "--no-with-right"]) == 0
    assert len(list(jsonl.read(files[-1]))) < with_right


def test_what_is_refused_leaves_no_file(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    out = Path(files[-1])
    assert main(["mistakes", *files, "--kinds", "slips"]) == 2
    assert "unknown kind of mistake 'slips'" in capsys.readouterr().err
    jsonl.write(files[3], [{"id": "x", "value": "y"}])
    assert main(["mistakes", *files, "--partial"]) == 2
    assert "answers row 'x'" in capsys.readouterr().err
    assert not out.exists()
    assert main(["mistakes", *files[:4], "--out", files[1]]) == 2
    assert "is an input of this command" in capsys.readouterr().err
