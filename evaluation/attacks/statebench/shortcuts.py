"""Attackers that guess, use shortcuts (positions, ids, names, the wording of the question), or know the templates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from evaluation.attacks.plan import Answers, Example, PublicLine, Untaught
from evaluation.attacks.statebench.view import TimelineView
from evaluation.attacks.table_reader import RHYTHMS, Feature, TableReader
from evaluation.statebench.records import Response, writes_of

VIEW = TimelineView()
PLACES = ("first", "last")
#: Parts that differ between timelines of one template: names, amounts, days.
_NAMED = re.compile(r"(?<=\s)[A-Z][a-z]+|\$?\d[\d,.%:]*")


class NullReader(Untaught):
    """Responds with an empty text."""

    def __call__(self, line: PublicLine) -> Iterator[Response]:
        for question in VIEW.questions(line):
            yield VIEW.nothing(question)


def constant_reader(examples: Sequence[Example], view: TimelineView = VIEW) -> Answers:
    """Make an attacker that always gives the most frequent decision of the training rows."""
    return TableReader(view, {"nothing": lambda question: None}, examples, ("say",))


def position_reader(examples: Sequence[Example], view: TimelineView = VIEW) -> Answers:
    """Make an attacker that repeats the text at a fixed position. It learns a position for each number of texts."""
    features: dict[str, Feature[Any]] = {
        "nothing": lambda question: None,
        "how many texts": lambda question: len(question.texts),
    }
    return TableReader(view, features, examples, PLACES)


def id_reader(examples: Sequence[Example], view: TimelineView = VIEW) -> Answers:
    """Make an attacker that answers by the timeline's id, and by its line number and line length in the file."""
    features: dict[str, Feature[Any]] = {
        "nothing": lambda question: None,
        "first digit": lambda question: question.timeline["id"][1:2],
        "last digit": lambda question: question.timeline["id"][-1:],
        "parity of the id": lambda question: sum(map(ord, question.timeline["id"])) % 2,
        "length of the line": lambda question: question.line.length,
        **RHYTHMS,
    }
    return TableReader(view, features, examples, ("say", *PLACES))


def name_reader(examples: Sequence[Example], view: TimelineView = VIEW) -> Answers:
    """Make an attacker that answers by the actors and field names of a timeline, without reading texts."""
    features: dict[str, Feature[Any]] = {
        "nothing": lambda question: None,
        "fields": lambda question: (*sorted(question.timeline),),
        "fields of facts": _fields_of_facts,
        "actors": lambda question: (*sorted(map(str, question.timeline.get("actors", ()))),),
    }
    return TableReader(view, features, examples, ("say", *PLACES))


def wording_reader(examples: Sequence[Example], view: TimelineView = VIEW) -> Answers:
    """Make an attacker that answers by the question alone: its wording without names, first words, and length."""
    features: dict[str, Feature[Any]] = {
        "wording": lambda question: masked(question.prompt),
        "first words": lambda question: tuple(question.prompt.lower().split()[:2]),
        "how many words": lambda question: len(question.prompt.split()),
    }
    return TableReader(view, features, examples, ("say", *PLACES))


def template_reader(examples: Sequence[Example], view: TimelineView = VIEW) -> Answers:
    """Make an attacker that answers by the generator's templates: the question without names, and the events."""
    features: dict[str, Feature[Any]] = {
        "question": lambda question: masked(question.prompt),
        "question and last text": lambda question: (
            masked(question.prompt), *(masked(text) for text in question.texts[-1:])
        ),
        "question and events": lambda question: (masked(question.prompt), question.kinds),
        "events": lambda question: question.kinds,
    }  # fmt: skip
    return TableReader(view, features, examples, ("say", *PLACES))


def masked(text: str) -> str:
    """The text with `#` in place of names, amounts and days."""
    return _NAMED.sub("#", text)


def _fields_of_facts(question: Any) -> tuple[str, ...]:
    names = {name for fact in question.timeline["initial_state"]["persistent_facts"] for name in fact}
    for event in question.timeline["events"]:
        names.update(name for write in writes_of(event) for name in write)
    return tuple(sorted(names))
