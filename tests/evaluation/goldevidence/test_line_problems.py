"""Lines that are accepted, lines refused with a reason, and no line that raises."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.suite import ExpectedRows, Problem
from evaluation.goldevidence.generator.fields import MOST_CITATIONS
from evaluation.goldevidence.line_problems import problem_in

EXPECTED = ExpectedRows({"row-1": "closed_book"}, lines={"row-1": "U000001 U000002"})
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text("aU01{", max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3),
    max_leaves=6,
)
FIELDS = (
    "value",
    "support_ids",
    "support_id",
    "output",
    "selected_uid",
    "shown_uids",
    "state",
    "raw",
    "text",
)


@pytest.mark.parametrize(
    "answer",
    [
        {"value": "amber-0001", "support_ids": ["U000001"]},
        {"value": None, "support_ids": []},
        {"value": 12, "support_ids": "U000001"},
        {"output": '{"value": "amber-0001", "support_ids": []}'},
    ],
)
def test_an_answer_of_the_right_types_is_taken(answer) -> None:
    assert problem_in({"id": "row-1"} | answer, EXPECTED) is None


@pytest.mark.parametrize(
    ("answer", "code", "message"),
    [
        ({"value": ["amber"], "support_ids": []}, "wrong_type", "'value' must be a text, a number or null."),
        ({"value": True, "support_ids": []}, "wrong_type", "'value' must be a text, a number or null."),
        ({"value": "a", "support_ids": [1]}, "wrong_type", "'support_ids' must be a list of texts."),
        (
            {"value": "a", "support_ids": {"U000001": 1}},
            "wrong_type",
            "'support_ids' must be a list of texts.",
        ),
        (
            {"value": "a", "support_ids": ["U000001"] * (MOST_CITATIONS + 1)},
            "too_many_support_ids",
            f"at most {MOST_CITATIONS} are allowed",
        ),
        ({"value": "a", "support_ids": [], "support_id": 3}, "wrong_type", "'support_id' must be a text."),
        ({}, "no_answer", "give 'value' and 'support_ids'"),
    ],
)
def test_a_line_that_cannot_be_graded_says_what_is_wrong(answer, code, message) -> None:
    problem = problem_in({"id": "row-1"} | answer, EXPECTED)
    assert problem is not None
    assert problem.code == code
    assert message in problem.message


def test_shown_lines_that_the_row_does_not_hold_are_refused() -> None:
    answer = {"id": "row-1", "value": "a", "support_ids": []}
    assert problem_in(answer | {"shown_uids": ["U000001"]}, EXPECTED) is None
    assert problem_in(answer | {"shown_uids": ["U999999"]}, EXPECTED) is not None


@given(st.dictionaries(st.sampled_from(FIELDS), ANY_JSON))
def test_no_line_raises(answer) -> None:
    problem = problem_in({"id": "row-1"} | answer, EXPECTED)
    assert problem is None or isinstance(problem, Problem)
