"""Attackers that guess: an empty answer, or the most frequent decision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evaluation.attacks.plan import Answers, Example, PublicLine, Untaught
from evaluation.attacks.statebench.view import TimelineView
from evaluation.attacks.table_reader import TableReader
from evaluation.statebench.records import Response

VIEW = TimelineView()


class NullReader(Untaught):
    """Responds with an empty text."""

    def __call__(self, line: PublicLine) -> Iterator[Response]:
        for question in VIEW.questions(line):
            yield VIEW.nothing(question)


def constant_reader(examples: Sequence[Example], view: TimelineView = VIEW) -> Answers:
    """Gives the twin's most frequent decision, whatever is asked."""
    return TableReader(view, {"nothing": lambda question: None}, examples, ("say",))
