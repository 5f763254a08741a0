"""The parts of a task: messages, an oracle, and the score of a reply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypedDict

from evaluation.core.records import GradingRecord, JsonObject, Row
from evaluation.core.suite import SuiteVersion

#: The text of a model, thinking included; or the fields of a line of a predictions file.
Reply = str | Mapping[str, object]


class Message(TypedDict):
    role: str
    content: str


class Score(NamedTuple):
    """The parts of a score, from 0 to 1; None if a part does not apply to the task or the reply.

    `total` is 1 if the grader counts the answer as exact (GoldEvidenceBench) or the decision as right (StateBench). It
    is also 1 for an abstention if no line shown establishes an answer.
    """

    total: float
    readable: float
    evidence_shown: float | None = None  # the row, or the part of it that the reply says it used, shows it
    line_chosen: float | None = None  # the first citation is the line that answers
    authority_kept: float | None = None  # nothing unauthorised or outdated is cited or adopted
    value_right: float | None = None
    citation_right: float | None = None  # all lines that establish the answer, and no others
    abstained_rightly: float | None = None
    same_in_another_order: float | None = None  # the same line, or the same value
    tokens: int = 0  # of the reply


class Oracle(Protocol):
    """Knows the right answer to a task, and scores replies with the suite's grader."""

    def score(self, reply: Reply) -> Score:
        """Score a reply. The part `same_in_another_order` is None, as it needs a second reply."""

    def choice(self, reply: Reply) -> object:
        """Return the line that a reply cites, or else the value that it gives. The order of the lines has no effect."""

    @property
    def right(self) -> str:
        """A reply with the full score."""


@dataclass(frozen=True, slots=True)
class Made:
    """A row that a suite generated from a seed, with its prompt and its oracle."""

    row: Row  # public: without gold
    messages: list[Message]
    schema: JsonObject
    asks: str  # identifies the question, whatever the order of the lines
    record: GradingRecord  # by which `version` grades
    version: SuiteVersion
    oracle: Oracle
