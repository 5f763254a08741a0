"""Every verdict names one reason, in a sentence that never reveals the gold."""

from __future__ import annotations

import pytest

from evaluation.goldevidence.grading.failures import FAILURES
from tests.evaluation.goldevidence.cast import GOLD, NOTE, OLD, OTHER, UNKNOWN, graded, row, says, shows

CASES = {
    "missing": [],
    "unparseable": [{"id": "E0001-Q001", "output": "I do not know."}],
    "empty": [{"id": "E0001-Q001", "state": "empty"}],
    "cut_off": [{"id": "E0001-Q001", "state": "cut_off"}],
    "cut_prompt": [{"id": "E0001-Q001", "state": "cut_prompt"}],
    "refused": [{"id": "E0001-Q001", "state": "refused"}],
    "error": [{"id": "E0001-Q001", "state": "error"}],
    "cited_note": [says("teal-0004", NOTE)],
    "adopted_note": [says("teal-0004", OLD)],
    "followed_instruction": [says("sable-0009", GOLD)],
    "stale_value": [says("cobalt-0001", OLD)],
    "no_value": [says(None, GOLD)],
    "wrong_value": [says("violet-1234", GOLD)],
    "unknown_citation": [says("amber-0003", UNKNOWN)],
    "no_citation": [says("amber-0003")],
    "incomplete_citation": [says("amber-0003", OLD)],
    "bloat": [says("amber-0003", GOLD, OTHER)],
}
INSTRUCTED = {"has_instruction": True, "instruction_value": "sable-0009"}


@pytest.mark.parametrize("code", CASES)
def test_a_failure_is_named(code: str, tmp_path) -> None:
    (verdict,) = graded(tmp_path, [row(**INSTRUCTED)], CASES[code]).rows
    assert verdict["failure"] == code
    assert verdict["correct"] == 0
    assert "amber-0003" not in verdict["reason"]
    assert GOLD not in verdict["reason"]


def test_a_row_that_was_left_unreadable_is_named_like_an_upload_that_is(tmp_path) -> None:
    (verdict,) = graded(tmp_path, [row()], [{"id": "E0001-Q001", "state": "unreadable"}]).rows
    assert verdict["failure"] == "unparseable"


def test_a_value_that_its_citations_contradict_is_not_entailed(tmp_path) -> None:
    question = row(support_ids=[OLD])  # gold that disagrees with its own ledger
    (verdict,) = graded(tmp_path, [question], [says("amber-0003", OLD)]).rows
    assert verdict["failure"] == "not_entailed"


def test_evidence_that_was_not_shown_is_named(tmp_path) -> None:
    line = {"uid": OLD, "step": 1, "op": "SET", "key": "tag.00", "value": "cobalt-0001"}
    question = row("E0001-Q001@k1", condition="k1") | {"candidates": [line]}
    assert "present" not in question["gold"]
    (verdict,) = graded(tmp_path, [question], [says("cobalt-0001", OLD, row_id="E0001-Q001@k1")]).rows
    assert verdict["failure"] == "evidence_missing"


def test_a_line_without_a_marker_is_named(tmp_path) -> None:
    question = shows((GOLD, 3, "?", "amber-0003"))
    (verdict,) = graded(tmp_path, [question], [says("amber-0003", GOLD, row_id=question["id"])]).rows
    assert (verdict["failure"], GOLD in verdict["reason"]) == ("cited_unmarked", True)
    (verdict,) = graded(tmp_path, [question], [says("amber-0003", row_id=question["id"])]).rows
    assert verdict["failure"] == "adopted_note"


def test_every_code_is_reached_by_a_test() -> None:
    assert {*CASES, "not_entailed", "evidence_missing", "cited_unmarked"} == set(FAILURES)


def test_an_exact_answer_has_no_failure(tmp_path) -> None:
    (verdict,) = graded(tmp_path, [row()], [says("amber-0003", GOLD)]).rows
    assert (verdict["correct"], verdict["failure"], verdict["reason"]) == (1, None, None)


def test_derived_answers_of_old_values_are_stale(tmp_path) -> None:
    question = row(derived_op="color", value="amber")
    (verdict,) = graded(tmp_path, [question], [says("cobalt", OLD)]).rows
    assert verdict["failure"] == "stale_value"


def test_long_and_odd_values_are_shown_short_and_encodable(tmp_path) -> None:
    graded(tmp_path, [row()], [])
    (tmp_path / "pred.jsonl").write_text('{"id": "E0001-Q001", "value": "\\ud800%s"}' % ("x" * 500))
    from evaluation.goldevidence import grade_files

    (verdict,) = grade_files(tmp_path / "data.jsonl", tmp_path / "pred.jsonl").rows
    assert len(verdict["value"]) == 80
    verdict["value"].encode()
