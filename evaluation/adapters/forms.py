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

    If `eager` is True, the text ends as soon as the grammar allows. If it is False, the text ends when the model ends
    its turn. `own` is a regular expression for the whole text, or empty. It lets the text end within a token, such as
    after the quotation mark of `"}`; the rest of the token is dropped, as the form defines the next text. Without `own`
    the model would have to continue after this token.
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
