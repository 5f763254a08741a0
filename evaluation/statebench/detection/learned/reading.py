"""Properties of a turn for the learned model, independent of slots and cached per text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from evaluation.statebench.detection import cues
from evaluation.statebench.detection.clause import is_assertion
from evaluation.statebench.detection.cues import STATUS
from evaluation.statebench.detection.learned.kinds import Offer, offer
from evaluation.statebench.detection.learned.quantities import quantities
from evaluation.statebench.detection.learned.topics import topics
from evaluation.statebench.detection.learned.word_classes import classes
from evaluation.statebench.facts.classify import turn_scope
from evaluation.statebench.language.memo import memo
from evaluation.statebench.language.values import Value, find_values
from evaluation.statebench.language.words import capitals, sentences, stem, stems, tokens

_BREAK = re.compile(
    r",\s+(?:and|but|so|while|though|as|which|because)\s+|:\s+"
    r"|,\s+(?=(?:it|he|she|they|we|i)(?:'|\s))",
    re.IGNORECASE,
)
_CUES = {
    "corrects": cues.CORRECTS,
    "changes": cues.CHANGES,
    "reverts": cues.REVERTS,
    "settles": cues.SETTLES,
    "cancels": cues.CANCELS,
    "rejects": cues.REJECTS,
    "keeps": cues.KEEPS,
    "recalls": cues.RECALLS,
    "past": cues.PAST_DATES,
    "wishes": cues.WISHES,
    "news": cues.NEWS,
    "departs": cues.DEPARTS,
    "amends": cues.AMENDS,
    "others": cues.OTHERS,
    "hearsay": cues.HEARSAY,
    "elsewhere": cues.ELSEWHERE,
}
_INNER = re.compile(r"(?<=[a-z,] )[A-Z][\w'-]+")  # a capital within a sentence
_SHORT, _BRIEF = 3, 6  # content words
_SOME = 3  # counts of sentences saturate here


@dataclass(frozen=True, slots=True)
class Part:
    words: tuple[str, ...]
    stems: frozenset[str]
    classes: frozenset[str]
    values: tuple[Value, ...]
    capitals: frozenset[str]
    quantities: frozenset[str]
    topics: frozenset[str]
    offer: Offer
    asserts: bool
    asks: bool
    status: bool


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a turn. `inner`: stems of capitalised words within sentences. `names`: names of model features."""

    lowered: str
    parts: tuple[Part, ...]
    stems: frozenset[str]
    values: tuple[Value, ...]
    inner: frozenset[str]
    size: str
    names: tuple[str, ...]
    nearby: dict[tuple[int, ...], Any] = field(default_factory=dict, compare=False)


@memo
def read(text: str) -> Words:
    lowered, content = text.lower().replace("’", "'"), stems(text)
    parts = tuple([_part(part) for sentence in sentences(text) for part in _BREAK.split(sentence) if part])
    size = "short" if len(content) <= _SHORT else "brief" if len(content) <= _BRIEF else "long"
    inner = stems(" ".join(_INNER.findall(text)))
    names = tuple(dict.fromkeys(_names(text, lowered, parts, size)))
    return Words(lowered, parts, content, find_values(text), inner, size, names)


def _part(text: str) -> Part:
    lowered = text.lower().replace("’", "'")
    words = tokens(lowered)
    return Part(
        words=words,
        stems=stems(text),
        classes=_classes(lowered, words),
        values=find_values(text),
        capitals=capitals(text),
        quantities=quantities(lowered),
        topics=topics(stems(text)),
        offer=offer(text),
        asserts=is_assertion(lowered),
        asks=lowered.rstrip().endswith("?"),
        status=STATUS.search(lowered) is not None,
    )


def _classes(lowered: str, words: tuple[str, ...]) -> frozenset[str]:
    found = classes(words).union([f"cue {name}" for name, cue in _CUES.items() if cue.search(lowered)])
    return found.union([f"not {name}" for name in found]) if "not" in found else found


def _plain(word: str) -> str:
    if word[0].isdigit() or quantities(word):
        return "#"
    return stem(word)


def _names(text: str, lowered: str, parts: Sequence[Part], size: str) -> Iterator[str]:
    spoken = tokens(lowered)
    yield from ("bias", f"t:{size}", f"t:scope {turn_scope(text)}")
    for name in sorted(frozenset().union(*[part.classes for part in parts])):
        yield f"t:{name}"
    if parts and parts[-1].asks:
        yield "t:ends asking"
    if parts and parts[0].asks:
        yield "t:starts asking"
    asserting = sum(part.asserts for part in parts)
    yield f"t:asserting {min(_SOME, asserting)} of {min(_SOME, len(parts))}"
    if cues.RELATIVES.search(lowered):
        yield "t:relatives"
    for word in spoken:
        yield f"w:{stem(word)}"
    for one, other in pairwise(spoken):
        yield f"b:{_plain(one)} {_plain(other)}"
    for part in parts:
        yield f"o:{_plain(part.words[0])}" if part.words else "o:"
