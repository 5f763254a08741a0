"""What a system needs to know of a benchmark's rows: how they are asked, and how an answer is written.

The runner, the estimate, the command line and the site know this interface and no benchmark. A *question* is
one thing to answer, with an `id`: a row of GoldEvidenceBench is one question, a timeline of StateBench has one
per query.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Protocol, runtime_checkable

from evaluation.adapters.base import PROTOCOLS, Adapter, Answer, ShouldStop
from evaluation.core.errors import BenchmarkError
from evaluation.core.records import JsonObject, Prediction, Row
from evaluation.core.registry import find
from evaluation.core.row_states import RowState

#: By the name of the suite; its adapters come with it. Those of installed suites are named by them: `Suite.row_kind`.
KINDS: dict[str, str] = {
    "goldevidence": "evaluation.goldevidence.adapters.episode_rows:KIND",
    "statebench": "evaluation.statebench.adapters.timeline_rows:KIND",
}


class RowKind(Protocol):
    """How the rows of one suite are asked and answered."""

    @property
    def name(self) -> str:
        """The suite's name."""

    @property
    def adapters(self) -> Mapping[str, str]:
        """The registered adapters that answer such rows: name -> `module:factory`."""

    def recognises(self, row: JsonObject) -> bool:
        """Whether a row of a data file is of this kind."""

    def questions(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The questions of rows, without gold. Raises RowError for a row that cannot be asked."""

    def groups(self, questions: Sequence[Row]) -> Iterator[list[Row]]:
        """Questions about the same text, in order of first appearance."""

    def preparation(self, adapter: Adapter, protocol: str) -> Callable[[Row], Row]:
        """What is done to a question before the system is asked: two-phase systems build their artifact first.

        Args:
            adapter: The system.
            protocol: What of a row may be read: one of `base.PROTOCOLS`.

        Returns:
            From a question to the one that is asked; it may raise AdapterError.
        """

    def size(self, question: Row, protocol: str) -> int:
        """Characters of the text that a question is about.

        Args:
            question: One of `questions`.
            protocol: What of a row may be read: one of `base.PROTOCOLS`.
        """

    def prediction(self, question: Row, answer: Answer) -> Prediction:
        """The line of a predictions file.

        Args:
            question: What was asked.
            answer: What the system made of it.

        Raises:
            AdapterError: The output breaks the contract.
        """

    def answered(self, prediction: JsonObject) -> str:
        """The id of the question that a line of a predictions file answers."""

    def state(self, prediction: JsonObject) -> RowState:
        """Whether a line of a predictions file holds an answer, and if not, why."""


#: Told of what a system built: the id of the episode, the artifact.
OnArtifact = Callable[[str, str], None]


@runtime_checkable
class TwoPhaseKind(Protocol):
    """What a kind offers besides where its rows name what a system may read. None has to."""

    def reading(self, questions: Sequence[Row], requested: str | None) -> str:
        """What a system is told of the rows: one of `base.PROTOCOLS`.

        Args:
            questions: Of one data file.
            requested: What was asked for; None for no wish.

        Raises:
            BenchmarkError: The rows name another.
        """

    def builds(self, questions: Sequence[Row]) -> bool:
        """Whether the rows are answered from what the system builds first."""

    def built(
        self,
        questions: Sequence[Row],
        adapter: Adapter,
        built: Mapping[str, str],
        *,
        on_artifact: OnArtifact,
        should_stop: ShouldStop,
    ) -> list[Row]:
        """The questions as a system sees them when it answers; before that it builds what they are answered from.

        Args:
            questions: As they stand in the data file.
            adapter: The system, which sees no question yet.
            built: What was built before, by episode; that is not built again.
            on_artifact: Called with each artifact before the next is built.
            should_stop: Asked between two artifacts; a yes raises `base.Stopped`.

        Raises:
            AdapterError: The system builds nothing, or what is refused.
        """


def reading(kind: RowKind, questions: Sequence[Row], requested: str | None) -> str:
    """What a system is told of rows; see `TwoPhaseKind.reading`.

    Args:
        kind: Of the rows; one that does not mind takes the wish as it is.
        questions: Of one data file.
        requested: What was asked for; None for no wish.
    """
    if isinstance(kind, TwoPhaseKind):
        return kind.reading(questions, requested)
    return requested or PROTOCOLS[0]


def kinds() -> dict[str, str]:
    """suite -> `module:attribute` of its kind of rows, of all suites whose rows an adapter can answer."""
    from evaluation.core.suite import usable  # of no use to who asks for a kind of ours

    added = {name: suite.row_kind for name, suite in usable().items() if name not in KINDS and suite.row_kind}
    return KINDS | added


@cache
def get_kind(suite: str) -> RowKind:
    """The row kind of a suite. Raises UnknownNameError."""
    kind: RowKind = find("kind of rows", suite, KINDS if suite in KINDS else kinds())
    return kind


def find_kind(row: JsonObject) -> RowKind | None:
    """The kind of a row by what it holds, None where no adapter can answer it."""
    found = _recognising(row, KINDS)  # ours first: the others need metadata
    return found or _recognising(row, [name for name in kinds() if name not in KINDS])


def _recognising(row: JsonObject, suites: Iterable[str]) -> RowKind | None:
    return next((kind for kind in map(get_kind, suites) if kind.recognises(row)), None)


def kind_of(row: JsonObject) -> RowKind:
    """The same. Raises BenchmarkError that says what rows must hold."""
    if (kind := find_kind(row)) is None:
        raise BenchmarkError(
            "the first row is neither a question (id and question) nor a timeline (initial_state and events)"
        )
    return kind
