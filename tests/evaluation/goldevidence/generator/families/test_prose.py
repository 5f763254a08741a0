"""Sentences of the families: read back exactly, and not recognizable by a word."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.goldevidence.generator.families.plot import Plot
from evaluation.goldevidence.generator.families.prose import Prose, deeds_in_prose, sentences
from evaluation.goldevidence.generator.families.telling import Cast, Told, tell
from evaluation.goldevidence.generator.ladder.padding import Meter
from evaluation.goldevidence.generator.renaming import Renaming, salt_named
from tests.evaluation.goldevidence.generator.families import cast

FAMILIES = ("aggregate", "chain", "nth", "authority")
METER = Meter()
#: What changes something, beside what looks like it and changes nothing.
ALIKE = (
    (("retract",), ("maybe_retract",)),
    (("grant", "revoke"), ("maybe_right",)),
    (("rule_open", "rule_closed"), ("maybe_rule",)),
    (("thing_set",), ("thing_claim",)),
    (("set",), ("distractor", "note", "stale", "summary")),
)


def plot_in_sentences(family: str, seed: int, length: int = 6000) -> tuple[Plot, Told]:
    """A plot in sentences."""
    story, config = cast.plot(family, seed), cast.config(family)
    called = Cast(story, Renaming(salt_named("test", family, seed), story.mode))
    voice = Prose(config, story, called, 0.75, METER, family, in_book=False)
    return story, tell(story, voice, called, length, "# Title", 3)


@settings(deadline=None, max_examples=25)
@given(st.sampled_from(FAMILIES), st.integers(0, 10**6))
def test_what_changes_something_is_read_back_and_nothing_else(family: str, seed: int):
    _, text = plot_in_sentences(family, seed)
    assert list(deeds_in_prose(text.text)) == [deed for deed in text.deeds if deed.op != "NOTE"]


@pytest.mark.parametrize(("changing", "looking"), ALIKE)
def test_no_word_tells_what_changes_something_from_what_does_not(changing: Any, looking: Any):
    def words(kinds: tuple[str, ...]) -> list[set[str]]:
        texts = [text for kind in kinds for text in sentences(kind)]
        return [set(re.findall(r"[a-z]+", re.sub(r"\{[a-z]+\}", " ", text.lower()))) for text in texts]

    real, alike = words(changing), words(looking)
    for word in set().union(*real, *alike):
        caught = sum(word in each for each in real) / len(real)
        wrongly = sum(word in each for each in alike) / len(alike)
        assert abs(caught - wrongly) < 0.75, (word, caught, wrongly)


@given(st.text(max_size=120))
def test_any_text_is_read_without_an_error(text: str):
    assert list(deeds_in_prose(f"1. {text} (U0000A1).")) in (
        [],
        list(deeds_in_prose(f"1. {text} (U0000A1).")),
    )
