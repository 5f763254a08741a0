"""What holds of every answer, whatever the vector: no superseded value in it, and never over budget."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.statebench.conformance.check import Check, Checker
from evaluation.statebench.conformance.context_checks import around, tokens
from evaluation.statebench.conformance.reading import Fact, Reading, of_fact

Vector = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Property:
    """`check` judges one answer; `of` names what it shows, `vacuous` says what is wrong where it never applied."""

    name: str
    of: str
    check: Checker
    vacuous: str


def superseded_never_included(answer: Reading, expected: Any, vector: Vector) -> Iterator[Check]:
    """The value of a superseded fact is not in the context, unless something valid quotes it."""
    dead = [fact for fact in answer.dead() if _words(fact)]
    if not dead:
        return
    text, valid = _plain(answer.text), " | ".join(_words(fact) for fact in answer.live())
    outside = _plain(" | ".join(_environment(vector)))
    for fact in dead:
        words = _words(fact)
        if not _says(valid, words) and not _says(outside, words):
            said = f"the context of {vector['name']} is free of the superseded {of_fact(fact, 'value')!r}"
            yield Check(said, not _says(text, words), around(text, words))


def within_budget(answer: Reading, expected: Any, vector: Vector) -> Iterator[Check]:
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
    Property("property_within_budget", "within_budget", within_budget, "nothing was answered"),
)


def _environment(vector: Vector) -> Iterator[str]:
    """Every value that the environment ever has."""
    timeline = vector["timeline"]
    yield from map(str, timeline["initial_state"]["environment"].values())
    for event in timeline["events"]:
        yield from (str(one["value"]) for one in event.get("writes", ()) if one["layer"] == "environment")


def _words(fact: Fact) -> str:
    """A fact's value as words; empty where it is no text."""
    value = of_fact(fact, "value")
    return _plain(value) if isinstance(value, str) else ""


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def _says(text: str, words: str) -> bool:
    """Whether a text holds the words as whole words."""
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text) is not None
