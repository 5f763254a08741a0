"""Rules, the authority filter, and the answer read off the selected line."""

from __future__ import annotations

import pytest

from evaluation.core.errors import UnknownNameError
from evaluation.goldevidence.conditions.perturb import UNMARKED
from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.selectors import SELECTORS, get_selector
from evaluation.goldevidence.selectors.rules import answer, authority_filter

OLD = Entry("U000001", 1, "SET", "tag.00", "amber-0001")
SET = Entry("U000002", 5, "SET", "tag.00", "jade-0002")
CLEAR = Entry("U000003", 7, "CLEAR", "tag.00", None)
NOTE = Entry("U000004", 9, "NOTE", "tag.00", "teal-0004")
BLANK = Entry("U000005", 11, UNMARKED, "tag.00", "teal-0005")
SHOWN = [SET, NOTE, CLEAR, OLD]


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("none", SET),
        ("first_shown", SET),
        ("last_occurrence", OLD),
        ("latest_step", NOTE),
        ("prefer_set_latest", SET),
        ("prefer_update_latest", CLEAR),
        ("latest_note", NOTE),
        ("linear", CLEAR),
    ],
)
def test_each_selector_follows_its_rule(name: str, line: Entry) -> None:
    assert get_selector(name)(SHOWN, "What is the value of tag.00?", "tag.00") == line


@pytest.mark.parametrize("name", SELECTORS)
def test_no_selector_chooses_from_nothing(name: str) -> None:
    assert get_selector(name)([], "", "tag.00") is None


def test_preferences_fall_back_to_the_latest_line() -> None:
    assert get_selector("prefer_update_latest")([NOTE], "", "") == NOTE
    assert get_selector("prefer_set_latest")([CLEAR, NOTE], "", "") == NOTE
    assert get_selector("latest_note")([OLD, SET], "", "") == SET


def test_an_unknown_selector_is_named_with_its_nearest_match() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'latest_step'"):
        get_selector("latest_stp")


def test_the_authority_filter_lets_neither_notes_nor_unmarked_lines_pass() -> None:
    assert authority_filter([*SHOWN, BLANK]) == [SET, CLEAR, OLD]
    assert authority_filter([NOTE, BLANK]) == []


@pytest.mark.parametrize(
    ("value", "derived_op", "read"),
    [
        ("amber-0001", None, "amber-0001"),
        ("amber-0001", "color", "amber"),
        ("-3", "parity", "odd"),
        ("12", "parity", "even"),
        ("amber-0001", "parity", None),
        ("item0001,item0002", "count", "2"),
        ("vega-001", "reports", None),
    ],
)
def test_the_answer_is_read_off_the_line(value: str, derived_op: str | None, read: str | None) -> None:
    assert answer(Entry("U000001", 1, "SET", "tag.00", value), derived_op) == read


def test_a_cleared_key_has_no_answer() -> None:
    assert answer(CLEAR, None) is None
    assert answer(CLEAR, "parity") is None
