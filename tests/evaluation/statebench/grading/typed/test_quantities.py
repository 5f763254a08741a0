"""Values are compared by their meaning, however they are written."""

from __future__ import annotations

import string
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.statebench.grading.typed.quantities import fold, number, quantity, same_value

SAME = [
    ("$12,000", "12000 dollars"), ("$12k", "$12,000.00"), ("12 thousand dollars", "$12,000"),
    ("twelve thousand dollars", "USD 12,000"), ("$1.2 million", "1,200,000 dollars"), ("€5m", "5 million euros"),
    ("half a million dollars", "$500,000"), ("US$5", "5 bucks"), ("$12", "12"), ("$50 per month", "$50/month"),
    ("$50 a month", "$50"), ("25%", "twenty-five percent"), ("25 per cent", "25%"), ("25", "25%"),
    ("14 days", "2 weeks"), ("two weeks", "14-day"), ("a fortnight", "14 days"), ("90 minutes", "1.5 hours"),
    ("an hour and a half", "1 hour 30 minutes"), ("half an hour", "30 min"), ("24h", "1 day"),
    ("1 year", "12 months"), ("five business days", "5 working days"), ("14 days", "14"),
    ("two and a half weeks", "17.5 days"), ("June 14", "14 June 2026"), ("June 14", "the 14th of June"),
    ("2026-06-14", "June 14th"), ("Sunday, June 14", "June 14"), ("Sept 3", "September 3rd"),
    ("June 14 at 3pm", "14 June, 15:00"), ("2026-06-14T15:00Z", "June 14, 3pm"), ("Friday", "on Fri"),
    ("3pm", "15:00"), ("3:00 p.m.", "3 pm"), ("half past two", "14:30"), ("quarter to three", "2:45"),
    ("3 o'clock", "15:00"), ("9am ET", "9:00"), ("noon", "12:00"), ("12 seats", "twelve seats"), ("12", "12 seats"),
    ("a dozen", "12"), ("one hundred and fifty seats", "150 seats"), ("Dr. Ines Ferreira", "ines ferreira"),
    ("José", "Jose"), ("the Acme contract", "Acme contract"), ("Acme's plan", "Acme plan"), ("R&D", "r and d"),
]  # fmt: skip
DIFFERENT = [
    ("$12,000", "€12,000"), ("$50 per month", "$50 per year"), ("25%", "25 dollars"), ("25%", "0.25"),
    ("14 days", "14 weeks"), ("1 month", "30 days"), ("5 days", "5 business days"), ("14", "2 weeks"),
    ("June 14", "June 15"), ("June 14", "July 14"), ("June 14, 2025", "June 14, 2026"), ("June 14", "June"),
    ("Friday", "June 14"), ("Friday", "Monday"), ("May", "March"), ("3pm", "3am"), ("15:00", "3am"),
    ("half past two", "2:15"), ("June 14", "June 14 at 3pm"), ("12 seats", "12 licences"),
    ("12 Mill Lane", "12 Oak Lane"), ("12 Mill Lane", "12"), ("five five", "55"), ("Ines", "Inez"),
    ("Maria", "March"), ("Ines Ferreira", "Ines"), ("", ""), ("?", "!"), ("$12,000", "about $12,000"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), SAME)
def test_two_ways_to_say_a_value_are_one(one, other):
    assert same_value(one, other)
    assert same_value(other, one)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_two_values_are_two(one, other):
    assert not same_value(one, other)
    assert not same_value(other, one)


@given(st.text(max_size=60))
def test_any_text_with_a_word_is_the_same_as_itself_and_none_is_refused(text):
    has_word = any(letter.isalnum() or letter == "&" for letter in fold(text))  # "&" reads as "and"
    assert same_value(text, text) == has_word or quantity(text)


@given(st.integers(0, 10**9), st.sampled_from(("$", "€", "£")))
def test_money_is_compared_to_the_cent(amount, sign):
    assert same_value(f"{sign}{amount / 100:,.2f}", f"{sign} {amount / 100:.2f}")
    assert not same_value(f"{sign}{amount / 100:.2f}", f"{sign}{(amount + 1) / 100:.2f}")


@given(st.integers(1, 400))
def test_weeks_are_seven_days(weeks):
    assert same_value(f"{weeks} weeks", f"{7 * weeks} days")
    assert not same_value(f"{weeks} weeks", f"{7 * weeks + 1} days")


@given(st.integers(0, 23), st.integers(0, 59))
def test_a_time_is_the_same_on_both_clocks(hour, minute):
    half = "pm" if hour >= 12 else "am"
    assert same_value(f"{hour}:{minute:02}", f"{hour % 12 or 12}:{minute:02} {half}")


@given(st.dates())
def test_a_date_is_the_same_in_every_spelling(date):
    spelled = f"{date:%B} {date.day}, {date.year:04}"
    assert same_value(date.isoformat(), spelled)
    assert same_value(spelled, f"{date.day} {date:%b}")


@given(st.text(string.ascii_letters + " ", max_size=20))
def test_case_and_articles_of_a_name_do_not_count(rest):
    assert same_value(f"The Q{rest}", f"Q{rest}".upper())


@pytest.mark.parametrize(
    ("text", "value"),
    [("12k", 12_000), ("-3", -3), ("ninety-nine", 99), ("two hundred five", 205), ("2.5", Fraction(5, 2)),
     ("three million", 3_000_000), ("a hundred", 100), ("two dozen", 24), ("one two", None), ("many", None)],
)  # fmt: skip
def test_numbers_are_read_exactly(text, value):
    assert number(text) == value


@pytest.mark.parametrize("day", "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split())
def test_a_weekday_is_the_same_in_full_and_in_short(day):
    assert same_value(day, day[:3])
    assert same_value(day, day.lower())
