"""The retriever: chooses the lines of a whole ledger to show, by the scores of other retrievers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from evaluation.goldevidence.data.ledger import Entry, parse_book
from evaluation.goldevidence.mistakes.record import LineShown
from evaluation.goldevidence.retrieval import Pool, get_retriever
from evaluation.goldevidence.retrieval.dense import SETTING
from evaluation.gym.learners.base import SILENT, Learner, Line, entry_of, latest_update
from evaluation.gym.learners.network import Examples, Network
from evaluation.gym.learners.selector import grouped
from evaluation.gym.levels import Level
from evaluation.gym.parts import Reply, Score
from evaluation.gym.tasks import Task

#: Number of lines that the retriever shows.
SHOWN = 2
NAMES = ("bm25", "tfidf", "dense", "key_in_question", "step", "is_set", "is_clear", "is_note", "words")
_OPS = ("SET", "CLEAR", "NOTE")


class Retriever(Learner):
    """Shows the two lines with the highest scores, on ties the later lines. Untrained, it shows the two latest lines.

    The feature for dense retrieval is 0 unless an embedding model is set (`GOLDEVIDENCEBENCH_EMBEDDING_MODEL`).
    """

    name, form = "retriever", "reranker"
    about = "Finds the line that answers among all lines of a book; shows two lines."
    names = NAMES
    training = ("book_kv", "book_kv_commentary", "book_counter")
    held_out = ("book_set", "book_relational")

    def level(self, at: float) -> Level:
        return Level(length=at / 2, rivals=at, notes=at)

    def shown(self, network: Network, lines: Sequence[LineShown], question: str) -> list[LineShown]:
        found = _found(network, [entry_of(line) for line in lines], question)
        return [lines[place] for place in found]

    def chosen(self, network: Network, lines: Sequence[LineShown], key: str) -> LineShown | None:
        return latest_update(lines, key)

    def reply(self, network: Network, task: Task) -> Reply:
        """Write a reply with the uids of the lines to show, and without an answer."""
        entries = parse_book(_book(task))
        found = _found(network, entries, question_of(task))
        return {**SILENT, "shown_uids": [entries[place].uid for place in found]}

    def success(self, score: Score) -> float | None:
        return score.evidence_shown

    def examples(self, lines: Iterable[Line]) -> Examples:
        features, right = list[NDArray[np.float64]](), list[int]()
        for line in lines:
            entries = [entry_of(each) for each in line["pool"]]
            places = {entry.uid: place for place, entry in enumerate(entries)}
            chosen = [places[line["positive_uid"]], *(places[uid] for uid in line["negative_uids"])]
            features.append(entry_features(entries, line["query"])[chosen])
            right.append(0)
        return grouped(features, right)


def _found(network: Network, entries: Sequence[Entry], question: str) -> list[int]:
    if not entries:
        return []
    scores = network(entry_features(entries, question))[:, 0]
    order = np.lexsort((-np.array([entry.step for entry in entries]), -scores))
    return [int(place) for place in order[:SHOWN]]


def question_of(task: Task) -> str:
    return str(task.row["question"]).partition("\n")[0]  # type: ignore[typeddict-item]


def _book(task: Task) -> str:
    return str(task.row["book"])  # type: ignore[typeddict-item]


def entry_features(entries: Sequence[Entry], question: str) -> NDArray[np.float64]:
    """Features of lines, [lines, features] as in `NAMES`. Each retrieval score is divided by its maximum.

    Args:
        entries: All lines.
    """
    pool = Pool(entries)
    dense = (
        _scaled(get_retriever("dense")(pool, question, ""))
        if os.environ.get(SETTING)
        else np.zeros(len(entries))
    )
    last = max((entry.step for entry in entries), default=1) or 1
    columns = [
        _scaled(get_retriever("bm25")(pool, question, "")),
        _scaled(get_retriever("tfidf")(pool, question, "")),
        dense,
        np.array([entry.key in question for entry in entries], dtype=np.float64),
        np.array([entry.step / last for entry in entries]),
        *(np.array([entry.op == op for entry in entries], dtype=np.float64) for op in _OPS),
        pool.terms.lengths / 8,
    ]
    return np.stack(columns, axis=1)


def _scaled(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    most = float(np.max(scores, initial=0.0))
    return scores / most if most > 0 else np.zeros(len(scores))
