"""Comparing what is shown with what was recorded."""

from __future__ import annotations

import pytest

from tests.installations.comparing import called, differences, idle, joined, unexcused


@pytest.mark.parametrize(
    ("recorded", "current"),
    [
        ({"a": 1}, {"a": 1, "b": 2}),
        ([0.1 + 0.2, None], [0.3, None]),
        ({"columns": ["a", "b"], "x": ["1", "2"]}, {"columns": ["b", "new", "a"], "x": ["2", "?", "1"]}),
    ],
)
def test_additions_and_the_last_digit_are_no_differences(recorded: object, current: object) -> None:
    assert list(differences(recorded, current)) == []


@pytest.mark.parametrize(
    ("recorded", "current", "where"),
    [
        ({"a": {"b": 1}}, {"a": {}}, "a/b"),
        ({"a": [0.5, 0.1]}, {"a": [0.5, 0.1 + 1e-6]}, "a/1"),
        ({"a": [1]}, {"a": [1, 2]}, "a"),
        ({"missing": None}, {"missing": 0}, "missing"),
        ({"flag": True}, {"flag": 1}, "flag"),
        ({"columns": ["a"], "x": ["1"]}, {"columns": ["b"], "x": ["1"]}, "x/a"),
    ],
)
def test_what_was_recorded_and_is_another_is_named_by_its_place(
    recorded: object, current: object, where: str
) -> None:
    assert [at for at, _ in differences(recorded, current)] == [where]


def test_a_later_record_puts_what_differs_in_its_place() -> None:
    before = {"exports": {"v": {"columns": ["a"], "x": ["1"]}, "w": {"b": 1}}}
    after = {"exports": {"v": {"y": ["2"]}, "w": {"c": 2}}}
    assert joined(before, after) == {
        "exports": {"v": {"columns": ["a"], "x": ["1"], "y": ["2"]}, "w": {"c": 2}}
    }


def test_an_account_that_is_called_otherwise_is_found_by_its_new_name() -> None:
    record = {"admin/mine": {"submitter": "admin", "note": "administered"}}
    assert called(record, {"admin": "admin-7"}) == {
        "admin-7/mine": {"submitter": "admin-7", "note": "administered"}
    }


def test_a_difference_is_excused_by_a_pattern_and_a_pattern_without_one_is_named() -> None:
    result = [("ranks/statebench/states/all/x/0", "was 1 and is None")]
    reasons = {"ranks/statebench/*": "no model answers", "figures/*": "never happened"}
    assert unexcused(result, {}) == ["ranks/statebench/states/all/x/0 was 1 and is None"]
    assert unexcused(result, reasons) == []
    assert idle(result, reasons) == ["figures/*"]
