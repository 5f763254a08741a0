"""Finds the kind of a slot's value, and possible new values of that kind in a turn."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from evaluation.statebench.detection.learned.amounts import Amount, amounts
from evaluation.statebench.detection.learned.topics import topics
from evaluation.statebench.detection.learned.word_classes import classes
from evaluation.statebench.detection.slot import Slot
from evaluation.statebench.language.memo import memo
from evaluation.statebench.language.words import stem, stems, tokens

_TITLED = re.compile(
    r"\b(?:Mr|Mrs|Ms|Miss|Dr|Prof|Professor|Sir|Lady|Lord|Sister|Father|Rev|Captain|Lt|Sgt|Chef)\b"
)
_LOCATED = re.compile(
    r"\b(?:in|at|on|by|under|behind|beside|inside|outside|near|opposite|above|below|round|to|from|into|via|through)"
    r" (?:the |our |my |a |an )?"
    r"(?!(?:the|our|my|a|an|it|us|me|them|him|her|that|this)\b)(?P<what>[\w']+)",
    re.IGNORECASE,
)
# States that exclude each other: (words of one side, words of the other).
_AXES = (
    ("open opened reopen reopened unlocked ajar", "closed shut close locked shuttered barred sealed bolted"),
    (
        "running works working operational online live up fixed mended repaired restored fine flies purring humming"
        " healthy fit well better recovered firing going alive active serviceable green",
        "broken down tripped seized dead offline failed fault faulty kaput bust busted stalled jammed stuck sick ill"
        " poorly lame injured cracked leaking snapped conked dying inactive flat red out stopped halted frozen crashed",
    ),
    ("on lit armed enabled activated", "off unlit disarmed disabled deactivated silent quiet muted"),
    ("full packed stocked brimming heaving", "empty bare drained emptied"),
    (
        "approved granted agreed accepted passed confirmed signed cleared carried okayed ratified allowed permitted"
        " booked paid settled won",
        "pending refused rejected denied declined failed unsigned deferred turned vetoed unpaid unconfirmed provisional"
        " banned forbidden blocked suspended revoked lost cancelled",
    ),
    (
        "available free vacant unsold unoccupied spare active",
        "taken sold let occupied reserved gone unavailable borrowed hired snapped lent loaned",
    ),
    (
        "delivered arrived landed here back in shipped home received",
        "awaited missing late delayed overdue out away lost",
    ),
    ("awake hatched", "asleep hibernating dormant"),
    ("yes", "no none never not"),
    ("not guilty innocent acquitted", "guilty convicted"),
    ("ready done finished completed complete", "unfinished progress started waiting unready underway"),
    ("dry clear calm", "wet flooded rough damp soaked"),
    ("supervised escorted", "unsupervised unescorted alone"),
)
_MORE = {"indoors": "outdoors", "inside": "outside", "upstairs": "downstairs", "proposition": "opposition"}
_LITTLE = 4  # maximum words of a value that is a state
_I_WE = frozenset(("i", "i'm", "i'll", "me", "mine", "myself", "i've", "i'd"))
_KIN = stems(
    "brother sister mother father mum dad son daughter wife husband cousin uncle aunt nephew niece deputy assistant"
    " understudy stand-in colleague neighbour friend mate partner apprentice locum temp substitute sub replacement"
    " successor somebody someone lad girl bloke woman guy fella colleague"
)


def _sides() -> dict[str, set[tuple[int, int]]]:
    found: dict[str, set[tuple[int, int]]] = {}
    axes = [*_AXES, *_MORE.items()]
    for number, axis in enumerate(axes):
        for side, text in enumerate(axis):
            for word in text.split():
                found.setdefault(stem(word), set()).add((number, side))
    return found


_SIDES = {word: frozenset(sides) for word, sides in _sides().items()}


def is_state(word: str) -> bool:
    return word in _SIDES


@memo
def sides(text: str) -> frozenset[tuple[int, int]]:
    """Return an (axis, side) pair per state in a lower-case text: "open" and "closed" are the two sides of an axis."""
    return frozenset().union(*[_SIDES.get(stem(word), frozenset()) for word in tokens(text)])


@dataclass(frozen=True, slots=True)
class SlotKind:
    """The kind of a slot's value, such as "clock", "person" or "state", and properties to compare with a turn."""

    name: str
    amounts: tuple[Amount, ...]
    sides: frozenset[tuple[int, int]]
    topics: frozenset[str]


@memo
def _kind(key_and_text: tuple[str, str]) -> SlotKind:
    key, text = key_and_text
    lowered, keyed = text.lower(), stems(key.replace("_", " "))
    held = amounts(lowered)
    state = sides(lowered) if len(tokens(text)) <= _LITTLE else frozenset()
    about = topics(keyed)
    return SlotKind(
        name=_name(text, key, held, state, about),
        amounts=held,
        sides=state,
        topics=about or topics(stems(text)),
    )


def slot_kind(slot: Slot) -> SlotKind:
    return _kind((slot.key, slot.text))


def _name(
    text: str, key: str, held: tuple[Amount, ...], state: frozenset[tuple[int, int]], about: frozenset[str]
) -> str:
    words, named = tokens(text), classes(tokens(key.replace("_", " ")))
    if len(words) > _LITTLE + 2:
        return "sentence"
    if held:
        sorts = [one.sort for one in held]
        return next(
            (sort for sort in ("clock", "date", "day", "money", "percent") if sort in sorts), sorts[0]
        )
    if _TITLED.search(text):
        return "person"
    if "colour" in classes(words) or "colour" in named:
        return "colour"
    is_name = text[:1].isupper() and not _TITLED.search(text)
    if state and not is_name:
        return "state"
    if "role" in named:
        return "person" if is_name else "someone"
    if "where" in about or "place" in classes(words):
        return "place"
    if is_name:
        return "person" if "who" in about else "name"
    return "state" if "status" in key or "state" in key else "thing"


@dataclass(frozen=True, slots=True)
class Offer:
    """Possible new values in a part of a turn. `me` and `kin` are True if the speaker or a relative is mentioned."""

    amounts: tuple[Amount, ...]
    places: frozenset[str]
    sides: frozenset[tuple[int, int]]
    me: bool
    kin: bool


@memo
def offer(text: str) -> Offer:
    lowered = text.lower().replace("’", "'")
    words = tokens(lowered)
    return Offer(
        amounts=amounts(lowered),
        places=frozenset([stem(match["what"].lower()) for match in _LOCATED.finditer(text)]),
        sides=sides(lowered),
        me=not _I_WE.isdisjoint(words),
        kin=not _KIN.isdisjoint([stem(word) for word in words]),
    )


def opposed(held: Iterable[tuple[int, int]], said: frozenset[tuple[int, int]]) -> str:
    """Compare the states of a slot and a turn: "opposite", "same", "other", or "none" if the turn has no state."""
    here = frozenset(held)
    if any((axis, 1 - side) in said for axis, side in here) and not here & said:
        return "opposite"
    return "same" if here & said else "other" if said else "none"
