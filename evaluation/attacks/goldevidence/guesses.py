"""Guesses: answers from no more than the question. The best of them is the floor."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import cast
from zlib import crc32

from evaluation.attacks.goldevidence.view import RowView, asked, cites
from evaluation.attacks.plan import Example, PublicLine
from evaluation.goldevidence.records import EpisodePrediction, EpisodeRow
from evaluation.goldevidence.retrieval.terms import most_mentioned

_NAMES = re.compile(r"tag\.\d+|[a-z]+-\d+")
VIEW = RowView()


class NullReader:
    """Answers null to everything."""

    def __init__(self, examples: Sequence[Example]) -> None:
        """Learns nothing."""

    def __call__(self, line: PublicLine) -> Iterator[EpisodePrediction]:
        yield VIEW.nothing(asked(line))


class ConstantReader:
    """The most frequent answer of the twin to questions of the same wording, names left out."""

    def __init__(self, examples: Sequence[Example]) -> None:
        values: dict[str, Counter[str | None]] = defaultdict(Counter)
        for example in examples:
            row = cast(EpisodeRow, example.row)
            values[wording(row["question"])][row["gold"]["value"]] += 1
        self._values = {question: counter.most_common(1)[0][0] for question, counter in values.items()}

    def __call__(self, line: PublicLine) -> Iterator[EpisodePrediction]:
        row = cast(EpisodeRow, line.row)
        yield {"id": row["id"], "value": self._values.get(wording(row["question"])), "support_ids": []}


class AnyLineOfKey:
    """A pseudo-random line about the key of the question."""

    def __init__(self, examples: Sequence[Example]) -> None:
        """Learns nothing."""

    def __call__(self, line: PublicLine) -> Iterator[EpisodePrediction]:
        question = asked(line)
        lines = [entry for entry in question.lines if entry.key == question.question.key]
        if not lines:
            yield VIEW.nothing(question)
            return
        yield cites(question, lines[crc32(question.row["id"].encode()) % len(lines)])


class MostMentioned:
    """The value that the text gives the key most often; of ties the first."""

    def __init__(self, examples: Sequence[Example]) -> None:
        """Learns nothing."""

    def __call__(self, line: PublicLine) -> Iterator[EpisodePrediction]:
        question = asked(line)
        text = question.row.get("document") or question.row.get("book") or ""
        entry = most_mentioned(text).get(question.question.key or "")
        if entry is None:
            yield VIEW.nothing(question)
            return
        answer = cites(question, entry)
        yield answer if entry.uid else {**VIEW.nothing(question), "value": answer["value"]}


def wording(question: str) -> str:
    """A question without its key or name."""
    return _NAMES.sub("#", question.partition("\n")[0])
