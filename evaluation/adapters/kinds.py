"""The interface between systems and rows of a benchmark: how rows are asked, and how answers are written.

The runner, the estimate, the command line and the site use this interface and know no benchmark. A *question* is
one thing to answer, with an `id`: a row of GoldEvidenceBench is one question, a timeline of StateBench has one
for each query.
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

#: Row kinds of our suites, by suite name. Other suites declare theirs in `Suite.row_kind`.
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
        """The registered adapters for these rows: name -> `module:factory`."""

    def recognises(self, row: JsonObject) -> bool:
        """True if the fields of a row in a data file are those of this kind."""

    def questions(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The questions of rows, without gold. Raises RowError for an unusable row."""

    def groups(self, questions: Sequence[Row]) -> Iterator[list[Row]]:
        """Yield groups of questions about the same text, in order of first appearance."""

    def preparation(self, adapter: Adapter, protocol: str) -> Callable[[Row], Row]:
        """A function that prepares a question for the system; it may build an artifact or raise AdapterError."""

    def size(self, question: Row, protocol: str) -> int:
        """Number of characters of a question's text that the protocol lets the system read."""

    def prediction(self, question: Row, answer: Answer) -> Prediction:
        """The line of a predictions file for an answer. Raises AdapterError if its output breaks the contract."""

    def answered(self, prediction: JsonObject) -> str:
        """Id of the question that a prediction answers."""

    def state(self, prediction: JsonObject) -> RowState:
        """The state of a prediction: answered, or why not."""


#: Callback with an episode id and the artifact built for it.
OnArtifact = Callable[[str, str], None]


@runtime_checkable
class TwoPhaseKind(Protocol):
    """Optional methods of a row kind whose rows name their protocol or are answered from an artifact."""

    def reading(self, questions: Sequence[Row], requested: str | None) -> str:
        """The protocol for the rows of one file. Raises BenchmarkError if they contradict the requested one."""

    def builds(self, questions: Sequence[Row]) -> bool:
        """True if the rows are answered from an artifact that the system builds first."""

    def built(
        self,
        questions: Sequence[Row],
        adapter: Adapter,
        built: Mapping[str, str],
        *,
        on_artifact: OnArtifact,
        should_stop: ShouldStop,
    ) -> list[Row]:
        """Let the system build its artifacts, and return the questions as it sees them afterwards.

        Raises AdapterError if the system builds nothing, or an invalid artifact.

        Args:
            adapter: The system, which does not see the questions yet.
            built: Artifacts built before, by episode; they are reused.
            on_artifact: Called with each artifact before the next is built.
            should_stop: Called between two artifacts; if True, `base.Stopped` is raised.
        """


def reading(kind: RowKind, questions: Sequence[Row], requested: str | None) -> str:
    """The protocol for some rows: by `TwoPhaseKind.reading`; for other kinds `requested`, or the first of PROTOCOLS."""
    if isinstance(kind, TwoPhaseKind):
        return kind.reading(questions, requested)
    return requested or PROTOCOLS[0]


def kinds() -> dict[str, str]:
    """suite -> `module:attribute` of its row kind, for all suites with adapters."""
    from evaluation.core.suite import usable  # slow, and not needed for our own kinds

    added = {name: suite.row_kind for name, suite in usable().items() if name not in KINDS and suite.row_kind}
    return KINDS | added


@cache
def get_kind(suite: str) -> RowKind:
    """The row kind of a suite. Raises UnknownNameError."""
    kind: RowKind = find("kind of rows", suite, KINDS if suite in KINDS else kinds())
    return kind


def find_kind(row: JsonObject) -> RowKind | None:
    """The row kind that recognises a row, or None."""
    found = _recognising(row, KINDS)  # ours first: the others need metadata
    return found or _recognising(row, [name for name in kinds() if name not in KINDS])


def _recognising(row: JsonObject, suites: Iterable[str]) -> RowKind | None:
    return next((kind for kind in map(get_kind, suites) if kind.recognises(row)), None)


def kind_of(row: JsonObject) -> RowKind:
    """The kind of a row. Raises BenchmarkError that lists the required fields."""
    if (kind := find_kind(row)) is None:
        raise BenchmarkError(
            "the first row is neither a question (id and question) nor a timeline (initial_state and events)"
        )
    return kind
