"""The form of a model's answer: fixed text, free text, and choices from a list.

Only free parts cost one decoding step per token. Fixed text is fed in one batch. A choice costs a step only where its
options diverge. Text after the model's last decision is never evaluated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Fixed:
    text: str


@dataclass(frozen=True, slots=True)
class Free:
    """Text written by the model under a GBNF grammar (start symbol `root`), at most `room` tokens.

    With `eager` the text ends as soon as the grammar allows, else when the model ends its turn. A model's last token
    often extends beyond the end of the text: `",` and `"}` close a string and continue. `own` is a regular expression
    that matches the whole text. If it is given, such a token ends the text, and the part beyond the end is dropped.
    """

    grammar: str
    room: int
    eager: bool = True
    own: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """Exactly one of the `options`. No option may be a prefix of another."""

    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Prose:
    """Free text, which ends when the model ends its turn, one of `stops` occurs, or `room` tokens are written."""

    room: int
    stops: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Thinking:
    """Thoughts before the answer, at most `room` tokens, written into the text as `<think>…</think>`.

    The text `begin` is given to the model first, unless the prompt ends with it. If the model ends its turn or has
    written `room` tokens without `end`, then `end` is appended, so that an answer always follows.
    """

    room: int
    begin: str = "<think>\n"
    end: str = "</think>\n\n"


Part: TypeAlias = Fixed | Free | Choice | Prose | Thinking
Form: TypeAlias = tuple[Part, ...]
