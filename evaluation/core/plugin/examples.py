"""Material for newcomers: an example question and a glossary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from evaluation.core.suite.parts import Item, Settings

#: Role of a line for the question: it establishes the answer, was replaced, or mentions the same thing without effect;
#: empty: unrelated.
Role = Literal["gold", "old", "trap", ""]


@dataclass(frozen=True, slots=True)
class Term:
    """An entry of a suite's glossary."""

    name: str
    text: str  # one or two sentences


@dataclass(frozen=True, slots=True)
class ExampleLine:
    text: str
    role: Role
    why: str  # its role in a few words


@dataclass(frozen=True, slots=True)
class ExampleChoice:
    """An answer that a visitor can choose; `prediction` is the line of a predictions file with this answer."""

    text: str
    right: bool
    why: str  # why it is right, or the mistake behind it, in a sentence
    prediction: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Example:
    """A short unit (an episode or timeline) from a fixed public seed, and one of its questions.

    `item` and `settings` are used to grade the choices. `parts` are pairs (facet, part): parts of a leaderboard with
    questions like this one. A page links to the first of these parts that the version has.
    """

    item: Item
    settings: Settings
    heading: str  # over the lines: "A log of 8 lines"
    lines: Sequence[ExampleLine]
    question: str
    choices: Sequence[ExampleChoice]
    oracle: str  # why one line is right and the others are not, in a sentence or two
    like: str  # describes similar rows after the word "questions": "about a key that a NOTE speaks of"
    parts: Sequence[tuple[str, str]]
    words: Sequence[str] = ()  # names of the suite's terms used in it
