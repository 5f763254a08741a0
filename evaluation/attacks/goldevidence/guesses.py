"""Attackers that guess: no answer, a frequent answer, a frequent value, or any line about the key asked for."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import cast
from zlib import crc32

from evaluation.attacks.goldevidence.view import RowView, asked, cites
from evaluation.attacks.plan import Example, PublicLine, Untaught
from evaluation.goldevidence.records import EpisodePrediction, EpisodeRow
from evaluation.goldevidence.retrieval.terms import most_mentioned

_NAMES = re.compile(r"tag\.\d+|[a-z]+-\d+")
VIEW = RowView()


class NullReader(Untaught):
    """Answers null to everything."""

    def __call__(self, line: PublicLine) -> Iterator[EpisodePrediction]:
        yield VIEW.nothing(asked(line))


class ConstantReader:
    """Gives the most frequent right answer to questions of the same wording (without names) in the training rows."""

    def __init__(self, examples: Sequence[Example]) -> None:
        values: dict[str | None, Counter[str | None]] = defaultdict(Counter)
        for example in examples:
            values[self.key(example.line)][cast(EpisodeRow, example.row)["gold"]["value"]] += 1
        self._values = {key: counter.most_common(1)[0][0] for key, counter in values.items()}

    def __call__(self, line: PublicLine) -> Iterator[EpisodePrediction]:
        yield {"id": line.row["id"], "value": self._values.get(self.key(line)), "support_ids": []}

    def key(self, line: PublicLine) -> str | None:
        return wording(cast(EpisodeRow, line.row)["question"])


class AnyLineOfKey(Untaught):
    """Cites a pseudo-random line about the key of the question."""

    def __call__(self, line: PublicLine) -> Iterator[EpisodePrediction]:
        question = asked(line)
        lines = [entry for entry in question.lines if entry.key == question.question.key]
        if not lines:
            yield VIEW.nothing(question)
            return
        yield cites(question, lines[crc32(question.row["id"].encode()) % len(lines)])


class MostMentioned(Untaught):
    """Gives the value that the text states most often for the question's key; on ties the first value."""

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
    """The question with its keys and names masked as `#`."""
    return _NAMES.sub("#", question.partition("\n")[0])
