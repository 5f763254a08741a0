"""Connects rows with adapters. Each row is one question about an episode's log, its book or a few candidate lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import cast

from evaluation.adapters import ADAPTERS
from evaluation.adapters.base import Adapter, Answer, ShouldStop
from evaluation.adapters.kinds import OnArtifact
from evaluation.core.errors import RowError
from evaluation.core.records import JsonObject
from evaluation.core.row_states import RowState
from evaluation.goldevidence import protocols, public
from evaluation.goldevidence.adapters.books.artifacts import ArtifactShelf, first_phase
from evaluation.goldevidence.adapters.outputs import check_output, support_limit
from evaluation.goldevidence.adapters.shown import by_shown_text, citable_ids, shown
from evaluation.goldevidence.adapters.within import within, words_of
from evaluation.goldevidence.data.answers import row_state
from evaluation.goldevidence.protocols import Protocol, protocol_of
from evaluation.goldevidence.records import EpisodePrediction, EpisodeRow


class EpisodeRows:
    """Connects rows of GoldEvidenceBench with adapters (`kinds.RowKind`). An answer is `{"value", "support_ids"}`."""

    name = "goldevidence"
    adapters: Mapping[str, str] = ADAPTERS

    def recognises(self, row: JsonObject) -> bool:
        return "question" in row

    def questions(self, rows: Iterable[JsonObject]) -> Iterator[EpisodeRow]:
        """Yield the rows without gold. A row that names a protocol keeps only the fields that this protocol shows."""
        for number, row in enumerate(rows, 1):
            if not isinstance(row.get("id"), str) or not isinstance(row.get("question"), str):
                raise RowError(f"row {number} has no id or no question")
            yield handed(cast(EpisodeRow, row))

    def reading(self, questions: Sequence[EpisodeRow], requested: str | None) -> str:
        """Return the protocol of the first row that names one, else `requested`.

        Raises BenchmarkError if the row and `requested` name different protocols.
        """
        return protocols.reading(next(filter(protocol_of, questions), {}), requested)

    def builds(self, questions: Sequence[EpisodeRow]) -> bool:
        return any(protocol_of(row) is Protocol.BUILD for row in questions)

    def built(
        self,
        questions: Sequence[EpisodeRow],
        adapter: Adapter,
        built: Mapping[str, str],
        *,
        on_artifact: OnArtifact,
        should_stop: ShouldStop,
    ) -> list[EpisodeRow]:
        """Return the rows to answer. Under `build` the text of each row is the artifact built for its episode."""
        return first_phase(questions, adapter, built, on_artifact=on_artifact, should_stop=should_stop)

    def groups(self, questions: Sequence[EpisodeRow]) -> Iterator[list[EpisodeRow]]:
        """Yield groups of questions about the same text. The prompts of a group begin alike."""
        yield from by_shown_text(questions)

    def preparation(self, adapter: Adapter, protocol: str) -> Callable[[EpisodeRow], EpisodeRow]:
        """Return a function that reduces a row to the text that the adapter reads under `protocol`."""
        return ArtifactShelf(adapter, protocol).prepared

    def size(self, question: EpisodeRow, protocol: str) -> int:
        """Return the length, in characters, of the text that an adapter reads for a row."""
        if protocol_of(question) is Protocol.BUILD:
            return len(question.get("book") or question["document"])
        return len(shown(question, protocol).text)

    def within(self, question: EpisodeRow, protocol: str, limit: int) -> EpisodeRow:
        return within(question, protocol, limit)

    def words(self, question: EpisodeRow, protocol: str) -> int:
        return words_of(question, protocol)

    def prediction(self, question: EpisodeRow, answer: Answer) -> EpisodePrediction:
        """Return a line of the predictions file: the row's id with its answer, or with its row state if unanswered."""
        output = check_output(
            answer.output,
            row_id=question["id"],
            known_ids=citable_ids(question),
            max_support=support_limit(question),
        )
        return cast(EpisodePrediction, {"id": question["id"], **output})

    def answered(self, prediction: JsonObject) -> str:
        return str(prediction["id"])

    def state(self, prediction: JsonObject) -> RowState:
        return row_state(prediction)


def handed(row: EpisodeRow) -> EpisodeRow:
    """Return the row as a system receives it: without gold, and with only the fields of the protocol that it names."""
    protocol = protocol_of(row)
    if protocol is None:  # made before there were protocols: such rows keep all fields
        return cast(EpisodeRow, {name: value for name, value in row.items() if name != "gold"})
    shown = protocols.shown_by(public.public_row(row, labels=False), protocol)
    return cast(EpisodeRow, {name: value for name, value in shown.items() if name in public.FIELDS})


KIND = EpisodeRows()
