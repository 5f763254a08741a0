"""Amounts: what numbers count, and whether one could replace another."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.statebench.detection.learned.amounts import amounts, best_fit
from evaluation.statebench.detection.learned.quantities import quantities


@pytest.mark.parametrize(
    ("text", "sort"),
    [
        ("half past two", "clock"),
        ("17:40", "clock"),
        ("5 pm", "clock"),
        ("friday", "day"),
        ("12 may", "date"),
        ("the ninth", "date"),
        ("£2.40", "money"),
        ("two grand", "money"),
        ("15%", "percent"),
        ("c25", "code"),
        ("40 boxes", "count"),
        ("sixty", "bare"),
    ],
)
def test_a_number_is_known_by_what_stands_around_it(text: str, sort: str):
    assert sort in [one.sort for one in amounts(text)]


def test_of_several_new_numbers_the_one_that_measures_the_same_fits_best():
    held = amounts("230 v")
    assert best_fit((held, amounts("meter's showing 241"))) == ("like", "close", "none")
    assert best_fit((held, amounts("at 9:30 it read 241 v"))) == ("same", "close", "held")


def test_what_is_held_already_is_no_news():
    assert best_fit((amounts("19 degrees"), amounts("nineteen, as we agreed"))) is None


@given(st.text(alphabet="0123456789 .:,%£abchmnotx'-", max_size=40))
def test_amounts_are_the_quantities_of_a_text(text: str):
    assert {one.form for one in amounts(text)} == quantities(text)
