"""The case of a row of a family: complete, or refused."""

from __future__ import annotations

from typing import Any

import pytest

from evaluation.core.errors import RowError
from evaluation.goldevidence.data.case import case_of
from evaluation.goldevidence.data.rubrics import RUBRICS
from evaluation.goldevidence.grading.frozen import from_record, to_record

LINES = ("- [U00000A] UPDATE step=1 SET tag.03 = tag.04", "- [U00000B] UPDATE step=2 SET tag.04 = tag.05")


def row(**meta: Any) -> Any:
    """A row that asks for two hops."""
    asked = {
        "family": "chain",
        "dial": "2",
        "asks": ["tag.03", 2, None],
        "derived_op": "reached",
        "key": "tag.03",
    }
    return {
        "id": "r1",
        "question": "?",
        "document": "\n".join(["# T", "", "## Episode Log", *LINES, ""]),
        "gold": {"value": "tag.05", "support_ids": ["U00000A", "U00000B"]},
        "meta": asked | {"state_mode": "relational", "requires_citation": True} | meta,
    }


def test_a_row_of_a_family_is_one_and_goes_through_its_record():
    case = case_of(row())
    assert (case.family, case.dial, case.asks, case.family_dial) == (
        "chain",
        "2",
        ["tag.03", 2, None],
        "chain|2",
    )
    ((read, shown),) = from_record(to_record("u", [row()], RUBRICS["strict@4"]))
    assert read._replace(unit=case.unit) == case
    assert shown.line("U00000A") == (1, "SET", "tag.03", "tag.04", "", 0, "U00000A")


def test_a_row_of_none_says_nothing_of_it_in_its_record():
    plain = row(family=None, derived_op=None)
    (frozen,) = to_record("u", [plain], RUBRICS["strict@4"])["rows"]
    assert "chain" not in frozen
    ((_, shown),) = from_record(to_record("u", [plain], RUBRICS["strict@4"]))
    assert shown.line("U00000A") == (1, "SET", "tag.03", "tag.04")


@pytest.mark.parametrize(
    "meta", [{"asks": None}, {"asks": "tag.03"}, {"derived_op": "nth"}, {"family": None}]
)
def test_a_question_of_a_family_without_its_family_or_parameters_is_refused(meta: dict[str, Any]):
    with pytest.raises(RowError, match="asks a question of the family"):
        case_of(row(**meta))


@pytest.mark.parametrize("op", [None, "color", ["reached"], "someone's own"])
def test_rows_of_others_may_have_a_family_of_their_own(op: Any):
    assert case_of(row(family="chain", derived_op=op)).family == ""
