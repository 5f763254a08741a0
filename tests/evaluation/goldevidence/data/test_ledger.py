"""Looking a line up in a ledger's text gives what parsing the whole ledger gives."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.goldevidence import generate
from evaluation.goldevidence.data.ledger import (
    Entry,
    book_ledger,
    latest,
    ledger_lines,
    log_ledger,
    parse_book,
    parse_log,
)

UIDS = st.sampled_from(["U000001", "U000002", "U00000A", "u000001", "U0001", "U000001] x", ""])
VALUES = st.sampled_from(
    [
        " = amber-0001",
        " = a = b  c ",
        "",
        " = ",
        " = [U000002] step=9 SET tag.00",
        " = - [U000002] step=9 NOTE tag.00 = v",
    ]
)
LINES = st.builds(
    "{}- [{}] step={} {} {}{}{}".format,
    st.sampled_from(["", " ", "x"]),
    UIDS,
    st.integers(0, 99),
    st.sampled_from(["SET", "CLEAR", "NOTE", "set"]),
    st.sampled_from(["tag.00", "tag.100", "tag.1", "tab.00"]),
    VALUES,
    st.sampled_from(["", " ", "\n"]),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(LINES, max_size=8), UIDS)
def test_a_line_is_found_as_the_whole_ledger_has_it(lines, uid: str) -> None:
    text = "\n".join(lines)
    parsed = {entry.uid: tuple(entry[1:]) for entry in parse_book("## State Ledger\n" + text)}
    assert ledger_lines(text).line(uid) == parsed.get(uid)


@settings(max_examples=300, deadline=None)
@given(st.lists(LINES, max_size=8), st.sampled_from(["tag.00", "tag.10", "tag.100", "tag.1", "tab.00", ""]))
def test_the_history_of_a_key_is_what_the_whole_ledger_says_of_it(lines, key: str) -> None:
    text = "\n".join(lines)
    entries = parse_book("## State Ledger\n" + text)
    assert ledger_lines(text).history(key) == [
        (entry.op, entry.value) for entry in entries if entry.key == key
    ]


@settings(max_examples=300, deadline=None)
@given(st.lists(LINES, max_size=8), st.sampled_from(["tag.00", "tag.10", "tag.100", "tag.1", "tab.00", ""]))
def test_a_key_has_a_note_where_the_whole_ledger_has_one(lines, key: str) -> None:
    text = "\n".join(lines)
    entries = parse_book("## State Ledger\n" + text)
    assert ledger_lines(text).has_note(key) == any(
        entry.key == key and entry.op == "NOTE" for entry in entries
    )


def test_log_and_book_of_an_episode_hold_the_same_lines() -> None:
    (row,) = list(generate({"episodes": 1, "steps": 60, "queries": 1, "twins": False, "chapters": 2}))
    entries = parse_book(row["book"])
    log, book = log_ledger(row["document"]), book_ledger(row["book"])
    assert log.entries() == book.entries() == entries == parse_log(row["document"])
    for entry in entries:
        assert log.line(entry.uid) == book.line(entry.uid) == entry[1:]
        history = [(other.op, other.value) for other in entries if other.key == entry.key]
        assert log.history(entry.key) == book.history(entry.key) == history
    assert book.line("U000000") is None
    assert book.history("tag.99") == []


def test_a_ledger_without_its_heading_holds_nothing() -> None:
    line = "- [U000001] UPDATE step=1 SET tag.00 = v"
    assert log_ledger(line).entries() == []
    assert book_ledger(line.replace("UPDATE ", "")).line("U000001") is None


def test_entries_render_as_they_are_read() -> None:
    entries = [Entry("U000001", 1, "SET", "tag.100", "v = w"), Entry("U000002", 2, "CLEAR", "tag.00", None)]
    assert ledger_lines("\n".join(entry.line() for entry in entries)).entries() == entries


def test_the_latest_entry_is_the_later_line_of_the_greatest_step() -> None:
    entries = [
        Entry("U000001", 5, "SET", "tag.00", "a"),
        Entry("U000002", 5, "SET", "tag.00", "b"),
        Entry("U000003", 9, "NOTE", "tag.00", "c"),
        Entry("U000004", 1, "SET", "tag.00", "d"),
    ]
    assert latest(entries, "tag.00") == entries[1]
    assert latest(entries, "tag.00", authoritative=False) == entries[2]
    assert latest(entries, "tag.01") is None


def test_line_ends_of_windows_change_nothing() -> None:
    settings = {"episodes": 1, "steps": 60, "queries": 1, "twins": False, "chapters": 2, "clear_rate": 0.3}
    (row,) = list(generate(settings))
    book, document = (row[name].replace("\n", "\r\n") for name in ("book", "document"))
    entries = parse_book(row["book"])
    assert any(entry.op == "CLEAR" for entry in entries)
    assert parse_book(book) == parse_log(document) == entries
    assert book_ledger(book).entries() == log_ledger(document).entries() == entries
    for entry in entries:
        assert book_ledger(book).line(entry.uid) == entry[1:]
