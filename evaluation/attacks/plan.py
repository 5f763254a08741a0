"""The attack plan of a version: programs that answer its public rows without understanding them, by role.

- `floor`: it guesses (nothing, the most frequent answer, any line about the key). The best guess is the floor.
- `shortcut`: it uses positions, ids, names, lengths or order. It may not exceed the ceiling: the floor and a margin.
- `parser`: it reads the form of the text, which solves some versions by design. It has no ceiling.
- `join`: it reads all rows before it answers. It may exceed the best guess or shortcut only by a small margin.
  If it exceeds this margin, rows of one question can be joined: a row reveals the answers of other rows.
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
#: From a version, its records and the predictions of several attackers to the report of each, possibly without
#: verdicts and groups.
GradeEach = Callable[[SuiteVersion, Records, Iterable[Iterable[Prediction]]], Iterator[Report]]
Role = Literal["floor", "shortcut", "parser", "join"]
#: Default margin of shortcuts above the floor. With four balanced orders of five lines a fixed position reaches .30
#: where chance is .20, with three .40. Twice the first excess is allowed.
MARGIN = 0.2
#: The means of a parser of a published line grammar, for sentences.
DOZEN = "A dozen regular expressions"


@dataclass(frozen=True, slots=True, eq=False)  # compared by identity, as rows are unhashable
class PublicLine:
    """A line of the public file. It contains everything that an attacker sees."""

    row: Row
    number: int  # from 0
    length: int  # bytes, without the newline


class Answers(Protocol):
    def __call__(self, line: PublicLine) -> Iterable[Prediction]:
        """Answer the questions of a row. Returns lines of a predictions file."""


class Example(NamedTuple):
    line: PublicLine
    row: Row  # with gold
    unit: int  # index of its unit


class Untaught:
    """Base class of attackers that do not learn from training rows."""

    def __init__(self, examples: Sequence[Example]) -> None:
        """Ignore the examples."""


@dataclass(frozen=True, slots=True)
class Program:
    name: str
    label: str
    about: str  # what it reads and answers, one sentence
    role: Role


@dataclass(frozen=True, slots=True)
class Attacker(Program):
    """A program that sees one row at a time. `build` makes it from training rows with their answers."""

    build: Callable[[Sequence[Example]], Answers]


class Notes(Protocol):
    """Notes on all lines of a public file, much smaller than the texts, which may be hundreds of megabytes."""

    def see(self, line: PublicLine) -> None:
        """Take notes on the next line of the file."""


Kept = TypeVar("Kept", bound=Notes)
P = TypeVar("P", bound=Program)


def by_name(*programs: P) -> dict[str, P]:
    return {program.name: program for program in programs}


@dataclass(frozen=True, slots=True)
class Joiner(Program, Generic[Kept]):
    """A program that answers from notes on the whole file.

    A `taught` joiner gets the answers of every second unit and is graded on the other units. It learns from these
    answers which leak to use, so that we need not know the leak.
    """

    answer: Callable[[Kept, Sequence[GradingRecord]], Iterable[Prediction]]
    taught: bool = False


@dataclass(frozen=True, slots=True)
class Joining(Generic[Kept]):
    """The programs of a plan that answer from notes on the whole file. The file is read once for all of them."""

    take_notes: Callable[[Sequence[Example]], Kept]  # of the twin's examples
    joiners: Sequence[Joiner[Kept]]


def one_by_one(
    version: SuiteVersion, records: Records, files: Iterable[Iterable[Prediction]]
) -> Iterator[Report]:
    return (version.grade(records(), file) for file in files)


@dataclass(frozen=True, slots=True)
class AttackPlan:
    """The attacks on all versions with the same settings."""

    attackers: Sequence[Attacker]
    metrics: Sequence[tuple[str, str]]  # (key in Report.metrics, label); missing ones are skipped
    twin: Settings  # of the rows to learn from: as few as reveal a leak
    limits: Sequence[AttackLimit] = ()  # declared by the preset
    by_design: str = ""  # why a parser solves these versions, one sentence
    means: str = DOZEN  # the parser's means
    joining: Joining[Any] | None = None
    joinable: str = ""  # why rows of these versions can be joined, one sentence; empty: no way is known
    grade_each: GradeEach = one_by_one
    margin: float = MARGIN  # of shortcuts above the floor
    grouping: str = ""  # of the report, whose splits are judged separately too; empty: none

    @property
    def programs(self) -> Sequence[Program]:
        return (*self.attackers, *(self.joining.joiners if self.joining else ()))


def plan_of(version: SuiteVersion) -> AttackPlan | None:
    module, _, attribute = version.suite.attacks.partition(":")
    if not module:
        return None
    planned: Callable[[VersionSettings], AttackPlan | None] = getattr(import_module(module), attribute)
    return planned(version.settings)


def joinable(version: SuiteVersion) -> str:
    """A sentence that says why rows of a version reveal each other's answers. Empty if no reason is known."""
    plan = plan_of(version)
    return plan.joinable if plan else ""
