"""Addresses, API fields, options, environment names and file formats keep their names.

`python -m tests.interface` records new ones.
"""

from __future__ import annotations

from functools import cache

import pytest

from tests.interface.lists import LISTS, NEEDS, gone, idle, kept, merged, newly_needed
from tests.interface.removed_on_purpose import REMOVED


@cache
def now(name: str) -> frozenset[str]:
    return frozenset(LISTS[name]())


@pytest.mark.parametrize("name", LISTS)
def test_no_word_vanishes_or_changes_its_type(name: str) -> None:
    assert kept(name)
    assert gone(name, set(now(name)), REMOVED) == []


@pytest.mark.parametrize("name", LISTS)
def test_nothing_has_to_be_sent_that_could_be_left_out(name: str) -> None:
    assert newly_needed(name, set(now(name)), REMOVED) == []


def test_the_list_of_words_removed_on_purpose_is_true() -> None:
    assert idle(REMOVED) == []


def test_writing_a_list_adds_lines_and_drops_none_but_needs() -> None:
    stay = {line for line in kept("commands") if not line.startswith(NEEDS)}
    new = {"goldevidencebench frobnicate", "needs goldevidencebench frobnicate --out VALUE"}
    assert set(merged("commands", new)) == stay | new


def test_a_vanished_word_is_told_with_what_stands_in_its_place() -> None:
    words = set(kept("api"))
    line = next(line for line in words if line.endswith(".headline.value: null or number, always"))
    other = line.replace("null or number", "string")
    assert gone("api", words - {line} | {other}, {}) == [f"{line}   (now: {other})"]
    assert gone("api", words - {line}, {"*.headline.value: *": "a reason"}) == []


def test_a_word_that_comes_is_no_fault_unless_it_has_to_be_sent() -> None:
    words = set(kept("commands"))
    more = {"goldevidencebench submit --licence VALUE", "goldevidencebench frobnicate"}
    assert gone("commands", words | more, {}) == []
    assert newly_needed("commands", words | {"needs goldevidencebench frobnicate --out VALUE"}, {}) == []
    asked = "needs goldevidencebench submit --licence VALUE"
    assert newly_needed("commands", words | {asked}, {}) == [asked]
