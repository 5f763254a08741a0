"""The text of a cell: that of its protocol alone, its end, candidates without NOTEs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.goldevidence.adapters.within import words_shown
from evaluation.goldevidence.artifacts.check import count_words
from evaluation.goldevidence.conditions.conditions import Condition
from evaluation.goldevidence.data.ledger import LEDGER_HEADING, parse_book, parse_log
from evaluation.goldevidence.experiments.sweep.grid import View
from evaluation.goldevidence.experiments.sweep.views import asked_rows, data_rows
from evaluation.goldevidence.generator.episodes import generate_units
from tests.evaluation.goldevidence.experiments.sweep.cast import CONFIG

UNITS = list(generate_units(CONFIG.having(steps=80), 0))
NOTES = list(generate_units(CONFIG.having(steps=80, state_mode="kv_commentary", note_rate=0.4), 0))
HEADING = count_words(LEDGER_HEADING)


@pytest.mark.parametrize(
    ("protocol", "shown", "hidden"),
    [("closed", "book", "document"), ("open", "document", "book"), ("build", "document", "book")],
)
def test_a_system_is_handed_the_text_of_the_protocol_and_no_gold(protocol, shown, hidden) -> None:
    rows = data_rows(UNITS, View(), protocol, 0)
    assert all({"book", "document", "gold"} <= row.keys() for row in rows)
    for asked in asked_rows(rows, View()):
        assert shown in asked
        assert not {hidden, "gold"} & asked.keys()


@given(st.integers(1, 2000))
def test_a_budget_keeps_the_end_of_the_ledger(limit: int) -> None:
    rows = data_rows(UNITS, View(), "closed", 0)
    (whole,) = {row["book"] for row in rows}
    (kept,) = {row["book"] for row in asked_rows(rows, View(max_book_tokens=limit))}
    entries = parse_book(kept)
    assert entries == parse_book(whole)[len(parse_book(whole)) - len(entries) :]
    assert count_words(kept) <= limit + HEADING or kept == whole


@given(st.integers(1, 2000))
def test_a_budget_keeps_the_end_of_a_log(limit: int) -> None:
    rows = data_rows(UNITS, View(), "open", 0)
    (kept,) = {row["document"] for row in asked_rows(rows, View(max_book_tokens=limit))}
    whole = parse_log(rows[0]["document"])
    assert parse_log(kept) == whole[len(whole) - len(parse_log(kept)) :]
    assert count_words(kept) <= limit


def test_the_filter_leaves_no_note_among_the_candidates() -> None:
    condition = Condition.from_json({"k": 4})
    plain, filtered = (data_rows(NOTES, View(condition, gate), "closed", 0) for gate in (False, True))
    assert any(line["op"] == "NOTE" for row in plain for line in row["candidates"])
    assert not any(line["op"] == "NOTE" for row in filtered for line in row["candidates"])
    assert [row["id"] for row in plain] == [row["id"] for row in filtered]
    assert all(row["gold"]["present"] for row in filtered)


def test_the_words_of_a_text_count_for_each_row_that_shows_it() -> None:
    asked = list(asked_rows(data_rows(UNITS, View(), "closed", 0), View()))
    assert words_shown(asked) == len(asked) * count_words(asked[0]["book"])
