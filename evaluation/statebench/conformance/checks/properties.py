"""Properties that every answer must have: no superseded, drafted or supposed value, and never over budget."""

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
    read_field,
)
from evaluation.statebench.facts.scopes import UNREAL
from evaluation.statebench.records import writes_of


@dataclass(frozen=True, slots=True)
class Property:
    """A check of all answers for the requirement `of`. If it applies to no answer, it fails with the text `vacuous`."""

    name: str
    of: str
    check: Checker
    vacuous: str


def superseded_never_included(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    """Check that the context has no superseded value, unless a valid fact quotes the value."""
    dead = [fact for fact in answer.dead() if _words(fact)]
    yield from _left_out(answer, dead, "superseded", vector)


def unreal_never_included(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    """Check that the context has no drafted or supposed value, unless a valid fact quotes the value."""
    unreal = [fact for fact in answer.facts if _words(fact) and read_field(fact, "scope") in UNREAL]
    nothing = Check(
        f"{vector['name']} has no drafted or supposed value that its context could reveal", True, ""
    )
    yield from list(_left_out(answer, unreal, "drafted or supposed", vector)) or [nothing]


def _left_out(answer: CheckedAnswer, facts: Sequence[Fact], called: str, vector: Vector) -> Iterator[Check]:
    """Check for each fact that the context lacks its value, unless a valid fact or the environment repeats it."""
    live = (fact for fact in answer.live() if read_field(fact, "scope") not in UNREAL)
    holds = _plain(" | ".join([*map(_words, live), *_environment(vector)]))
    text = _plain(answer.text)
    for fact in facts:
        if not _says(holds, words := _words(fact)):
            claim = (
                f"the context of {vector['name']} does not contain the {called} {read_field(fact, 'value')!r}"
            )
            yield Check(claim, not _says(text, words), around(text, words))


def within_budget(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    """Check that the context has at most as many tokens as its budget."""
    used, budget = tokens(answer.text), vector["token_budget"]
    yield Check(f"{vector['name']} takes at most {budget} tokens", used <= budget, f"{used} tokens")


PROPERTIES = (
    Property(
        "property_superseded_never_included",
        "superseded_never_included",
        superseded_never_included,
        "no answer had a superseded fact in 'facts', so nothing could be judged",
    ),
    Property(
        "property_unreal_never_included",
        "unreal_never_included",
        unreal_never_included,
        "there was no answer to judge",
    ),
    Property("property_within_budget", "within_budget", within_budget, "there was no answer to judge"),
)


def _environment(vector: Vector) -> Iterator[str]:
    timeline = vector["timeline"]
    yield from map(str, timeline["initial_state"]["environment"].values())
    for event in timeline["events"]:
        yield from (str(one["value"]) for one in writes_of(event) if one["layer"] == "environment")


def _words(fact: Fact) -> str:
    value = read_field(fact, "value")
    return _plain(value) if isinstance(value, str) else ""


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def _says(text: str, words: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text) is not None
