"""Leaving out parts of a text that does not fit."""

from __future__ import annotations

import pytest

from evaluation.core.errors import SettingsError
from evaluation.goldevidence.adapters.llama_cpp import LlamaSettings
from evaluation.goldevidence.adapters.prompts.truncation import fit, told_of
from evaluation.goldevidence.adapters.shown import Shown, shown
from evaluation.goldevidence.data.ledger import LEDGER_HEADING, Entry
from tests.evaluation.conftest import make_row

QUESTION = "What is the current value of tag.01?"


def test_what_fits_is_not_touched() -> None:
    seen = shown(make_row(), "closed_book")
    assert fit(seen, QUESTION, room=10_000, count=len, truncation="recent") == (seen, 0)


def test_a_long_book_is_cut_to_its_ledger_first() -> None:
    seen = shown(make_row(), "closed_book")
    kept, left_out = fit(seen, QUESTION, room=len(seen.text) - 1, count=len, truncation="recent")
    assert kept.text.startswith(LEDGER_HEADING)
    assert kept.entries == seen.entries
    assert left_out == len(seen.text.splitlines()) - len(kept.text.splitlines())


def test_then_the_most_recent_lines_are_kept_in_order_whatever_is_asked() -> None:
    kept, left_out = fit(shown(make_row(), "open_book"), QUESTION, room=110, count=len, truncation="recent")
    assert kept.ids == ["U000005", "U000006"]
    assert left_out == len(shown(make_row(), "open_book").text.splitlines()) - 2


def test_by_key_keeps_the_lines_of_the_asked_key_and_calls_itself_a_retriever() -> None:
    kept, left_out = fit(shown(make_row(), "open_book"), QUESTION, room=110, count=len, truncation="by_key")
    assert kept.ids == ["U000002", "U000005"]
    assert left_out == len(shown(make_row(), "open_book").text.splitlines()) - 2
    assert told_of("by_key") == {"retriever": "by-key retriever"}
    assert told_of("recent") == {}


def test_none_cuts_nothing_and_leaves_nothing_of_what_does_not_fit() -> None:
    seen = shown(make_row(), "open_book")
    assert fit(seen, QUESTION, room=10_000, count=len, truncation="none") == (seen, 0)
    kept, left_out = fit(seen, QUESTION, room=110, count=len, truncation="none")
    assert (kept.text, kept.ids) == ("", [])
    assert left_out == len(seen.text.splitlines())
    assert told_of("none") == {}


def test_a_book_in_sentences_is_cut_to_its_last_ones() -> None:
    entries = tuple(Entry(f"U00000{n}", n, "SET", "tag.01", f"teal-000{n}") for n in range(1, 6))
    told = "\n".join(f"{entry.value} was entered for tag.01 ({entry.uid})." for entry in entries)
    seen = Shown("book", f"# Book\n\n## Reading Rules\n- Sentences count.\n\n## Chapter 1\n{told}", entries)
    kept, _ = fit(seen, QUESTION, room=100, count=len, truncation="recent")
    assert kept.ids == ["U000004", "U000005"]
    assert kept.text == "\n".join(told.splitlines()[-2:])


def test_the_old_name_is_read_as_the_new_one() -> None:
    assert LlamaSettings(truncation="key_aware").truncation == "by_key"
    assert LlamaSettings().truncation == "recent"
    with pytest.raises(SettingsError, match="recent, by_key"):
        LlamaSettings(truncation="key")
