"""Words of a text: whole phrases, bounded as by a regular expression."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from evaluation.statebench.language.words import bounded_pattern, says

PIECES = st.lists(st.sampled_from(["a", "b", "ab", " ", "$", "5", "_", "é", "-", "\n", "'s"]), max_size=12)


@given(PIECES.map("".join), PIECES.map("".join))
@example("it costs $450", "$45")
@example("aab ab", "ab")
@example("", "")
@example("abab", "ab")
def test_a_phrase_is_said_where_its_bounded_pattern_is_found(text: str, phrase: str) -> None:
    assert says(text, phrase) == (bounded_pattern(phrase).search(text) is not None)
