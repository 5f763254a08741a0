"""Cue patterns from word lists."""

from __future__ import annotations

import pytest

from evaluation.statebench.language.lexicon import cue, forms


@pytest.mark.parametrize(
    ("verb", "expected"),
    [
        ("switch", {"switch", "switches", "switched", "switching"}),
        ("move", {"move", "moves", "moved", "moving"}),
        ("supply", {"supply", "supplies", "supplied", "supplying"}),
        ("cut", {"cut", "cuts", "cutting"}),
    ],
)
def test_a_verb_has_its_forms(verb, expected):
    assert set(forms(verb)) == expected


def test_a_final_consonant_is_doubled():
    assert {"stopped", "stopping"} <= set(forms("stop"))


def test_phrases_match_whole_words_only():
    pattern = cue(verbs="slip", phrases="no longer | as of")
    assert pattern.search("it is no longer here")
    assert pattern.search("the date slipped")
    assert not pattern.search("a slipper")
