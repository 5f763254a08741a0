"""The interface between systems and the rows of a suite: how rows are asked, and how answers are written.

The runner, the estimate, the command line and the site use this interface and depend on no suite. A *question* is the
unit that a system answers, and has an `id`: a row of GoldEvidenceBench is one question, a timeline of StateBench has
one question for each query.
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
        """True if a row of a data file has the fields of this kind."""

    def questions(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Yield the questions of rows, without gold answers. Raises RowError for an unusable row."""

    def groups(self, questions: Sequence[Row]) -> Iterator[list[Row]]:
        """Yield groups of questions about the same text, in order of first appearance."""

    def preparation(self, adapter: Adapter, protocol: str) -> Callable[[Row], Row]:
        """Return a function from a question to the row that the system reads; it may build an artifact.

        The function may raise AdapterError.
        """

    def size(self, question: Row, protocol: str) -> int:
        """Number of characters of a question's text that the protocol lets the system read."""

    def prediction(self, question: Row, answer: Answer) -> Prediction:
        """The line of a predictions file for an answer. Raises AdapterError if the answer's output is invalid."""

    def answered(self, prediction: JsonObject) -> str:
        """Id of the question that a prediction belongs to."""

    def state(self, prediction: JsonObject) -> RowState:
        """State of the row in a prediction: answered, or the reason why not."""


#: Callback with an episode id and the artifact built for it.
OnArtifact = Callable[[str, str], None]


@runtime_checkable
class TwoPhaseKind(Protocol):
    """A row kind that chooses the protocol of its rows, and may let the system first build a text to answer from."""

    def reading(self, questions: Sequence[Row], requested: str | None) -> str:
        """The protocol for the rows of one file. Raises BenchmarkError if the rows need another than `requested`."""

    def builds(self, questions: Sequence[Row]) -> bool:
        """True if the rows are answered from an artifact, a text that the system builds first."""

    def built(
        self,
        questions: Sequence[Row],
        adapter: Adapter,
        built: Mapping[str, str],
        *,
        on_artifact: OnArtifact,
        should_stop: ShouldStop,
    ) -> list[Row]:
        """Let the system build its artifacts, and return the questions with these artifacts as their text.

        Raises AdapterError if the system cannot build artifacts, or builds an invalid one.

        Args:
            adapter: The system, which does not see the questions yet.
            built: Artifacts of earlier attempts, by episode; these are reused.
            on_artifact: Called with each artifact before the next is built.
            should_stop: Called between two artifacts; if True, `base.Stopped` is raised.
        """


def reading(kind: RowKind, questions: Sequence[Row], requested: str | None) -> str:
    """The protocol for rows. `kind.reading` chooses it if the kind has this method.

    Otherwise it is `requested`, or PROTOCOLS[0] if that is None.
    """
    if isinstance(kind, TwoPhaseKind):
        return kind.reading(questions, requested)
    return requested or PROTOCOLS[0]


def kinds() -> dict[str, str]:
    """The row kind of each suite that has adapters: suite name -> `module:attribute`."""
    from evaluation.core.suite import usable  # slow, and not needed for our own kinds

    added = {name: suite.row_kind for name, suite in usable().items() if name not in KINDS and suite.row_kind}
    return KINDS | added


@cache
def get_kind(suite: str) -> RowKind:
    """The row kind of a suite. Raises UnknownNameError."""
    kind: RowKind = find("kind of rows", suite, KINDS if suite in KINDS else kinds())
    return kind


def find_kind(row: JsonObject) -> RowKind | None:
    """The row kind that recognises a row. Returns None if no kind does."""
    found = _recognising(row, KINDS)  # ours first: the others need metadata
    return found or _recognising(row, [name for name in kinds() if name not in KINDS])


def _recognising(row: JsonObject, suites: Iterable[str]) -> RowKind | None:
    return next((kind for kind in map(get_kind, suites) if kind.recognises(row)), None)


def kind_of(row: JsonObject) -> RowKind:
    """The row kind that recognises a row. Raises BenchmarkError, which lists the required fields, if no kind does."""
    if (kind := find_kind(row)) is None:
        raise BenchmarkError(
            "the first row is neither a question (fields id and question) nor a timeline (initial_state and events)"
        )
    return kind
