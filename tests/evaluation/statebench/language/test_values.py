"""Typed values: equality across spellings, conflict within a kind."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.statebench.language.values import find_values


def only(text: str):
    (value,) = find_values(text)
    return value


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("$50,000", "$50k"),
        ("$1.5 million", "$1,500,000"),
        ("15%", "15 percent"),
        ("3 pm", "3:00 PM"),
        ("noon", "12:00"),
        ("March 1st", "1 March"),
        ("Thursday", "thu"),
        ("three days", "3 days"),
    ],
)
def test_spellings_of_one_value_are_the_same(one, other):
    assert only(one).is_same(only(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [("$5", "$6"), ("Monday", "Friday"), ("2pm", "3pm"), ("4 days", "5 days"), ("7 Elm", "9 Oak")],
)
def test_different_values_of_one_kind_conflict(one, other):
    assert only(one).conflicts(only(other))


@pytest.mark.parametrize(
    ("one", "other"), [("$5", "5%"), ("4 days", "5 people"), ("#12", "#13"), ("$5", "$5.00")]
)
def test_other_kinds_units_and_codes_do_not_conflict(one, other):
    assert not only(one).conflicts(only(other))


@given(st.text(max_size=80))
def test_any_text_can_be_read(text):
    for value in find_values(text):
        assert value.text in text
        assert value.is_same(value)
        assert not value.conflicts(value)
