"""Numbers, times and dates in one form."""

from __future__ import annotations

import pytest

from evaluation.statebench.detection.learned.amounts import amounts, best_fit
from evaluation.statebench.detection.learned.quantities import quantities


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("half three", "15:30"),
        ("quarter to eight", "7.45pm"),
        ("half past seven", "7:30"),
        ("eight o'clock", "20:00"),
        ("thirty-two hundred", "$3,200"),
        ("two hundred and fifty", "250"),
        ("four-eighty", "£4.80"),
        ("two grand", "2,000"),
        ("2.5k", "2,500"),
        ("nineteen ninety-four", "1994"),
        ("the twelfth of november", "12 november"),
        ("forty-five", "45"),
    ],
)
def test_a_number_in_words_is_the_same_in_digits(one: str, other: str):
    assert quantities(one) == quantities(other) != frozenset()


def test_other_numbers_and_days_are_told_apart():
    assert quantities("half two") != quantities("half three")
    assert quantities("monday at 9") == {"mon", "9"}


@pytest.mark.parametrize("text", ["", "the red one", "may i ask", "a quarter", "half of it"])
def test_words_that_count_nothing_are_no_numbers(text: str):
    assert quantities(text) == frozenset()


@pytest.mark.parametrize("text", ["10.0.0.5:8080", "3h30.5", "1.2:30"])
def test_an_address_is_one_word_and_no_time(text: str):
    assert quantities(f"it runs at {text}") == {text}


@pytest.mark.parametrize(
    "text", ["9" * 5000, "half " + "9" * 5000, "one" + " million" * 2000, "7" * 400 + " million"]
)
def test_numbers_without_end_are_read_and_compared(text: str):
    assert quantities(text)
    assert best_fit((amounts("by 7"), amounts(f"by {text}"))) is not None
