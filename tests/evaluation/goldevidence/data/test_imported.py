"""Rows of an imported data set: an invalid row is named by its number, wherever it is in its unit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from evaluation.core.errors import RowError
from evaluation.goldevidence.suite import SUITE

Rows = list[dict[str, Any]]
SETTINGS = {"generator": {"episodes": 3, "steps": 24, "queries": 4, "keys": 4, "chapters": 2, "twins": True}}


@pytest.fixture
def rows() -> Rows:
    """Three units of eight rows each: four questions of an episode and of its twin."""
    return [row for item in SUITE.version(SETTINGS).generate() for row in item.rows]


def without(name: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda row: {key: value for key, value in row.items() if key != name}


@pytest.mark.parametrize("number", [1, 2, 8, 9, 13, 24])
@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (without("gold"), "no usable 'gold'"),
        (without("meta"), "no usable 'meta'"),
        (without("question"), "no usable 'question'"),
        (lambda row: row | {"id": 7}, "no usable 'id'"),
        (lambda row: without("document")(without("book")(row)), "no usable 'document'"),
        (lambda row: row | {"candidates": [{"uid": "x"}]}, "candidate"),
    ],
)
def test_the_row_that_is_wrong_is_named(rows: Rows, number: int, spoil: Any, words: str) -> None:
    rows[number - 1] = spoil(rows[number - 1])
    with pytest.raises(RowError, match=words) as refused:
        list(SUITE.version(SETTINGS).items_from_rows(rows))
    assert refused.value.line == number


def test_a_row_of_another_form_is_named_and_not_a_traceback(rows: Rows) -> None:
    rows[10]["gold"] = {"value": "x", "support_ids": [[]]}
    rows[10]["meta"] = {"twin_group": ["E0002"], "q_index": {}}
    with pytest.raises(RowError) as refused:
        list(SUITE.version(SETTINGS).items_from_rows(rows))
    assert refused.value.line


def test_an_id_that_stands_twice_is_named_where_it_stands_again(rows: Rows) -> None:
    rows[20]["id"] = rows[3]["id"]
    with pytest.raises(RowError, match="duplicate row id") as refused:
        list(SUITE.version(SETTINGS).items_from_rows(rows))
    assert refused.value.line == 21


def test_rows_before_the_wrong_unit_have_been_yielded_by_then(rows: Rows) -> None:
    rows[20]["gold"] = None
    result = SUITE.version(SETTINGS).items_from_rows(rows)
    assert [next(result).key, next(result).key] == [
        rows[0]["meta"]["twin_group"],
        rows[8]["meta"]["twin_group"],
    ]
    with pytest.raises(RowError):
        next(result)


def test_a_book_that_is_none_is_refused_with_its_line(rows: Rows) -> None:
    rows[8]["book"] = rows[8]["book"].replace("## Glossary (Tags)", "## Glossary")
    with pytest.raises(
        RowError, match=rf"row '{rows[8]['id']}' has a book that is not valid: line \d+: `## Glossary"
    ) as refused:
        list(SUITE.version(SETTINGS).items_from_rows(rows))
    assert refused.value.line == 9


def test_a_set_of_nothing_as_the_reference_writes_it_is_let_pass(rows: Rows) -> None:
    for row in rows[:4]:
        row["book"] += "- [U0000FF] step=999 SET tag.00 = \n"
    assert len(list(SUITE.version(SETTINGS).items_from_rows(rows))) == 3
