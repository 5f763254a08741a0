"""Combines the properties of the parts of a turn that are about one slot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.statebench.detection.learned.amounts import Amount
from evaluation.statebench.detection.learned.quantities import quantities
from evaluation.statebench.detection.learned.reading import Part, Words
from evaluation.statebench.language.words import STOPWORDS, stem

_LONG = 4  # words of a part
# Word classes that speak against news, the strongest first.
_DOUBTS = ("hedge", "suppose", "wish", "past", "other", "stranger", "restate")


@dataclass(frozen=True, slots=True)
class Number:
    """A number in a part of a turn, with its forms, its position and the stems of the words beside it."""

    forms: frozenset[str]
    where: str
    before: str
    after: str
    counts: bool  # the next word is not a number
    long: bool


@dataclass(frozen=True, slots=True)
class Nearby:
    """Combined properties of selected parts of a turn. Only `far` describes the parts that are not selected."""

    classes: frozenset[str]
    far: frozenset[str]
    stems: frozenset[str]
    capitals: frozenset[str]
    quantities: frozenset[str]
    topics: frozenset[str]
    amounts: tuple[Amount, ...]
    places: frozenset[str]
    sides: frozenset[tuple[int, int]]
    me: bool
    kin: bool
    numbers: tuple[Number, ...]
    tone: str
    asserts: str
    asks: bool
    status: bool


def nearby(words: Words, at: tuple[int, ...]) -> Nearby:
    """Combine the properties of the parts at the indices `at`. The result is cached in `words`."""
    found = words.nearby.get(at)
    if found is None:
        found = words.nearby[at] = _nearby(words, at)
    return found


def _nearby(words: Words, at: tuple[int, ...]) -> Nearby:
    parts = [words.parts[number] for number in at]
    others = [part for number, part in enumerate(words.parts) if number not in at]
    asserting = [part.asserts for part in parts]
    return Nearby(
        classes=frozenset().union(*[part.classes for part in parts]),
        far=frozenset().union(*[part.classes for part in others]),
        stems=frozenset().union(*[part.stems for part in parts]),
        capitals=frozenset().union(*[part.capitals for part in parts]),
        quantities=frozenset().union(*[part.quantities for part in parts]),
        topics=frozenset().union(*[part.topics for part in parts]),
        amounts=tuple([one for part in parts for one in part.offer.amounts]),
        places=frozenset().union(*[part.offer.places for part in parts]),
        sides=frozenset().union(*[part.offer.sides for part in parts]),
        me=any(part.offer.me for part in parts),
        kin=any(part.offer.kin for part in parts),
        numbers=tuple([number for part in parts for number in _numbers(part)]),
        tone=_tone(parts),
        asserts="all" if all(asserting) else "some" if any(asserting) else "none",
        asks=any(part.asks for part in parts),
        status=any(part.status for part in parts),
    )


def _numbers(part: Part) -> list[Number]:
    last, found = len(part.words) - 1, []
    for at, word in enumerate(part.words):
        if forms := quantities(word):
            after = part.words[at + 1] if at < last else ""
            where = "alone" if last == 0 else "first" if at == 0 else "last" if at == last else "inside"
            unit = "" if not after or after in STOPWORDS else stem(after)
            before = stem(part.words[at - 1]) if at else "^"
            second = where if at != 1 else "second"
            found.append(Number(forms, second, before, unit, not quantities(after), last >= _LONG))
    return found


def _tone(parts: Sequence[Part]) -> str:
    tones = [
        "asks" if part.asks else next((doubt for doubt in _DOUBTS if doubt in part.classes), "plain")
        for part in parts
    ]
    return "none" if not tones else "plain" if "plain" in tones else tones[0]
