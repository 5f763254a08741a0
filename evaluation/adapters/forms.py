"""The form of a model's answer: fixed text, free text, and choices from a list.

Only free parts cost a decoding step for each token. Fixed text is fed in one batch, and a choice costs a step only
where its options diverge; text after the last decision is never evaluated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Fixed:
    text: str


@dataclass(frozen=True, slots=True)
class Free:
    """Text written by the model under a GBNF grammar (its start is `root`), at most `room` tokens.

    It ends as soon as the grammar allows (`eager`), else when the model ends its turn. A model's last token often
    holds more than the end of the text: `",` and `"}` close a string and continue. With `own`, a regular expression
    that the text alone matches, any such token ends the text; the excess is left out, since the form defines what
    follows. Without it the model would have to continue after the token.
    """

    grammar: str
    room: int
    eager: bool = True
    own: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """Exactly one of these texts. None may be a prefix of another."""

    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Prose:
    """Free text: until the model ends its turn, one of `stops` occurs, or `room` tokens are written."""

    room: int
    stops: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Thinking:
    """Thoughts before the answer, at most `room` tokens, in the text as `<think>…</think>`.

    `begin` is fed first, unless the prompt holds it. `end` is fed if the model does not write it, because its turn or
    room ends, so that the answer follows in any case.
    """

    room: int
    begin: str = "<think>\n"
    end: str = "</think>\n\n"


Part: TypeAlias = Fixed | Free | Choice | Prose | Thinking
Form: TypeAlias = tuple[Part, ...]
