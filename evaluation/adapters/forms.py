"""The shape of a model's answer: what is fixed, what is free, and what is one of a list.

Only the free parts cost a decoding step each. Fixed text is fed in one batch, and a choice costs a step only
where its options part; what follows the last decision is never evaluated at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Fixed:
    """Text that stands there anyway."""

    text: str


@dataclass(frozen=True, slots=True)
class Free:
    """Text written by the model under a GBNF grammar (its start is `root`).

    It ends when the grammar allows the end (`eager`), else when the model ends its turn. `room` is how many
    tokens it may take (a token is at least one character).

    A model's last token often holds more than the end of the text: `",` and `"}` close a string and say what follows.
    Where `own` is given, a regular expression that the text alone matches, any such token ends the text; what it holds
    beyond is left out, since the form says what follows. Without it the model would have to go on where it ends.
    """

    grammar: str
    room: int
    eager: bool = True
    own: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """Exactly one of these texts. None may be the beginning of another."""

    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Prose:
    """Text as the model likes: until it ends its turn, one of `stops` comes, or `room` tokens are written."""

    room: int
    stops: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Thinking:
    """What a model writes before it answers, `room` tokens at most. It stands in the text as `<think>…</think>`.

    `begin` is fed first, unless the prompt holds it. Where the model does not write the mark in `end` itself, because
    its turn or its room ends, `end` is fed, so that the answer follows in any case.
    """

    room: int
    begin: str = "<think>\n"
    end: str = "</think>\n\n"


Part: TypeAlias = Fixed | Free | Choice | Prose | Thinking
Form: TypeAlias = tuple[Part, ...]
