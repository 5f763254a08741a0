"""Pieces: prompts of the boards have few, and what a line shares with its question is made of the same pieces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.goldevidence.adapters.shown import Shown
from evaluation.gym.models.gguf_file import escaped
from evaluation.gym.models.vocabulary import (
    END,
    LABELS,
    PROMPT_SETS,
    head_of,
    prompts_of,
    tail_of,
    vocabulary,
)

KNOWN = vocabulary()
LINES = (
    "- [U5C1000] step=29 SET tag.20 = teal-6803\n"
    "- [U5C1001] step=7 NOTE tag.94 = nova-0418 (UPDATE step=7 SET tag.94 = nova-0418)\n"
    "- [U5C1002] step=31 CLEAR tag.94"
)


def prompt(name: str, wording: str) -> str:
    prompts = prompts_of(name, wording)
    labels = dict(zip(("U5C1000", "U5C1001", "U5C1002"), LABELS, strict=False))
    asked = prompts.select(
        Shown("candidates", LINES, ()),
        "What is the current value of tag.94?\nReply with one JSON object: {}",
        labels,
        none_label="D" if prompts.none else "",
    )
    return f"{asked.system}\n\n{asked.user}\nAnswer: "


@given(st.text(max_size=60))
def test_the_pieces_of_any_text_are_the_text(text):
    assert b"".join(KNOWN.pieces[number].text for number in KNOWN.encode(text)) == text.encode()


@pytest.mark.parametrize("wording", ["a", "b", "c"])
@pytest.mark.parametrize("name", PROMPT_SETS)
def test_a_prompt_is_its_rules_five_pieces_a_line_and_a_question_of_two(name, wording):
    prompts = prompts_of(name, wording)
    pieces = [KNOWN.pieces[number].text.decode() for number in KNOWN.encode(prompt(name, wording))]
    none = ["\nD. ", prompts.none] if prompts.none else []
    assert pieces == [
        head_of(prompts),
        *("\nA. ", "step=29 ", "SET tag.20", " = teal-68", "03"),
        *("\nB. ", "step=7 ", "NOTE tag.94", " = nova-04", "18"),
        *(" (UPDATE ", "step=7 ", "SET tag.94", " = nova-04", "18", ")"),
        *("\nC. ", "step=31 ", "CLEAR tag.94"),
        *none,
        "\n\nQuestion: What is the current value of tag.94",
        f"?{tail_of(prompts)}",
    ]


def test_a_question_and_the_lines_about_its_tag_share_a_part():
    parts = [
        KNOWN.pieces[KNOWN.id(text)].parts
        for text in ("SET tag.94", "NOTE tag.94", "\n\nQuestion: What is the current value of tag.94")
    ]
    assert [part[1] for part in parts] == ["tag.94"] * 3
    assert len({part[0] for part in parts}) == 3


def test_every_piece_is_there_once_and_every_letter_is_one():
    texts = [piece.text for piece in KNOWN.pieces]
    assert len(set(texts)) == len(texts)
    assert texts[0] == END.encode()
    assert KNOWN.ids(list(LABELS)).tolist() == [1 + ord(letter) for letter in LABELS]


def test_a_piece_is_written_in_printable_ascii():
    assert escaped("\nA. \\ é".encode()) == "\\x0aA. \\x5c \\xc3\\xa9"
