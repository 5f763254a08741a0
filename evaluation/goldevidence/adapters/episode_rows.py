"""The rows of GoldEvidenceBench: each is one question about an episode's log, its book or a few candidates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from evaluation.adapters import ADAPTERS
from evaluation.adapters.base import Adapter, Answer, Row
from evaluation.core.errors import RowError
from evaluation.core.row_states import RowState
from evaluation.goldevidence.adapters.books.artifacts import ArtifactShelf
from evaluation.goldevidence.adapters.outputs import check_output, support_limit
from evaluation.goldevidence.adapters.shown import by_shown_text, citable_ids, shown
from evaluation.goldevidence.data.answers import row_state


class EpisodeRows:
    """See `kinds.RowKind`. An answer is `{"value", "support_ids"}`."""

    name = "goldevidence"
    adapters: Mapping[str, str] = ADAPTERS

    def recognises(self, row: Mapping[str, Any]) -> bool:
        """Rows with a question."""
        return "question" in row

    def questions(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The rows themselves, without gold."""
        for number, row in enumerate(rows, 1):
            if not isinstance(row.get("id"), str) or not isinstance(row.get("question"), str):
                raise RowError(f"row {number} has no id or no question")
            yield {name: value for name, value in row.items() if name != "gold"}

    def groups(self, questions: Sequence[Row]) -> Iterator[list[Row]]:
        """Questions that show the same text share their prompt's prefix."""
        yield from by_shown_text(questions)

    def preparation(self, adapter: Adapter, protocol: str) -> Callable[[Row], Row]:
        """Under `closed_book` the book that the system builds takes the place of log and book."""
        return ArtifactShelf(adapter, protocol).prepared

    def size(self, question: Row, protocol: str) -> int:
        """Characters of the book, the log or the candidates."""
        return len(shown(question, protocol).text)

    def prediction(self, question: Row, answer: Answer) -> Row:
        """Exactly `id`, `value` and `support_ids`; or `id` and the state that says why there is no answer."""
        output = check_output(
            answer.output,
            row_id=question["id"],
            known_ids=citable_ids(question),
            max_support=support_limit(question),
        )
        return {"id": question["id"], **output}

    def answered(self, prediction: Mapping[str, Any]) -> str:
        """The row's id."""
        return str(prediction["id"])

    def state(self, prediction: Mapping[str, Any]) -> RowState:
        """Whether the line holds an answer, and if not, why."""
        return row_state(prediction)


KIND = EpisodeRows()
