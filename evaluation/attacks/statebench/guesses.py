"""Guesses and heuristics: nothing, the most frequent decision, the text that mentions last what is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from evaluation.attacks.plan import Answers, Example, PublicLine
from evaluation.attacks.statebench.view import TimelineView, response
from evaluation.attacks.table_reader import TableReader
from evaluation.statebench.records import Response

VIEW = TimelineView()
_WORD = re.compile(r"[a-z]{4,}")


class NullReader:
    """Says nothing."""

    def __init__(self, examples: Sequence[Example]) -> None:
        """It learns nothing."""

    def __call__(self, line: PublicLine) -> Iterator[Response]:
        for question in VIEW.questions(line):
            yield VIEW.nothing(question)


def constant_reader(examples: Sequence[Example]) -> Answers:
    """The most frequent decision of the twin, whatever is asked."""
    return TableReader(VIEW, {"nothing": lambda question: None}, examples, ("say",))


class LastMention:
    """Repeats the last text that shares the most words with the question."""

    def __init__(self, examples: Sequence[Example]) -> None:
        """It learns nothing."""

    def __call__(self, line: PublicLine) -> Iterator[Response]:
        for question in VIEW.questions(line):
            words = set(_WORD.findall(question.prompt.lower()))
            shared = [
                (len(words & set(_WORD.findall(text.lower()))), n) for n, text in enumerate(question.texts)
            ]
            most, place = max(shared, default=(0, 0))
            yield response(question, question.texts[place]) if most else VIEW.nothing(question)
