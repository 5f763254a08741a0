"""What a suite teaches a newcomer with: an example to answer oneself, and the words that its pages use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from evaluation.core.suite.parts import Item, Settings

#: What a line is to the question: what the answer follows from, what was replaced, what speaks of the same thing and
#: changes nothing; empty: it is about something else.
Role = Literal["gold", "old", "trap", ""]


@dataclass(frozen=True, slots=True)
class Term:
    """A word of a suite, as a glossary has it."""

    name: str
    text: str  # what it means, in a sentence or two


@dataclass(frozen=True, slots=True)
class ExampleLine:
    """One line of what is read before the question is asked."""

    text: str
    role: Role
    why: str  # what it is to the question, in a few words


@dataclass(frozen=True, slots=True)
class ExampleChoice:
    """One answer to choose. `prediction` is the line of a predictions file that gives it, which the grader judges."""

    text: str
    right: bool
    why: str  # what it is, or where whoever chooses it went wrong, in a sentence
    prediction: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Example:
    """A short unit that the suite's generator makes from a fixed, public seed, and one of its questions.

    `item` and `settings` are what the grader needs to judge the choices. `parts` says which rows are like it: (facet,
    part) of a board, of which a version takes the first that it has.
    """

    item: Item
    settings: Settings
    heading: str  # what the lines are: "A log of 8 lines"
    lines: Sequence[ExampleLine]
    question: str
    choices: Sequence[ExampleChoice]
    oracle: str  # which line is right, and why the others are not, in a sentence or two
    like: str  # what rows like it are, in words that follow "questions": "about a key that a NOTE speaks of"
    parts: Sequence[tuple[str, str]]
    words: Sequence[str] = ()  # names of the suite's terms that a reader meets in it
