"""How questions name their tags: each description fits exactly one."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.goldevidence import generate
from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.generator.difficulty.naming import descriptions_of, resolve
from evaluation.goldevidence.generator.difficulty.reading import Reading, read_text
from evaluation.goldevidence.generator.queries import asked_key
from tests.evaluation.goldevidence.generator.difficulty.test_difficulty import EACH, SMALL, difficult

ENTRIES = [
    Entry("U000001", 1, "SET", "tag.00", "teal-0001"),
    Entry("U000002", 2, "SET", "tag.01", "jade-0002"),
    Entry("U000003", 3, "NOTE", "tag.03", "jade-0003"),
    Entry("U000004", 4, "CLEAR", "tag.00", None),
    Entry("U000005", 5, "SET", "tag.02", "jade-0004"),
]
READING = Reading(ENTRIES, {"the old gauge": "tag.02"}, {1: "tag.00", 2: "tag.01"})


@pytest.mark.parametrize(
    ("phrase", "key"),
    [
        ("the tag named first in chapter 2", "tag.01"),
        ("the tag that was updated right after tag.00 was cleared", "tag.02"),
        ("the tag that was updated right after tag.00 was set for the first time", "tag.01"),
        ("the tag that was updated right after the last update of tag.00", "tag.02"),
        ("the old gauge", "tag.02"),
        ("the tag named first in chapter 9", None),
        ("the tag that was updated right after the last update of tag.02", None),
        ("the new gauge", None),
    ],
)
def test_a_phrase_means_the_tag_that_fits_it(phrase: str, key: str | None) -> None:
    assert resolve(phrase, READING) == key


def test_a_tag_that_was_cleared_twice_or_in_one_world_only_is_no_landmark() -> None:
    twice = [*ENTRIES, ENTRIES[0]._replace(step=6), ENTRIES[3]._replace(step=7), ENTRIES[4]._replace(step=8)]
    for entries, flipped in ((ENTRIES, ["U000004"]), (twice, [])):
        phrases = [text for texts in descriptions_of(entries, {}, flipped).values() for text in texts]
        assert not any("was cleared" in text for text in phrases)


@settings(max_examples=60, deadline=None)
@given(config=difficult(), seed=st.integers(0, 2**63 - 1))
def test_a_question_means_the_same_tag_in_the_log_and_in_the_book(config: Any, seed: int) -> None:
    for row in generate(config, seed):
        if "asked_as" in row["meta"]:
            means = {asked_key(row["question"], row[text]) for text in ("document", "book")}  # type: ignore[literal-required]
            assert means == {row["meta"]["key"]}
        else:
            assert asked_key(row["question"], row["book"]) is None


def test_other_names_are_told_before_they_are_used() -> None:
    for wording in ({}, {"wording": "prose", "book_ledger": False}):
        for row in generate(SMALL | EACH["aliases"] | wording, 4):
            for text in (row["document"], row["book"].partition("## State Ledger")[0]):
                for name, key in read_text(text).aliases.items():
                    first = re.search(re.escape(name), text, re.IGNORECASE)
                    assert first is not None
                    line = text[text.rfind("\n", 0, first.start()) : text.find("\n", first.end())]
                    assert key in line
