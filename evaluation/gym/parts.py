"""What a task is made of: messages, an oracle, and the score of a reply in its parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypedDict

from evaluation.core.records import GradingRecord, JsonObject, Row
from evaluation.core.suite import SuiteVersion

#: What was written, thinking and remarks included; or the fields of a line of a predictions file.
Reply = str | Mapping[str, object]


class Message(TypedDict):
    """A turn of a chat."""

    role: str
    content: str


class Score(NamedTuple):
    """The parts of a score, from 0 to 1; None where one does not apply to the task, or to such a reply.

    `total` is 1 where the grader counts the answer: exact (GoldEvidenceBench), decided right (StateBench). Where
    nothing shown establishes an answer it is 1 for silence.
    """

    total: float
    readable: float
    evidence_shown: float | None = None  # the row shows it, or, where a reply says what it saw, that does
    line_chosen: float | None = None  # the first citation is the line that answers
    authority_kept: float | None = None  # nothing without authority, or out of date, is cited or adopted
    value_right: float | None = None
    citation_right: float | None = None  # all lines that establish the answer, and no others
    abstained_rightly: float | None = None
    same_in_another_order: float | None = None  # the same line chosen, or the same value given
    tokens: int = 0  # of the reply


class Oracle(Protocol):
    """Knows what is right, and judges as the grader of the suite does."""

    def score(self, reply: Reply) -> Score:
        """What a reply is worth, but for the other order.

        Args:
            reply: To the task of the oracle.
        """

    def choice(self, reply: Reply) -> object:
        """The line that a reply chooses, else its value: the same in every order of the lines.

        Args:
            reply: To the task of the oracle.
        """

    @property
    def right(self) -> str:
        """A reply with the full score."""


@dataclass(frozen=True, slots=True)
class Made:
    """What a suite makes of a seed: a row, how it is asked, and who knows the answer."""

    row: Row  # public: without gold
    messages: list[Message]
    schema: JsonObject
    asks: str  # the same in every order of the lines
    record: GradingRecord  # by which `version` grades
    version: SuiteVersion
    oracle: Oracle
