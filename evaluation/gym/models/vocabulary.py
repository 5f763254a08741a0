"""Pieces of text: a prompt of `mode=select` is split into longest matches, as by llama.cpp's `rwkv` tokenizer.

A prompt of four lines has some 25 pieces: the rules of a prompt set are one piece, each line is five pieces.

    Lines of the record:|↵A. |step=47 |NOTE tag.17| = sable-16|63|…|↵↵Question: What is the current value of tag.17|?↵…

The embedding of a piece is the sum of its *parts*: `NOTE tag.17` has the parts NOTE and tag.17, so that a question and
the lines about its tag share the part that identifies the tag. Steps have position features (`network.ramp`). Any other
text is spelled in bytes.
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from evaluation.adapters.prompt_sets import PromptChoice
from evaluation.goldevidence.adapters.prompts import SETS, Prompts
from evaluation.goldevidence.conditions.perturb import IN_PASSING, UNMARKED
from evaluation.goldevidence.generator.modes import COLORS, MODES, STARS

Ids = NDArray[np.int32]
#: Sets that replace the id of a line by a letter.
PROMPT_SETS = ("ruled@1", "bare@1", "standard@2")
LABELS = string.ascii_uppercase + string.ascii_lowercase
OPS = ("SET", "CLEAR", "NOTE", UNMARKED)
WORDS = (*COLORS, *STARS)
TAGS, STEPS = 100, 1000
MOST_PARTS = 3
NOTHING, OTHER = "nothing", "other"


@dataclass(frozen=True, slots=True)
class Piece:
    """A text, the parts that sum to its embedding, and the step number in the text, if there is one."""

    text: bytes
    parts: tuple[str, ...]
    step: int = -1


class Vocabulary:
    def __init__(self, pieces: Sequence[Piece]) -> None:
        self.pieces = pieces
        self._ids = {piece.text: number for number, piece in enumerate(pieces)}
        self._longest = sorted({len(piece.text) for piece in pieces}, reverse=True)
        names = dict.fromkeys(part for piece in pieces for part in piece.parts)
        self.parts: list[str] = [NOTHING, *names]
        place = {name: number for number, name in enumerate(self.parts)}
        #: [pieces, MOST_PARTS]: the parts of each, padded with 0.
        self.parts_of = np.zeros((len(pieces), MOST_PARTS), np.int32)
        for number, piece in enumerate(pieces):
            self.parts_of[number, : len(piece.parts)] = [place[part] for part in piece.parts]
        self.step_of = np.array([piece.step for piece in pieces], np.float32)

    def __len__(self) -> int:
        return len(self.pieces)

    def id(self, text: str) -> int:
        """The id of a text that is a piece of the vocabulary. Raises KeyError for any other text."""
        return self._ids[text.encode()]

    def ids(self, texts: Sequence[str]) -> Ids:
        """The ids of pieces, [texts].

        Args:
            texts: The texts of the pieces.
        """
        return np.array([self.id(text) for text in texts], np.int32)

    def encode(self, text: str) -> list[int]:
        """Cut a text into pieces of the vocabulary, each the longest match. Returns the ids of the pieces."""
        data, ids, place = text.encode(), [], 0
        while place < len(data):
            size = next(size for size in self._longest if data[place : place + size] in self._ids)
            ids.append(self._ids[data[place : place + size]])
            place += size
        return ids


@cache
def vocabulary() -> Vocabulary:
    pieces = {END.encode(): Piece(END.encode(), ())}
    for piece in _pieces():
        pieces.setdefault(piece.text, piece)
    return Vocabulary(list(pieces.values()))


def _pieces() -> Iterator[Piece]:
    for byte in range(256):
        letter = chr(byte)
        yield Piece(bytes([byte]), (f"label {letter}" if letter in LABELS else OTHER,))
    for text, *parts in _texts():
        yield Piece(text.encode(), tuple(parts))
    for step in range(STEPS):
        yield Piece(f"step={step} ".encode(), ("step",), step)


def _texts() -> Iterator[tuple[str, ...]]:
    for number in range(100):
        yield f"{number:02d}", "value"
    for word, number in product(WORDS, range(100)):
        yield f" = {word}-{number:02d}", "value"
    for label in LABELS:
        yield label_text(label), f"label {label}", "label"
    for op, tag in product(OPS, range(TAGS)):
        yield change_text(op, tag), op, tag_text(tag)
    yield f" ({IN_PASSING})", "remark"
    yield QUOTE, "quote"
    for prompts in _prompts():
        if prompts.none:
            yield prompts.none, "none"
        for before, after in _asks():
            yield f"{head_of(prompts)}", "rules"
            yield f"{after}{tail_of(prompts)}", "answer"
            for tag in range(TAGS):
                yield f"{QUESTION}{before}{tag_text(tag)}", "question", tag_text(tag)


END = "<|end|>"  # end of text, never generated
QUESTION, QUOTE = "\n\nQuestion: ", " (UPDATE "


def label_text(label: str) -> str:
    """The beginning of a line in a prompt: a newline and the label."""
    return f"\n{label}. "


def tag_text(tag: int) -> str:
    return f"tag.{tag:02d}"


def change_text(op: str, tag: int) -> str:
    """The marker of a line (one of `OPS`) and the tag of the line, as text."""
    return f"{op} {tag_text(tag)}"


@cache
def prompts_of(name: str, wording: str = "a") -> Prompts:
    return Prompts(PromptChoice(SETS[name], wording, 0))


def head_of(prompts: Prompts) -> str:
    """The text before the first line, for a model without a chat template."""
    return f"{prompts.system}\n\n{prompts.choice.texts['candidates']}"


def tail_of(prompts: Prompts) -> str:
    """The text after the question, for a model without a chat template."""
    return f"\n{prompts.choice.texts['select']}\nAnswer: "


def _prompts() -> Iterator[Prompts]:
    for name in PROMPT_SETS:
        for wording in SETS[name].wordings:
            yield prompts_of(name, wording)


def _asks() -> Iterator[tuple[str, str]]:
    for mode in MODES.values():
        for ask in (mode.ask, mode.ask_derived):
            before, key, after = ask.partition("{key}")
            if key:
                yield before, after
