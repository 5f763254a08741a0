"""What attacks a version: programs that answer its public rows without understanding them, by role.

- `floor`: guesses (nothing, the most frequent answer, any line of the key). The best of them is the floor.
- `shortcut`: looks at places, ids, names, lengths, order. None may be above the ceiling: the floor and a margin.
- `parser`: reads the form of the text, which solves some versions by design. It has no ceiling.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Literal, NamedTuple, Protocol

from evaluation.core.records import Prediction, Row
from evaluation.core.sealing.limits import AttackLimit
from evaluation.core.suite import Settings, SuiteVersion
from evaluation.core.suite.settings import VersionSettings

Role = Literal["floor", "shortcut", "parser"]
#: What a parser of a published line grammar is made of.
DOZEN = "A dozen regular expressions"


@dataclass(frozen=True, slots=True, eq=False)  # itself, in a dictionary: a row cannot be hashed
class PublicLine:
    """A line of the public file: all that an attacker has."""

    row: Row
    number: int  # from 0
    length: int  # bytes, without the newline


class Answers(Protocol):
    """An attacker that was built."""

    def __call__(self, line: PublicLine) -> Iterable[Prediction]:
        """Lines of a predictions file for the questions of a row."""


class Example(NamedTuple):
    """A public line of the twin with what answers it."""

    line: PublicLine
    row: Row  # with gold
    unit: int  # the number of its unit


@dataclass(frozen=True, slots=True)
class Attacker:
    """One program. `build` gets the twin's examples."""

    name: str
    label: str
    about: str  # what it reads and answers, in a sentence
    role: Role
    build: Callable[[Sequence[Example]], Answers]


@dataclass(frozen=True, slots=True)
class AttackPlan:
    """How versions of some settings are attacked."""

    attackers: Sequence[Attacker]
    metrics: Sequence[
        tuple[str, str]
    ]  # (key in Report.metrics, label); those that a report lacks are left out
    twin: Settings  # of the rows to learn from: as few as teach a leak
    limits: Sequence[AttackLimit] = ()  # what the preset declares
    by_design: str = ""  # why a parser solves these versions, in a sentence
    means: str = DOZEN  # what it is made of


def plan_of(version: SuiteVersion) -> AttackPlan | None:
    """How a version is attacked, as its suite plans it (`Suite.attacks`); None: not at all."""
    module, _, attribute = version.suite.attacks.partition(":")
    if not module:
        return None
    planned: Callable[[VersionSettings], AttackPlan | None] = getattr(import_module(module), attribute)
    return planned(version.settings)
