"""Numbers with singular and plural words."""

from __future__ import annotations

import pytest

from evaluation.core.terminal.wording import noun, number_of


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 rows"), (1, "1 row"), (2, "2 rows"), (12345, "12,345 rows")]
)
def test_a_number_comes_with_the_word_that_belongs_to_it(count: int, text: str) -> None:
    assert number_of(count, "row") == text


def test_a_word_may_have_a_plural_of_its_own() -> None:
    assert number_of(2, "query", "queries") == "2 queries"
    assert noun(1, "does", "do") == "does"
