"""A row and its long texts: separated, joined, truncated."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.files.documents import form
from evaluation.core.sealing.keyed_ids import OPEN_KEY, is_keyed, is_keyed_document, new_key

SHARED = ("document", "book")
TEXT = st.text(min_size=1, max_size=30)
ROWS = st.fixed_dictionaries(
    {"id": TEXT, "question": TEXT},
    optional={"document": st.text(max_size=30), "book": TEXT, "meta": st.dictionaries(TEXT, st.integers())},
)


@given(ROWS)
def test_a_row_is_the_same_after_it_was_parted_and_joined(row: dict[str, Any]) -> None:
    texts = form.texts_of(row, SHARED)
    short = form.parted(row, texts, form.name_of(texts, OPEN_KEY))
    assert not short.keys() & texts.keys()
    assert form.joined(short, texts) == row
    assert (form.document_named(short) is None) == (not texts)


def test_the_name_stands_where_the_text_stood_and_the_order_of_fields_comes_back() -> None:
    row = {"id": "r1", "book": "long", "question": "?"}
    short = form.parted(row, {"book": "long"}, "d" + "0" * 12)
    assert list(short) == ["id", "document_id", "question"]
    assert list(form.joined(short, {"book": "long"})) == list(row)


@given(
    st.dictionaries(TEXT, TEXT, min_size=1, max_size=2), st.dictionaries(TEXT, TEXT, min_size=1, max_size=2)
)
def test_two_documents_have_one_name_where_they_hold_the_same(first: Any, second: Any) -> None:
    name = form.name_of(first, OPEN_KEY)
    assert is_keyed_document(name)
    assert not is_keyed(name)
    assert (name == form.name_of(second, OPEN_KEY)) == (list(first.items()) == list(second.items()))
    assert name != form.name_of(first, new_key())


@pytest.mark.parametrize("own", [None, 7, "", "chapter 3", "d123"])
def test_a_field_of_that_name_that_is_no_id_of_ours_is_the_rows_own(own: Any) -> None:
    assert form.document_named({"id": "r1", "document_id": own}) is None


@given(st.text(alphabet="ab\n", max_size=400), st.integers(2, 100))
def test_a_cut_text_says_so_keeps_beginning_and_end_and_counts_what_is_left_out(text: str, most: int) -> None:
    shown = form.cut_text(text, most)
    if len(text) <= most:
        assert shown == text
        return
    head, _, rest = shown.partition("\n[… cut here: ")
    left_out, _, tail = rest.partition(f" of {len(text):,} characters are left out …]\n\n")
    assert text.startswith(head)
    assert text.endswith(tail)
    assert len(head) + len(tail) <= most
    assert int(left_out.replace(",", "")) == len(text) - len(head) - len(tail)


def test_only_what_rows_share_is_cut_and_a_short_row_is_the_row_itself() -> None:
    row = {"id": "r1", "book": "line\n" * 100, "question": "?" * 500}
    assert form.cut(row, SHARED, most=1_000) is row
    cut = form.cut(row, SHARED, most=100)
    assert "405 of 500 characters are left out" in cut["book"]
    assert cut["question"] == row["question"]
