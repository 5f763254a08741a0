"""What the learned model sees of a turn and a slot: names of features that are there or not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evaluation.statebench.detection.learned.quantities import quantities
from evaluation.statebench.detection.learned.reading import Part, Words
from evaluation.statebench.detection.learned.word_classes import classes
from evaluation.statebench.detection.rules import Match
from evaluation.statebench.detection.slot import ASPECTS, Slot
from evaluation.statebench.language.memo import memo
from evaluation.statebench.language.words import STOPWORDS, says, stem, tokens

_SORTS = frozenset(("colour", "place", "role", "become", "gone"))  # of what values can be
_MANY = 4  # slots
_FEW, _SOME = 3, 6  # words that speak of nothing known
_MOSTLY = 0.5  # share of a value's words
_SURE, _GOOD, _FAIR = 0.9, 0.75, 0.68  # confidence of rules


def pair_names(
    words: Words, slots: Sequence[Slot], at: int, found: Sequence[Match], strengths: Sequence[int] = ()
) -> Iterator[str]:
    """The features of a turn against one slot; those of the turn alone are `words.names`.

    Args:
        words: The turn.
        slots: All slots that it may speak of, the one spoken of last at the end.
        at: The number of the slot.
        found: What the rules say that the turn supersedes.
        strengths: The `strength` of each slot, of whoever asks about all of them; else they are computed.
    """
    slot = slots[at]
    near = [part for part in words.parts if _is_near(part, slot)] or words.parts
    old, key, said, count = (
        _old(words, slot),
        _key(words, slot),
        _said(words, slot),
        _count(near, slots, slot),
    )
    name, place = _name(words, near, slots, slot), _place(slots, at)
    link = "key" if key != "no" else "old" if old != "no" else "said" if said != "no" else place
    news = count if count != "none" else name
    yield "bias"
    kind, origin = _kind(words, slot), "spoken" if slot.is_spoken else "given"
    yield from _crossed((words.size, origin, old, key, said, count, name, place, kind, _sort(near, slot)))
    yield from _standing(words, slots, at, origin, strengths or [strength(words, other) for other in slots])
    yield from _of_rules(slot, found)
    yield from _spoken_near(near, old, link, news, kind)
    yield from _mood(near, slot, link, news)
    yield from _units(near, slot)
    for part in words.parts:
        if part not in near:
            for one in part.classes:
                yield f"far:{one}"


@memo
def _crossed(said_of_slot: tuple[str, ...]) -> tuple[str, ...]:
    """What the turn says of the slot, alone and two by two. Few are ever different: their names are made once."""
    size, origin, *levels = said_of_slot
    about = [f"{sort} {level}" for sort, level in zip(_ABOUT, levels, strict=True)]
    names = list(about)
    for n, one in enumerate(about):
        names += [f"{one}|{other}" for other in (*about[n + 1 :], size, origin)]
    old, key, said, count, name, place, kind, _ = about
    names += [f"{old}|{key}|{kind}", f"{old}|{key}|{count}", f"{old}|{key}|{name}"]
    return (*names, f"{said}|{kind}|{place}", f"{count}|{size}|{place}")


_ABOUT = ("old", "key", "said", "count", "name", "place", "kind", "sort")


def _standing(
    words: Words, slots: Sequence[Slot], at: int, origin: str, strengths: Sequence[int]
) -> Iterator[str]:
    """Where the slot stands among the others."""
    slot = slots[at]
    many = "only" if len(slots) == 1 else "some" if len(slots) < _MANY else "many"
    best = max(strengths)
    yield from (f"origin {origin}", f"among {many}", f"place {_place(slots, at)} {many} {origin}")
    yield f"best {'none' if best == 0 else 'yes' if strengths[at] == best else 'no'}"
    if slot.former:
        yield "former"
        if any(says(words.lowered, former.lower()) for former in slot.former):
            yield "former said"


def _of_rules(slot: Slot, found: Sequence[Match]) -> Iterator[str]:
    """What the rules say of the slot."""
    match = next((match for match in found if match.slot is slot), None)
    if match is None:
        yield "rule elsewhere" if found else "rule silent"
        return
    sure = match.confidence
    level = "sure" if sure >= _SURE else "good" if sure >= _GOOD else "fair" if sure >= _FAIR else "weak"
    yield from ("rule", f"rule {level}", f"rule {match.kind}")


def _spoken_near(near: Sequence[Part], old: str, link: str, news: str, kind: str) -> Iterator[str]:
    """The sorts of words in what speaks of the slot."""
    for one in frozenset().union(*[part.classes for part in near]):
        yield from (f"n:{one}", f"n:{one}|old {old}", f"n:{one}|link {link}", f"n:{one}|news {news}")
        yield f"n:{one}|kind {kind}"


def _units(near: Sequence[Part], slot: Slot) -> Iterator[str]:
    """Whether new numbers count what the slot counts."""
    held = quantities(slot.lowered)
    for part in near:
        for at, word in enumerate(part.words):
            if quantities(word) and not quantities(word) <= held:
                after = part.words[at + 1] if at + 1 < len(part.words) else ""
                if not quantities(after):
                    yield f"unit {_unit(after, slot)}|{'numbers' if held else 'none'}"


def _unit(word: str, slot: Slot) -> str:
    if not word or word in STOPWORDS:
        return "none"
    return "held" if stem(word) in slot.value_stems or stem(word) in slot.subject else "other"


def _mood(near: Sequence[Part], slot: Slot, link: str, news: str) -> Iterator[str]:
    """Whether what speaks of the slot asserts something, and how much else it speaks of."""
    fresh = len(frozenset().union(*[part.stems for part in near]) - slot.subject - slot.value_stems)
    rest = "none" if not fresh else "few" if fresh < _FEW else "some" if fresh < _SOME else "lots"
    yield from (f"rest {rest}", f"rest {rest}|link {link}", f"rest {rest}|news {news}")
    asserting = [part.asserts for part in near]
    asserts = "all" if all(asserting) else "some" if any(asserting) else "none"
    yield from (f"asserts {asserts}", f"asserts {asserts}|news {news}")
    if any(part.asks for part in near):
        yield "asks"
    if any(part.status for part in near):
        yield f"status {'held' if slot.is_status else 'new'}"


def _is_near(part: Part, slot: Slot) -> bool:
    """True where a part of a turn may speak of the slot."""
    if not part.stems.isdisjoint(slot.subject) or not part.stems.isdisjoint(slot.value_stems):
        return True
    if slot.conflicting(part.values, loosely=True) is not None:
        return True
    return bool(part.quantities and quantities(slot.lowered))


def strength(words: Words, slot: Slot) -> int:
    """How much the words of a turn speak of a slot.

    Args:
        words: The turn.
        slot: The slot.
    """
    spoken = words.stems
    named = 2 * len(spoken & (slot.key_stems - ASPECTS)) + len(spoken & slot.subject)
    return named + 2 * len(spoken & slot.value_stems)


def _place(slots: Sequence[Slot], at: int) -> str:
    """How long ago the slot was spoken of."""
    behind = len(slots) - 1 - at
    return "latest" if behind == 0 else "recent" if behind == 1 else "older"


def _old(words: Words, slot: Slot) -> str:
    """How much of the value that the slot holds is said."""
    if says(words.lowered, slot.lowered):
        return "whole"
    if not slot.value_stems:
        return "no"
    if slot.is_restated(words.lowered, words.values):
        return "typed"
    held = words.stems & slot.value_stems
    if held & slot.wording.capitals:
        return "name"
    return "no" if not held else "most" if len(held) >= _MOSTLY * len(slot.value_stems) else "some"


def _key(words: Words, slot: Slot) -> str:
    """How much of the slot's key is said."""
    held = slot.key_stems & words.stems
    if not held:
        return "no"
    if not held - ASPECTS:
        return "aspect"
    return "all" if held >= slot.key_stems - ASPECTS else "part"


def _said(words: Words, slot: Slot) -> str:
    """How much is said of the words with which the slot was filled."""
    held = words.stems & (slot.subject - slot.key_stems - slot.value_stems)
    return "two" if len(held) > 1 else "one" if held else "no"


def _kind(words: Words, slot: Slot) -> str:
    """Whether there is another typed value of the kind that the slot holds."""
    if slot.conflicting(words.values, loosely=False) is not None:
        return "strict"
    if slot.conflicting(words.values, loosely=True) is not None:
        return "loose"
    return "typed" if slot.values else "status" if slot.is_status else "other"


def _count(near: Sequence[Part], slots: Sequence[Slot], slot: Slot) -> str:
    """What the numbers and days said near a slot are to those that it holds."""
    held = quantities(slot.lowered)
    if not held:
        return "none"
    said = frozenset().union(*[part.quantities for part in near])
    keyed = frozenset().union(*[_of_key(other.key) for other in slots])
    fresh, same = said - held - keyed, said & held
    if fresh and any(fresh <= quantities(other.lowered) for other in slots if other is not slot):
        return "another's"
    if fresh:
        return "both" if same else "fresh"
    return "same" if same else "silent"


@memo
def _of_key(key: str) -> frozenset[str]:
    return quantities(key.replace("_", " "))


def _name(words: Words, near: Sequence[Part], slots: Sequence[Slot], slot: Slot) -> str:
    """What the names said are to those that the slot holds."""
    if not slot.wording.capitals - slot.key_stems or slot.values:
        return "none"
    fresh = frozenset().union(*[part.capitals for part in near]) - slot.value_stems - slot.subject
    if not fresh:
        return "silent"
    if any(fresh <= other.value_stems | other.subject for other in slots if other is not slot):
        return "another's"
    return "inner" if fresh & words.inner else "initial"


def _sort(near: Sequence[Part], slot: Slot) -> str:
    """Whether something of the sort that the slot holds is said: a colour, a place, a state."""
    held = _sorts(slot.lowered) if not slot.is_spoken else frozenset()
    if not held:
        return f"keyed {min(keyed)}" if (keyed := _sorts(slot.key)) else "none"
    said = held & frozenset().union(*[part.classes for part in near])
    return f"same {min(said)}" if said else "other"


@memo
def _sorts(text: str) -> frozenset[str]:
    return classes(tokens(text)) & _SORTS
