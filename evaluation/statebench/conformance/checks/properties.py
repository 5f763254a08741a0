"""What holds of every answer, whatever the vector: no value in it that is superseded, drafted or supposed, and never
over budget.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.statebench.conformance.checks.context_checks import around, tokens
from evaluation.statebench.conformance.checks.reading import (
    Check,
    CheckedAnswer,
    Checker,
    Fact,
    Vector,
    of_fact,
)
from evaluation.statebench.facts.scopes import UNREAL
from evaluation.statebench.records import writes_of


@dataclass(frozen=True, slots=True)
class Property:
    """`check` judges one answer; `of` names what it shows, `vacuous` says what is wrong where it never applied."""

    name: str
    of: str
    check: Checker
    vacuous: str


def superseded_never_included(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    """The value of a superseded fact is not in the context, unless something valid quotes it."""
    dead = [fact for fact in answer.dead() if _words(fact)]
    yield from _left_out(answer, dead, "superseded", vector)


def unreal_never_included(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    """The value of a drafted or supposed fact is not in the context, unless something that holds quotes it."""
    unreal = [fact for fact in answer.facts if _words(fact) and of_fact(fact, "scope") in UNREAL]
    nothing = Check(f"{vector['name']} has nothing drafted or supposed to show", True, "")
    yield from list(_left_out(answer, unreal, "drafted or supposed", vector)) or [nothing]


def _left_out(answer: CheckedAnswer, facts: Sequence[Fact], called: str, vector: Vector) -> Iterator[Check]:
    """One check per fact whose value nothing that holds somewhere repeats: a real fact, or the environment."""
    live = (fact for fact in answer.live() if of_fact(fact, "scope") not in UNREAL)
    holds = _plain(" | ".join([*map(_words, live), *_environment(vector)]))
    text = _plain(answer.text)
    for fact in facts:
        if not _says(holds, words := _words(fact)):
            claim = f"the context of {vector['name']} is free of the {called} {of_fact(fact, 'value')!r}"
            yield Check(claim, not _says(text, words), around(text, words))


def within_budget(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    """The context costs no more than its budget."""
    used, budget = tokens(answer.text), vector["token_budget"]
    yield Check(f"{vector['name']} takes at most {budget} tokens", used <= budget, f"{used} tokens")


PROPERTIES = (
    Property(
        "property_superseded_never_included",
        "superseded_never_included",
        superseded_never_included,
        "no answer had a superseded fact in 'facts', so that nothing could be judged",
    ),
    Property(
        "property_unreal_never_included",
        "unreal_never_included",
        unreal_never_included,
        "nothing was answered",
    ),
    Property("property_within_budget", "within_budget", within_budget, "nothing was answered"),
)


def _environment(vector: Vector) -> Iterator[str]:
    """Every value that the environment ever has."""
    timeline = vector["timeline"]
    yield from map(str, timeline["initial_state"]["environment"].values())
    for event in timeline["events"]:
        yield from (str(one["value"]) for one in writes_of(event) if one["layer"] == "environment")


def _words(fact: Fact) -> str:
    """A fact's value as words; empty where it is no text."""
    value = of_fact(fact, "value")
    return _plain(value) if isinstance(value, str) else ""


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def _says(text: str, words: str) -> bool:
    """Whether a text holds the words as whole words."""
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text) is not None
