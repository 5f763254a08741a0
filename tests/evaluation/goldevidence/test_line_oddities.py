"""Lines that count for less than they claim cause a warning, with count and example, before submitting."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from evaluation.core import validation
from evaluation.core.suite import ExpectedRows, Problem
from evaluation.goldevidence.grading.grade import grade_files
from evaluation.goldevidence.suite import SUITE

ID, OTHER = "U0A1B2C", "U111111"
ROWS = [f"r{number}" for number in range(6)]


def warnings(folder: Path, line: dict, *, rubric: str, lines: str | None = f"{ID} {OTHER}") -> dict[str, str]:
    """The warnings for a file that answers every row with this line."""
    path = folder / "preds.jsonl"
    path.write_bytes(b"\n".join(orjson.dumps({"id": row, **line}) for row in ROWS))
    held = None if lines is None else dict.fromkeys(ROWS, lines)
    expected = ExpectedRows(dict.fromkeys(ROWS, "closed"), lines=held, rubric=rubric)
    intake = validation.check(path, SUITE, expected)
    assert intake.ok, intake.problems
    return {each.code: each.message for each in intake.warnings}


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ({"value": "teal", "support_ids": f"['{ID}']"}, "citations_as_text"),
        ({"value": "teal", "support_ids": [f"[{ID}]"]}, "citations_as_text"),
        ({"value": "teal", "support_ids": [ID.lower()]}, "citations_as_text"),
        ({"value": "teal", "support_id": f"{ID}, {OTHER}"}, "citations_as_text"),
        ({"value": "teal\u20110716", "support_ids": [ID]}, "value_in_another_form"),
        ({"value": '"teal"', "support_ids": [ID]}, "value_in_another_form"),
        ({"value": 12.0, "support_ids": [ID]}, "value_in_another_form"),
        (
            {"output": f'<think>{{"value": "x"}}</think>{{"value": "teal", "support_ids": ["{ID}"]}}'},
            "reply_not_read",
        ),
        ({"output": f'{{"value": "teal", "support_ids": ["{ID}"]}} Note: {{tag}}.'}, "reply_not_read"),
    ],
)
def test_a_version_that_reads_to_the_letter_warns_and_the_newest_reads(
    tmp_path: Path, line: dict, code: str
) -> None:
    old = warnings(tmp_path, line, rubric="strict")
    assert code in old
    assert old[code].startswith("6 of 6 lines ")
    assert "First example: " in old[code]
    assert warnings(tmp_path, line, rubric="strict@4") == {}


@pytest.mark.parametrize("rubric", ["strict", "strict@4", "reference"])
def test_citations_that_are_no_line_of_their_row_are_told(tmp_path: Path, rubric: str) -> None:
    found = warnings(tmp_path, {"value": "teal", "support_ids": ["line 3"]}, rubric=rubric)
    assert found["unknown_citations"].startswith("6 of 6 lines with citations cite no line of their row")
    assert "'line 3'" in found["unknown_citations"]
    assert "unknown_citations" not in warnings(
        tmp_path, {"value": "teal", "support_ids": [ID]}, rubric=rubric
    )
    assert "unknown_citations" not in warnings(
        tmp_path, {"value": "t", "support_ids": ["U9"]}, rubric=rubric, lines=None
    )


def test_an_object_that_names_an_id_is_read_by_the_newest_and_refused_by_others(tmp_path: Path) -> None:
    line = {"value": "teal", "support_ids": [{"id": ID}]}
    assert warnings(tmp_path, line, rubric="strict@4") == {}
    expected = ExpectedRows({"r0": "closed"}, rubric="strict")
    problem = SUITE.read_line({"id": "r0", **line}, expected)
    assert isinstance(problem, Problem)
    assert problem.message == "'support_ids' must be a list of texts."


def test_what_is_said_to_be_answered_is_what_is_graded() -> None:
    line = {"id": "r0", "output": '<think>{"value": "x"}</think>{"value": "teal"}'}
    states = {
        name: SUITE.read_line(line, ExpectedRows({"r0": "closed"}, rubric=name)).state.value
        for name in ("strict", "strict@4")
    }
    assert states == {"strict": "unreadable", "strict@4": "answered"}


CASES = Path(__file__).resolve().parents[4] / "shared" / "cases"


@pytest.mark.skipif(not CASES.is_dir(), reason="the cases from the field are not beside this checkout")
@pytest.mark.parametrize(
    "case", ["01-citations-as-text", "03-typography-of-values", "04-raw-replies-uploaded"]
)
def test_the_files_of_the_field_are_read(tmp_path: Path, case: str) -> None:
    from evaluation.cli import main

    data = tmp_path / "kv.jsonl"
    made = ["--episodes", "1", "--steps", "40", "--queries", "8", "--keys", "4", "--out", str(data)]
    assert main(["generate", *made]) == 0
    files = sorted((CASES / case).glob("*.jsonl"))
    assert files
    for file in files:
        figures = grade_files(data, file).metrics
        assert (figures["exact_acc"], figures["cite_f1"]) == (1.0, 1.0), file.name
