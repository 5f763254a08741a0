"""Rows and documents read side by side, in any order, with few texts in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core import jsonl
from evaluation.core.errors import RowError
from evaluation.core.files.documents import form, reader
from evaluation.core.files.documents.reader import RECENT, Documents
from evaluation.core.sealing.keyed_ids import OPEN_KEY

TEXTS = [{"book": f"text {number}\n"} for number in range(9)]
NAMES = [form.name_of(texts, OPEN_KEY) for texts in TEXTS]


class File:
    """Lines of documents; records how often they were opened and how far they were read."""

    def __init__(self, lines: list[bytes]) -> None:
        self.lines, self.opened, self.read = lines, 0, 0

    def __call__(self) -> Iterator[tuple[int, bytes]]:
        self.opened += 1
        for number, line in enumerate(self.lines, 1):
            self.read += 1
            yield number, line + b"\n"

    def documents(self, **options: Any) -> Documents:
        return Documents(self, source="texts", **options)


def file(numbers: Any = range(9)) -> File:
    extra = {"canary": "GEB-CANARY-0123456789abcdef"}
    return File([form.document_line(NAMES[n], TEXTS[n], extra).ljust(100) for n in numbers])


@given(
    st.lists(st.integers(0, 8), max_size=40), st.permutations(range(9)), st.sampled_from([1, RECENT, None])
)
def test_rows_in_any_order_get_their_own_text(asked: list[int], stored: list[int], keep: int | None) -> None:
    opened = file(stored)
    rows = [{"id": f"r{place}", "document_id": NAMES[n]} for place, n in enumerate(asked)]
    found = list(reader.join(rows, opened.documents(keep=keep)))
    assert found == [{"id": f"r{place}", **TEXTS[n]} for place, n in enumerate(asked)]
    assert opened.opened <= 2


def test_rows_in_the_order_of_their_documents_read_each_once_and_no_further_than_needed() -> None:
    opened = file()
    documents = opened.documents(keep=1)
    for number in (0, 0, 2, 2, 5):
        assert documents.texts(NAMES[number]) == TEXTS[number]
    assert (opened.opened, opened.read) == (1, 6)
    documents.finish()
    assert (opened.opened, opened.read) == (1, 9)


def test_rows_without_a_document_open_none() -> None:
    opened = file()
    rows = [{"id": "r1", "book": "own"}, {"id": "r2", "document_id": "chapter 3"}]
    joined = reader.join(rows, opened.documents())
    assert [next(joined), next(joined)] == rows
    assert opened.opened == 0


def test_a_missing_document_is_named() -> None:
    with pytest.raises(RowError, match=f"texts: there is no document '{NAMES[7]}', but a row names it"):
        file(range(5)).documents().texts(NAMES[7])


@pytest.mark.parametrize("asked", [[0], [0, 8], []])
def test_a_document_that_stands_there_twice_is_refused_wherever_it_is(asked: list[int]) -> None:
    opened = file([0, 1, 2, 1, 8])
    rows = [{"id": "r", "document_id": NAMES[number]} for number in asked]
    with pytest.raises(RowError, match=rf"texts:4: the document '{NAMES[1]}' occurs twice"):
        list(reader.join(rows, opened.documents()))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"no json", "not JSON"),
        (b"[]", "must be a JSON object"),
        (b'{"book":"x"}', "no usable 'id'"),
        (b'{"id":7,"book":"x"}', "no usable 'id'"),
        (b'{"id":"%s"}' % NAMES[0].encode(), "has no text"),
        (b'{"id":"%s","book":7}' % NAMES[0].encode(), "has no text"),
        (b'{"id":"%s","book":"x' % NAMES[0].encode(), "not JSON"),
    ],
)
def test_a_damaged_line_is_named(line: bytes, reason: str) -> None:
    with pytest.raises(RowError, match=reason) as caught:
        File([line]).documents().texts(NAMES[0])
    assert (caught.value.path, caught.value.line) == ("texts", 1)


def test_an_id_in_another_place_or_spelling_is_found_too() -> None:
    lines = [
        b'{ "book": "a", "id": "%s"}' % NAMES[0].encode(),
        b'{"id":"\\u0064%s","book":"b"}' % NAMES[1][1:].encode(),
    ]
    documents = File(lines).documents()
    assert documents.texts(NAMES[0]) == {"book": "a"}
    assert documents.texts(NAMES[1]) == {"book": "b"}


def test_a_file_that_changes_between_two_passes_is_an_error() -> None:
    opened = file()
    documents = opened.documents(keep=1)
    for number in (0, 1):
        documents.texts(NAMES[number])
    del opened.lines[0]
    with pytest.raises(RowError, match="disappeared: the file was changed"):
        documents.texts(NAMES[0])


def test_what_is_read_is_json_of_the_line() -> None:
    line = form.document_line(NAMES[0], {"document": 'ä\n"x"'}, {})
    assert jsonl.parse(line) == {"id": NAMES[0], "document": 'ä\n"x"'}
    assert File([line]).documents().texts(NAMES[0]) == {"document": 'ä\n"x"'}
