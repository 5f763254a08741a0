"""The order in which rows are asked: rows with a common beginning together, none left out."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from evaluation.goldevidence.adapters.shown import batches_of_shown
from tests.evaluation.conftest import ENTRIES, condition_row, make_row


def whole(name: str, book: str, question: str) -> dict[str, Any]:
    return make_row() | {"id": name, "episode_id": book, "book": book, "question": question}


def shown_alone(name: str, first: int, question: str = "Q?") -> dict[str, Any]:
    return condition_row(candidates=[ENTRIES[first], ENTRIES[3]]) | {"id": name, "question": question}


def asked(rows: list[Any], size: int = 1) -> list[list[str]]:
    return [[row["id"] for row in batch] for batch in batches_of_shown(rows, size)]


def test_questions_about_one_book_come_together_and_by_what_they_begin_with() -> None:
    rows = [
        whole("1", "X", "What is b?"),
        whole("2", "Y", "Is c?"),
        whole("3", "X", "What is a?"),
        whole("4", "Y", "Is c?"),
    ]
    assert asked(rows) == [["3"], ["1"], ["2"], ["4"]]
    assert asked(rows, 4) == [["3", "1"], ["2", "4"]]


def test_candidates_come_after_books_and_by_their_first_line() -> None:
    rows = [shown_alone("1", 2), whole("2", "X", "What?"), shown_alone("3", 0), shown_alone("4", 2)]
    assert asked(rows) == [["2"], ["3"], ["1"], ["4"]]


@given(
    st.lists(st.tuples(st.sampled_from("XY"), st.sampled_from("abc"), st.booleans()), max_size=12),
    st.integers(1, 4),
)
def test_every_row_is_asked_once_and_a_batch_is_about_one_book(chosen, size) -> None:
    rows = [
        shown_alone(str(number), 0, question) if few else whole(str(number), book, question)
        for number, (book, question, few) in enumerate(chosen)
    ]
    batches = list(batches_of_shown(rows, size))
    assert sorted(row["id"] for batch in batches for row in batch) == sorted(row["id"] for row in rows)
    assert all(0 < len(batch) <= size for batch in batches)
    assert all(len({row.get("book") for row in batch if not row.get("candidates")}) <= 1 for batch in batches)
