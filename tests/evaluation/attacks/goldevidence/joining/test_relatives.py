"""If rows share ids, a twin's value, a line that some rows lack, or a shorter text's answer reveals a line."""

from __future__ import annotations

from evaluation.attacks.goldevidence.joining.notes import NO_TEXT, FileNotes, NotedRow
from evaluation.attacks.goldevidence.joining.relatives import (
    carried_joiner,
    difference_joiner,
    differing,
    missing,
    missing_joiner,
)
from evaluation.goldevidence.data.ledger import Entry

OLD = Entry("U000001", 3, "SET", "tag.01", "amber-0001")
OLDER = Entry("U000002", 2, "SET", "tag.01", "amber-0002")
NEW = Entry("U000003", 9, "SET", "tag.01", "teal-0003")


def row(name: str, *lines: Entry, text: int = NO_TEXT, length: str = "") -> NotedRow:
    """A row whose lines are all about its tag."""
    return NotedRow(name, ("What?", len(lines)), 7, None, lines, range(len(lines)), text, 0, length)


def notes(*rows: NotedRow) -> FileNotes:
    """Notes of some rows, without statistics of their words."""
    known = FileNotes()
    known.rows = list(rows)
    known.__dict__["by_overlap"] = [[number] for number in range(len(rows))]
    return known


def test_the_line_with_another_value_in_the_twin_is_taken_on_both_sides() -> None:
    twins = notes(row("a", OLD, NEW), row("b", NEW._replace(value="jade-0009"), OLD))
    assert [answer["value"] for answer in difference_joiner(twins, ())] == ["teal-0003", "jade-0009"]


def test_of_rows_joined_by_words_the_one_place_that_differs_is_taken() -> None:
    other = [OLD._replace(uid="U0000AA"), NEW._replace(uid="U0000BB", value="jade-0009")]
    twins = notes(row("a", OLD, NEW), row("b", *other))
    assert differing(twins) == {}
    twins.__dict__["by_overlap"] = [[0, 1]]
    assert differing(twins) == {0: 1, 1: 1}


def test_a_row_without_the_line_that_most_rows_show_is_answered_by_nothing() -> None:
    dropped = row("c", OLD, OLDER)
    rows = (row("a", OLD, NEW), row("b", NEW, OLD), dropped)
    assert missing(rows) == {"U000003"}
    assert [answer["value"] for answer in missing_joiner(notes(*rows), ())] == [
        "teal-0003",
        "teal-0003",
        None,
    ]


def test_rows_that_show_fewer_lines_lack_none() -> None:
    assert missing((row("a", OLD, NEW), row("b", NEW))) == set()


def test_a_longer_text_is_answered_as_the_shortest_one_with_a_line_of_its_own_in_common() -> None:
    short = row("a", OLD, NEW, text=0, length="1k")
    longer = row("b", OLD, NEW, text=1, length="8k")
    stranger = row("c", OLD._replace(uid="U0000CC"), text=2, length="8k")
    answers = list(carried_joiner(notes(longer, stranger, short), ()))
    by_name = {answer["id"]: answer["support_ids"] for answer in answers}
    assert by_name["b"] == ["U000003"]
    assert by_name["c"] == ["U0000CC"]
