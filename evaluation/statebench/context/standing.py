"""Resolves conflicting claims about a subject: the higher authority overrules, then the narrower place.

Contexts leave out overruled turns, so that a model does not choose between a policy's 15% and an employee's 25%.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evaluation.statebench.detection.clause import clauses
from evaluation.statebench.detection.slot import wording
from evaluation.statebench.detection.turn_features import TurnFeatures, turn_features
from evaluation.statebench.facts.authority import Level, is_title, level
from evaluation.statebench.facts.layers import PersistentFact, WorkingSetItem
from evaluation.statebench.facts.scopes import GLOBAL
from evaluation.statebench.language.memo import memo
from evaluation.statebench.language.values import Value, find_values
from evaluation.statebench.language.words import sentences, stems

Spoken = tuple[WorkingSetItem, TurnFeatures]  # a turn or a note, and its features

#: Words that limit a subject without naming it: "maximum discount" is about the discount.
RULE_WORDS = stems(
    "policy rule limit cap max maximum minimum guideline standard ceiling floor company general"
)
_PERMITS = stems("go give fine ok okay allow allowed apply get offer set")
_AMOUNTS = frozenset(("percent", "money", "number"))
_MOST = re.compile(
    r"\b(?:max(?:imum)?|at most|up to|no more than|cap(?:s|ped)?|limit(?:s|ed)?|ceiling|not exceed|below|under)\b"
)
_LEAST = re.compile(r"\b(?:min(?:imum)?|at least|no less than|floor|not below|above|over)\b")
_STAFF = frozenset(
    "employee staff colleague coworker clerk rep salesperson agent teammate peer associate".split()
)
_SAYS = (
    r"(?:says?|said|tells?|told|claim(?:s|ed)?|offer(?:s|ed)?|promise[sd]?|want(?:s|ed)?|thinks?|thought|writes?|wrote"
    r"|cap(?:s|ped)?|sets?|limit(?:s|ed)?|allow(?:s|ed)?|require[sd]?|state[sd]?|mention(?:s|ed)?|approve[sd]"
    r"|insist(?:s|ed)?|suggest(?:s|ed)?|quote[sd]?|mandate[sd]?|is (?=that|an? (?:max|min|cap|limit)))"
)
_VOICE = re.compile(
    rf"(?:^|[,;.] |\bbut |\band |\bhowever,? )(?P<title>(?:[a-z][a-z-]* ){{0,3}}[a-z][a-z-]*) {_SAYS}\b"
)
_TAG = re.compile(r"^\[?(?P<title>[a-z][a-z-]*(?: [a-z-]+)?)\]?: ")


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim about a quantity, such as a budget, with the authority of the person who makes it.

    `names` are the word stems of its subject. `is_narrow`: the claim holds only in a place, such as a task.
    `bound` is 1 for a maximum, -1 for a minimum, else 0.
    """

    names: frozenset[str]
    values: tuple[Value, ...]
    level: Level
    is_narrow: bool
    bound: int


@memo
def voice(text: str) -> Level | None:
    """Authority that a text names as its source: "An employee says …", "Policy: …". None if it names no source."""
    title = _title(text)
    if is_title(title):
        return level(title)
    return Level.EMPLOYEE if title.rpartition(" ")[2] in _STAFF else None


@memo
def is_policy(text: str) -> bool:
    """True if a text states a policy: "Company policy is a maximum discount of 15%"."""
    return _title(text).rpartition(" ")[2] == "policy"


@memo
def _title(text: str) -> str:
    lowered = text.lower()
    match = _TAG.match(lowered) or _VOICE.search(lowered)
    return match["title"] if match else ""


def outranked(said: Sequence[Spoken], held: Iterable[PersistentFact], reader: Level) -> set[str]:
    """Texts of turns and notes that another claim overrules. `reader` is the authority of texts that name no source."""
    valued = [pair for pair in said if pair[1].values]
    if not valued:
        return set()
    spoken = [(item, _spoken((item.value, item.scope != GLOBAL, reader))) for item, _ in valued]
    claims = [(item, claim) for item, claim in spoken if claim is not None]
    if not claims:
        return set()
    above = [claim for item, claim in claims if voice(item.value) is not None]
    written = (_of_fact((fact.key, fact.text, fact.source.level, fact.scope != GLOBAL)) for fact in held)
    above += filter(None, written)
    return {item.value for item, claim in claims if any(_stands_above(other, claim) for other in above)}


def _only_claims(text: str) -> bool:
    """True if a text states only a single claim. False for "They want 20%. I have the VP's approval"."""
    return voice(text) is not None or (len(sentences(text)) == 1 and len(clauses(text)) == 1)


@memo
def _of_fact(written: tuple[str, str, Level, bool]) -> Claim | None:
    key, text, told, is_narrow = written
    read = wording(key, text)
    values, names = _amounts(read.values), read.key_stems - RULE_WORDS
    return Claim(names, values, told, is_narrow, bound_of(f"{key} {text}")) if values and names else None


@memo
def _spoken(said: tuple[str, bool, Level]) -> Claim | None:
    text, is_narrow, reader = said
    features = turn_features(text)
    values = _amounts(features.values)
    if not values or not _only_claims(text):
        return None
    named = (told for told in (features.tagged, voice(text), features.quoted) if told is not None)
    return Claim(_subject(text), values, next(named, reader), is_narrow, bound_of(text))


@memo
def _subject(text: str) -> frozenset[str]:
    """Stems of a text without its values, its source, and words of permission."""
    lowered = text.lower()
    for pattern in (_TAG, _VOICE):
        lowered = pattern.sub(" ", lowered, count=1)
    valued = frozenset().union(*[stems(value.text) for value in find_values(text)])
    return stems(lowered) - RULE_WORDS - valued - _PERMITS


def _amounts(values: Iterable[Value]) -> tuple[Value, ...]:
    return tuple([value for value in values if value.kind in _AMOUNTS])


@memo
def bound_of(text: str) -> int:
    """1 if a text states a maximum, -1 if a minimum, else 0."""
    lowered = text.replace("_", " ").lower()
    return 1 if _MOST.search(lowered) else -1 if _LEAST.search(lowered) else 0


def _stands_above(one: Claim, other: Claim) -> bool:
    """True if one claim overrules another: same subject, conflicting amounts, higher authority or narrower place."""
    if (one.level, one.is_narrow) <= (other.level, other.is_narrow) or one.level < other.level:
        return False
    if not (one.names <= other.names or len(one.names & other.names) > 1):
        return False
    return all(any(breaks(new, old, one.bound, other.bound) for old in one.values) for new in other.values)


def breaks(value: Value, limit: Value, bound: int, claimed: int = 0) -> bool:
    """True if a value contradicts a limit.

    A maximum (`bound` 1) is contradicted by greater values, a minimum (-1) by smaller values, and an exact value (0) by
    other values. Two different maxima or two different minima (`claimed` equals `bound`) also contradict each other.
    """
    if not value.conflicts(limit):
        return False
    if not bound or claimed == bound:
        return True
    return (float(value.canon) - float(limit.canon)) * bound > 0
