"""Probes: texts to search for in the contexts of a query, such as required phrases, valid and invalid values.

If a query has typed gold, the probes are its live (current) and dead (outdated) evidence. A fact is found by its
value. A turn is found by its full text, or by all its values (typed values, the gold's value, required or forbidden
phrases) that do not occur in evidence of the opposite kind. Evidence whose value or text the opposite kind also states
is left out, because it would not discriminate. Without typed gold, the probes are the values of the valid facts that
the reader may see, and of the invalid facts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from evaluation.statebench.context.replay import replay
from evaluation.statebench.context.state import State
from evaluation.statebench.data.truth import Truth, read_record
from evaluation.statebench.facts import classify
from evaluation.statebench.facts.layers import PersistentFact
from evaluation.statebench.grading.phrases import Matcher, released_form, substring_matcher
from evaluation.statebench.grading.typed.evidence import quotable
from evaluation.statebench.grading.typed.quantities import fold
from evaluation.statebench.language.values import find_values
from evaluation.statebench.language.words import says
from evaluation.statebench.records import FrozenEvidence, Timeline, TimelineRecord

_WORDS = re.compile(r"[^\W_]+")


class Shown:
    def __init__(self, text: str) -> None:
        self.text = text
        self.phrases = released_form(text)
        self.words = _words(text)


@lru_cache(maxsize=16)  # contexts at several budgets are often equal
def _words(text: str) -> str:
    """Do the same as `quotable` without its cache, because the text may be long."""
    return f" {' '.join(_WORDS.findall(fold(text)))} "


@dataclass(frozen=True, slots=True)
class Evidence:
    """Evidence to find in a context, as `whole` or by all `parts`. Texts are in the form of `quotable`."""

    whole: str
    parts: tuple[str, ...] = ()

    def is_in(self, context: Shown) -> bool:
        if self.whole in context.words:
            return True
        return bool(self.parts) and all(part in context.words for part in self.parts)


@dataclass(frozen=True, slots=True)
class Value:
    """A fact's value to find in a context: verbatim for a valid fact, else as whole words."""

    text: str
    valid: bool

    def is_in(self, context: Shown) -> bool:
        return self.text in context.text if self.valid else says(context.phrases, self.text.lower())


Probes = tuple[Evidence | Value, ...]


@dataclass(frozen=True, slots=True)
class QueryProbes:
    truth: Truth
    must: tuple[Matcher, ...]
    must_not: tuple[Matcher, ...]
    dead: Probes
    live: Probes
    constraints: Probes


def probes_of(timeline: Timeline, truths: TimelineRecord) -> Iterator[QueryProbes]:
    """Yield for each query of a record the texts to search for in its contexts."""
    for truth in read_record(truths):
        state = replay(timeline, truth.index, detector=None)
        # A fact whose supersession must be noticed counts as invalid.
        valid = [fact for fact in state.held() if fact.alias not in truth.detects]
        seen = [fact for fact in valid if classify.may_see(state.identity, fact.text)]
        if truth.answer is not None:
            right = [truth.answer["value"] or "", *(mention.phrase for mention in truth.must)]
            wrong = [mention.phrase for mention in truth.must_not]
            live = _evidence(truth.answer["live"], truth.answer["dead"], right)
            dead = _evidence(truth.answer["dead"], truth.answer["live"], wrong)
        else:
            live = tuple(Value(fact.text, True) for fact in seen)
            dead = _dead_values(state, truth, valid)
        yield QueryProbes(
            truth,
            tuple(substring_matcher(mention.phrase) for mention in truth.must),
            tuple(substring_matcher(mention.phrase) for mention in truth.must_not),
            dead,
            live,
            tuple(Value(fact.text, True) for fact in seen if fact.is_constraint),
        )


def _dead_values(state: State, truth: Truth, valid: Sequence[PersistentFact]) -> Probes:
    required = {mention.phrase for mention in truth.must}
    dead = [fact.text for fact in state.store if not fact.is_valid or fact.alias in truth.detects]
    return tuple(
        Value(text, False)
        for text in dead
        if text not in required and not any(text in fact.text for fact in valid)
    )


def _evidence(
    side: Sequence[FrozenEvidence], other: Sequence[FrozenEvidence], named: Sequence[str]
) -> Probes:
    said = "".join(quotable(each["text"]) for each in other)
    made = (_probe(each, said, named) for each in side)
    return tuple(each for each in made if each.whole and each.whole not in said)


def _probe(evidence: FrozenEvidence, other: str, named: Sequence[str]) -> Evidence:
    if (value := evidence.get("value")) is not None:
        return Evidence(quotable(value))
    words = quotable(evidence["text"])
    values = {quotable(value.text) for value in find_values(evidence["text"])}
    values |= {phrase for phrase in map(quotable, named) if phrase in words}
    return Evidence(words, tuple(sorted(each for each in values if each and each not in other)))
