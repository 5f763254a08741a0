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
    """

    grammar: str
    room: int
    eager: bool = True


@dataclass(frozen=True, slots=True)
class Choice:
    """Exactly one of these texts. None may be the beginning of another."""

    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Prose:
    """Text as the model likes: until it ends its turn, one of `stops` comes, or `room` tokens are written."""

    room: int
    stops: tuple[str, ...] = ()


Part: TypeAlias = Fixed | Free | Choice | Prose
Form: TypeAlias = tuple[Part, ...]
