"""The `shown_uids` of a prediction: their form, and whether its row holds them."""

from __future__ import annotations

import pytest

from evaluation.goldevidence.data.answers import AnswerError, read
from evaluation.goldevidence.data.shown import held_by
from evaluation.goldevidence.shown_uids import form_fault, row_fault
from evaluation.goldevidence.suite import SUITE

SETTINGS = SUITE.settings.checked(
    {"generator": {"episodes": 1, "steps": 40, "queries": 3, "twins": False}, "conditions": [{"k": 2}]}
)


def test_the_lines_shown_stand_beside_every_form_of_an_answer() -> None:
    uids = ["U000002", "U000001"]
    for line in ({"value": "x"}, {"output": '{"value": "x"}'}, {"output": "none"}, {"state": "cut_off"}):
        answer, silent = read(line | {"shown_uids": uids}), read(line)
        assert [each and each.shown for each in (answer, silent)] == [("U000002", "U000001"), None], line


def test_an_empty_list_says_that_nothing_was_shown_and_null_says_nothing() -> None:
    assert read({"value": "x", "shown_uids": []}).shown == ()  # type: ignore[union-attr]
    assert read({"value": "x", "shown_uids": None}).shown is None  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("uids", "code"),
    [
        ("U000001", "wrong_type"),
        ([1], "wrong_type"),
        ({}, "wrong_type"),
        (["U1", "U1"], "duplicate_shown_uid"),
    ],
)
def test_a_list_of_another_form_is_an_error(uids: object, code: str) -> None:
    fault = form_fault(uids)
    assert fault is not None
    assert fault.code == code
    with pytest.raises(AnswerError, match="shown_uids"):
        read({"value": "x", "shown_uids": uids})


def test_a_line_that_the_row_does_not_hold_is_named() -> None:
    assert row_fault(["U000002"], frozenset({"U000001", "U000002"})) is None
    fault = row_fault(["U00000F"], frozenset({"U000001", "U000002"}))
    assert fault is not None
    assert fault.code == "unknown_shown_uid"
    assert "'U00000F'" in fault.message
    many = row_fault(["U000001", "U000002", "U00000F"], frozenset({"U000001", "U000002"}))
    assert many is not None
    assert many.code == "too_many_shown_uids"


def test_a_grading_record_and_the_public_rows_of_it_say_the_same_of_every_row() -> None:
    (item,) = SUITE.version(SETTINGS).generate()
    public = [SUITE.public_row(row) for row in item.rows]
    by_record = {row_id: set(lines.split()) for row_id, lines in held_by(item.gold)}
    by_row = {row_id: set(lines.split()) for row in public for row_id, lines in held_by(row)}
    assert by_record == by_row
    assert SUITE.expected([item.gold], lines=True).splits == SUITE.expected([item.gold]).splits
    assert SUITE.expected(public, lines=True).lines == dict(line for row in public for line in held_by(row))
