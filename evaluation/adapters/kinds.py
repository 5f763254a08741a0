"""What a system needs to know of a benchmark's rows: how they are asked, and how an answer is written.

The runner, the estimate, the command line and the site know this interface and no benchmark. A *question* is
one thing to answer, with an `id`: a row of GoldEvidenceBench is one question, a timeline of StateBench has one
per query.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Protocol

from evaluation.adapters.base import Adapter, Answer, Row
from evaluation.core.errors import BenchmarkError
from evaluation.core.registry import find
from evaluation.core.row_states import RowState

#: By the name of the suite; its adapters come with it.
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

    def recognises(self, row: Mapping[str, Any]) -> bool:
        """Whether a row of a data file is of this kind."""

    def questions(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The questions of rows, without gold. Raises RowError for a row that cannot be asked."""

    def groups(self, questions: Sequence[Row]) -> Iterator[list[Row]]:
        """Questions about the same text, in order of first appearance."""

    def preparation(self, adapter: Adapter, protocol: str) -> Callable[[Row], Row]:
        """What is done to a question before the system is asked: two-phase systems build their artifact first.

        What it returns may raise AdapterError.
        """

    def size(self, question: Row, protocol: str) -> int:
        """Characters of the text that a question is about."""

    def prediction(self, question: Row, answer: Answer) -> Row:
        """The line of a predictions file. Raises AdapterError for an output that breaks the contract."""

    def answered(self, prediction: Mapping[str, Any]) -> str:
        """The id of the question that a line of a predictions file answers."""

    def state(self, prediction: Mapping[str, Any]) -> RowState:
        """Whether a line of a predictions file holds an answer, and if not, why."""


@cache
def get_kind(suite: str) -> RowKind:
    """The row kind of a suite. Raises UnknownNameError."""
    kind: RowKind = find("kind of rows", suite, KINDS)
    return kind


def find_kind(row: Mapping[str, Any]) -> RowKind | None:
    """The kind of a row by what it holds, None where no adapter can answer it."""
    return next((kind for kind in map(get_kind, KINDS) if kind.recognises(row)), None)


def kind_of(row: Mapping[str, Any]) -> RowKind:
    """The same. Raises BenchmarkError that says what rows must hold."""
    if (kind := find_kind(row)) is None:
        raise BenchmarkError(
            "the first row is neither a question (id and question) nor a timeline (initial_state and events)"
        )
    return kind
