"""What attacks a version: programs that answer its public rows without understanding them, by role.

- `floor`: guesses (nothing, the most frequent answer, any line of the key). The best of them is the floor.
- `shortcut`: looks at places, ids, names, lengths, order. None may be above the ceiling: the floor and a margin.
- `parser`: reads the form of the text, which solves some versions by design. It has no ceiling.
- `join`: reads all rows together before it answers any. None may be above the best guess or shortcut and a small
  margin: else rows of one question can be joined, and what one shows of it answers the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeVar

from evaluation.core.records import GradingRecord, Prediction, Row
from evaluation.core.report import Report
from evaluation.core.sealing.limits import AttackLimit
from evaluation.core.suite import Settings, SuiteVersion
from evaluation.core.suite.settings import VersionSettings

Records = Callable[[], Iterable[GradingRecord]]
#: From a version, its records and the predictions of several attackers to the report of each, without verdicts and
#: groups, perhaps.
GradeEach = Callable[[SuiteVersion, Records, Iterable[Iterable[Prediction]]], Iterator[Report]]
Role = Literal["floor", "shortcut", "parser", "join"]
#: How far above the floor a shortcut may come, where its suite says nothing else. Four balanced orders of five lines
#: let a fixed place reach .30 where chance is .20; three of them .40. Twice the first is allowed.
MARGIN = 0.2
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
class Program:
    """An attacker, as reports name it."""

    name: str
    label: str
    about: str  # what it reads and answers, in a sentence
    role: Role


@dataclass(frozen=True, slots=True)
class Attacker(Program):
    """A program that sees one row at a time. `build` gets the twin's examples."""

    build: Callable[[Sequence[Example]], Answers]


class Notes(Protocol):
    """The notes of all lines of a public file: little of each, as the texts may take hundreds of megabytes."""

    def see(self, line: PublicLine) -> None:
        """Take the next line down."""


Kept = TypeVar("Kept", bound=Notes)


@dataclass(frozen=True, slots=True)
class Joiner(Program, Generic[Kept]):
    """A program that answers from the notes of the whole file.

    One that is `taught` is given the grading records of every second unit and graded on the others. It learns what a
    guesser would from gold that leaked, so that no rule of ours has to name the leak.
    """

    answer: Callable[[Kept, Sequence[GradingRecord]], Iterable[Prediction]]
    taught: bool = False
    alone: str = (
        ""  # the program that reads the same of each row and joins none: this one's gain is over that
    )


@dataclass(frozen=True, slots=True)
class Joining(Generic[Kept]):
    """The joiners of a plan, and the notes that they share: a file is read once for all of them."""

    take_notes: Callable[[Sequence[Example]], Kept]  # of the twin's examples
    joiners: Sequence[Joiner[Kept]]


def one_by_one(
    version: SuiteVersion, records: Records, files: Iterable[Iterable[Prediction]]
) -> Iterator[Report]:
    """Grade each file as if it were the only one.

    Args:
        version: The version.
        records: Called for its grading records, once a file.
        files: Predictions.
    """
    return (version.grade(records(), file) for file in files)


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
    joining: Joining[Any] | None = None  # of the notes that its suite takes
    joinable: str = (
        ""  # why rows of these versions can be joined, in a sentence; empty: nothing is known that does it
    )
    grade_each: GradeEach = one_by_one
    margin: float = MARGIN  # how far above the floor a shortcut may come
    grouping: str = ""  # of the report, by which splits are judged by themselves, too; empty: none is

    @property
    def programs(self) -> Sequence[Program]:
        """All that attack, in the order of the report."""
        return (*self.attackers, *(self.joining.joiners if self.joining else ()))


def plan_of(version: SuiteVersion) -> AttackPlan | None:
    """How a version is attacked, as its suite plans it (`Suite.attacks`); None: not at all."""
    module, _, attribute = version.suite.attacks.partition(":")
    if not module:
        return None
    planned: Callable[[VersionSettings], AttackPlan | None] = getattr(import_module(module), attribute)
    return planned(version.settings)


def joinable(version: SuiteVersion) -> str:
    """By what rows of a version can be joined, in a sentence; empty where nothing is known that does it."""
    plan = plan_of(version)
    return plan.joinable if plan else ""
