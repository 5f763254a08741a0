"""Reading the key and the text of a fact."""

from __future__ import annotations

import pytest

from evaluation.statebench.facts.fact_text import fact_text, spoken_absence


@pytest.mark.parametrize(
    ("key", "value", "spoken"),
    [
        ("committed_deadline", "None", "no committed deadline"),
        ("global_open_tickets", "None pending", "no pending tickets"),
        ("price", "$5", None),
        ("note", "None of them came by, she said", None),
    ],
)
def test_an_absence_is_put_into_words(key, value, spoken):
    assert spoken_absence(key, value) == spoken


def test_a_line_has_the_value_verbatim_and_an_absence_in_words():
    assert fact_text(("price_v2", "$5 a head")).line == "price_v2: $5 a head"
    assert fact_text(("open_tickets", "None")).line == "open_tickets: None (no open tickets)"


def test_the_same_key_and_text_are_read_once():
    assert fact_text(("venue", "Hall A")) is fact_text(("venue", "Hall A"))
    assert fact_text(("venue", "Hall A")).stems == {"venu", "hall"}
