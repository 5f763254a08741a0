"""The expected answers, from grading records and from public rows alike."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.errors import RowError
from evaluation.goldevidence.data.rubrics import DEFAULT_SUPPORT_K
from evaluation.goldevidence.expected import expected_of, ledgers_of
from evaluation.goldevidence.presets import Settings
from evaluation.goldevidence.suite import SUITE

FIELDS = ("id", "meta", "book", "rows", "ledgers")
SMALL = Settings.from_json(
    {"generator": {"episodes": 2, "steps": 12, "keys": 3, "queries": 2, "twins": False}}
).as_json()


def test_records_and_public_rows_expect_the_same_ids_and_splits() -> None:
    items = list(SUITE.version(SMALL).generate())
    rows = [SUITE.public_row(row) for item in items for row in item.rows]
    from_records = expected_of(item.gold for item in items)
    assert dict(from_records.splits) == dict(expected_of(rows).splits)
    assert len(from_records.splits) == len(rows) > 0


def test_a_public_row_says_how_many_citations_count_and_a_record_does_not() -> None:
    row = {"id": "a", "book": "", "meta": {}}
    assert expected_of([row]).citations == DEFAULT_SUPPORT_K
    assert expected_of([row | {"meta": {"max_support_k": 7}}, row]).citations == 7
    assert expected_of([row | {"meta": {"requires_citation": False}}]).citations is None
    assert expected_of([next(iter(SUITE.version(SMALL).generate())).gold]).citations is None


def test_the_ledgers_of_a_record_are_named_by_their_episodes() -> None:
    record = {"episodes": ["E0", "E1"], "ledgers": ["first", "second"], "rows": []}
    assert dict(ledgers_of([record])) == {"E0": "first", "E1": "second"}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"id": 3}, "no usable 'id'"),
        ({"id": "a", "meta": []}, "'a' has no usable 'meta'"),
        ({"id": "a", "meta": {"condition": 4}}, "'a' has no usable 'condition'"),
    ],
)
def test_a_row_that_cannot_be_read_is_named(row, message) -> None:
    with pytest.raises(RowError, match=message):
        expected_of([row])


@given(st.dictionaries(st.sampled_from(FIELDS), st.none() | st.text("ab", max_size=3) | st.integers()))
def test_a_row_of_any_form_is_expected_or_refused(row) -> None:
    with contextlib.suppress(RowError):
        assert len(expected_of([row]).splits) <= 1
