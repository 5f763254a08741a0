"""The stored line of an exchange: raw, bounded, with or without its reasoning."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.adapters.transcripts.record import MOST_BYTES, Exchange, Keep, line_of, prompt_sha256
from evaluation.core import jsonl

THOUGHT = Exchange("p" * 64, "<think>Well.</think> teal", reasoning="Hm, so")


def test_all_is_kept_as_it_came() -> None:
    line = line_of(THOUGHT, "Q1", "answered", prediction={"query_idx": 2}, keep=Keep.FULL)
    assert (line["reply"], line["reasoning"], line["reasoning_chars"]) == (THOUGHT.reply, "Hm, so", 6)
    assert (line["id"], line["query_idx"], line["state"]) == ("Q1", 2, "answered")
    assert "cut" not in line


def test_of_reasoning_the_length_alone_wherever_it_stood() -> None:
    line = line_of(THOUGHT, "Q1", "answered", prediction={}, keep=Keep.LENGTHS)
    assert (line["reply"], line["reasoning_chars"]) == ("teal", 6 + len("<think>Well.</think> "))
    assert not line.keys() & {"reasoning", "query_idx"}
    plain = line_of(Exchange("", " teal\n"), "Q1", "answered", prediction={}, keep=Keep.LENGTHS)
    assert plain["reply"] == " teal\n"


@pytest.mark.parametrize("text", ["x" * (MOST_BYTES + 1), "é" * MOST_BYTES])
def test_what_is_too_long_is_cut_and_said_to_be(text: str) -> None:
    line = line_of(Exchange("", text, reasoning=text), "Q1", "cut_off", prediction={}, keep=Keep.FULL)
    assert text.startswith(line["reply"])
    assert MOST_BYTES - 2 < len(line["reply"].encode()) <= MOST_BYTES
    assert line["cut"] == ["reply", "reasoning"]


@given(st.text(st.characters(), max_size=40), st.text(st.characters(), max_size=40))
def test_every_text_can_be_written_and_hashed(system: str, user: str) -> None:
    line = line_of(Exchange(prompt_sha256(system, user), user), "Q1", "x", prediction={}, keep=Keep.FULL)
    assert jsonl.parse(jsonl.dumps(line)) == line
    assert prompt_sha256(system, user) != prompt_sha256(system + user + "x", "")
