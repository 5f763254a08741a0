"""Features of a turn and a slot for the learned model. Related features form a group.

`observed` returns one key per group, and `names` lists the features for a key. Keys recur often, so the model caches
the sum of the weights per key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from evaluation.statebench.detection.learned.amounts import best_fit
from evaluation.statebench.detection.learned.kinds import SlotKind, opposed, slot_kind
from evaluation.statebench.detection.learned.nearby import Nearby, nearby
from evaluation.statebench.detection.learned.quantities import quantities
from evaluation.statebench.detection.learned.reading import Part, Words
from evaluation.statebench.detection.learned.turnover import turnover, turnover_names
from evaluation.statebench.detection.learned.word_classes import classes
from evaluation.statebench.detection.rules import Match
from evaluation.statebench.detection.slot import ASPECTS, Slot
from evaluation.statebench.language.memo import memo
from evaluation.statebench.language.words import says, tokens

_SORTS = frozenset(("colour", "place", "role", "become", "gone"))  # classes of values
_MANY = 4  # slots
_NEAREST = 12  # last mentioned slots, which are considered
_ALL, _LATEST = 4, 3  # up to `_ALL` slots, all are considered; of more, the `_LATEST` last ones always
_FEW, _SOME = 3, 6  # words outside the slot
_MOSTLY = 0.5  # share of a value's words
_SURE, _GOOD, _FAIR = 0.9, 0.75, 0.68  # confidence of rules

Key = tuple[str | frozenset[str], ...]  # of a group: its name, then the observations


class Observer:
    def __init__(self, words: Words, slots: Sequence[Slot], found: Sequence[Match]) -> None:
        """Compute once what the features of several slots need. `found` are the matches of the rules."""
        self._words, self._slots, self._found = words, slots, found
        self._kinds = [slot_kind(slot) for slot in slots]
        self._alike = Counter([kind.name for kind in self._kinds])
        self._held = [quantities(slot.lowered) for slot in slots]
        self._keyed: frozenset[str] = frozenset().union(*[_of_key(slot.key) for slot in slots])
        self._strengths = [_strength(words, slot) for slot in slots]
        self._most = max(self._strengths)
        self._all = tuple(range(len(words.parts)))

    def observed(self, at: int) -> tuple[Key, ...]:
        """Return one key per group of features, for the slot at index `at`."""
        words, slot, held = self._words, self._slots[at], self._kinds[at]
        near = self._near(slot, self._held[at])
        old, key, said = _old(words, slot), _key(words, slot), _said(words, slot)
        count, name = self._count(near, at), self._name(near, slot)
        place, kind = self._place(at), _kind(words, slot)
        origin = "spoken" if slot.is_spoken else "given"
        link = "key" if key != "no" else "old" if old != "no" else "said" if said != "no" else place
        news = count if count != "none" else name
        level, detail = _fit(held, near, slot)
        others = ("none", "one", "more")[min(self._alike[held.name] - 1, 2)]
        rivals = "alone" if len(self._slots) == 1 else others
        return (
            ("said", words.size, origin, old, key, said, count, name, place, kind, _sort(near, slot)),
            (
                "fit",
                held.name,
                level,
                detail,
                link,
                place,
                origin,
                words.size,
                old,
                key,
                _topic(held, near),
                rivals,
                near.tone,
            ),
            self._standing(at, place, origin),
            self._of_rules(slot),
            ("near", near.classes, old, link, news, kind),
            _mood(near, slot, link, news),
            _numbers(near, slot, self._held[at]),
            ("far", near.far),
            ("turnover", *turnover(words.parts, slot, held, self._held[at]), place),
        )

    def _near(self, slot: Slot, held: frozenset[str]) -> Nearby:
        parts = self._words.parts
        if len(parts) == 1:
            return nearby(self._words, self._all)
        at = tuple([n for n, part in enumerate(parts) if _is_near(part, slot, held)])
        return nearby(self._words, at or self._all)

    def _place(self, at: int) -> str:
        behind = len(self._slots) - 1 - at
        return "latest" if behind == 0 else "recent" if behind == 1 else "older"

    def _standing(self, at: int, place: str, origin: str) -> Key:
        slot, count = self._slots[at], len(self._slots)
        many = "only" if count == 1 else "some" if count < _MANY else "many"
        best = "none" if self._most == 0 else "yes" if self._strengths[at] == self._most else "no"
        former = "no"
        if slot.former:
            words = self._words
            former = "said" if slot.former.is_said(words.lowered, words.stems) else "silent"
        return "standing", many, place, origin, best, former

    def _of_rules(self, slot: Slot) -> Key:
        if not self._found:
            return ("rule silent",)
        match = next((match for match in self._found if match.slot is slot), None)
        if match is None:
            return ("rule elsewhere",)
        sure = match.confidence
        level = "sure" if sure >= _SURE else "good" if sure >= _GOOD else "fair" if sure >= _FAIR else "weak"
        return "rule", level, match.kind

    def _count(self, near: Nearby, at: int) -> str:
        held = self._held[at]
        if not held:
            return "none"
        said = near.quantities
        fresh = said - held - self._keyed
        if fresh and any(fresh <= other for n, other in enumerate(self._held) if n != at):
            return "another's"
        if fresh:
            return "fresh" if said.isdisjoint(held) else "both"
        return "silent" if said.isdisjoint(held) else "same"

    def _name(self, near: Nearby, slot: Slot) -> str:
        if slot.values or slot.wording.capitals <= slot.key_stems:
            return "none"
        fresh = near.capitals - slot.value_stems - slot.subject
        if not fresh:
            return "silent"
        if any(fresh <= other.value_stems | other.subject for other in self._slots if other is not slot):
            return "another's"
        return "initial" if fresh.isdisjoint(self._words.inner) else "inner"


def candidates(words: Words, slots: Sequence[Slot]) -> Sequence[Slot]:
    """Select slots for the model: all if few, else the latest slots and slots that share a word with the turn."""
    near = slots[-_NEAREST:]
    if len(near) <= _ALL:
        return near
    spoken, latest = words.stems, len(near) - _LATEST
    return [
        slot
        for at, slot in enumerate(near)
        if at >= latest or not spoken.isdisjoint(slot.subject) or not spoken.isdisjoint(slot.value_stems)
    ]


def names(key: Key) -> Iterator[str]:
    """Yield the names of the features that a group's key contains, without duplicates."""
    group, *seen = key
    return _GROUPS[group](*seen) if group in _GROUPS else iter((str(group),))


def _said_names(size: str, origin: str, *levels: str) -> Iterator[str]:
    about = [f"{sort} {level}" for sort, level in zip(_ABOUT, levels, strict=True)]
    yield "bias"
    yield from about
    for n, one in enumerate(about):
        yield from [f"{one}|{other}" for other in (*about[n + 1 :], size, origin)]
    old, key, said, count, name, place, kind, _ = about
    yield from (f"{old}|{key}|{kind}", f"{old}|{key}|{count}", f"{old}|{key}|{name}")
    yield from (f"{said}|{kind}|{place}", f"{count}|{size}|{place}")


_ABOUT = ("old", "key", "said", "count", "name", "place", "kind", "sort")


def _fit_names(kind: str, level: str, detail: str, link: str, *others: str) -> Iterator[str]:
    offers = (f"fit {level}", f"fit {kind} {level}", f"detail {detail}")
    beside = dict(zip(_BESIDE, others, strict=True))
    size, topic, rivals, tone = beside["size"], beside["topic"], beside["rivals"], beside["tone"]
    yield from (*offers, f"detail {kind} {detail}", f"topic {topic}", f"tone {tone}")
    for sort, other in (("link", link), *beside.items()):
        yield from [f"{offer}|{sort} {other}" for offer in offers]
    close = f"fit {level}|rivals {rivals}|link {link}"
    yield from (close, f"{close}|size {size}", f"fit {level}|tone {tone}|link {link}")
    yield from (f"topic {topic}|link {link}", f"topic {topic}|rivals {rivals}|link {link}")
    yield from (f"tone {tone}|link {link}", f"type {kind}|link {link}")


_BESIDE = ("place", "origin", "size", "old", "key", "topic", "rivals", "tone")


def _standing_names(many: str, place: str, origin: str, best: str, former: str) -> Iterator[str]:
    yield from (f"origin {origin}", f"among {many}", f"place {place} {many} {origin}", f"best {best}")
    if former != "no":
        yield "former"
    if former == "said":
        yield "former said"


def _near_names(found: frozenset[str], old: str, link: str, news: str, kind: str) -> Iterator[str]:
    for one in sorted(found):
        yield from (f"n:{one}", f"n:{one}|old {old}", f"n:{one}|link {link}", f"n:{one}|news {news}")
        yield f"n:{one}|kind {kind}"


def _mood_names(rest: str, asserts: str, link: str, news: str, asks: str, status: str) -> Iterator[str]:
    yield from (f"rest {rest}", f"rest {rest}|link {link}", f"rest {rest}|news {news}")
    yield from (f"asserts {asserts}", f"asserts {asserts}|news {news}")
    yield from [one for one in (asks, status) if one]


def _turnover_names(*seen: str) -> Iterator[str]:
    place = seen[-1]
    for name in turnover_names(*seen[:-1]):
        yield from (name, f"{name}|place {place}")


_GROUPS: dict[str | frozenset[str], Callable[..., Iterator[str]]] = {
    "said": _said_names,
    "fit": _fit_names,
    "standing": _standing_names,
    "rule": lambda level, kind: iter(("rule", f"rule {level}", f"rule {kind}")),
    "near": _near_names,
    "mood": _mood_names,
    "numbers": lambda *seen: iter(seen),
    "far": lambda found: iter([f"far:{one}" for one in sorted(found)]),
    "turnover": _turnover_names,
}


def _mood(near: Nearby, slot: Slot, link: str, news: str) -> Key:
    fresh = len(near.stems - slot.subject - slot.value_stems)
    rest = "none" if not fresh else "few" if fresh < _FEW else "some" if fresh < _SOME else "lots"
    status = f"status {'held' if slot.is_status else 'new'}" if near.status else ""
    return "mood", rest, near.asserts, link, news, "asks" if near.asks else "", status


def _numbers(near: Nearby, slot: Slot, held: frozenset[str]) -> Key:
    seen: dict[str, None] = {}
    for number in near.numbers:
        if number.forms <= held:
            continue
        if number.counts:
            is_held = number.after in slot.value_stems or number.after in slot.subject
            unit = "none" if not number.after else "held" if is_held else "other"
            seen[f"unit {unit}|{'numbers' if held else 'none'}"] = None
        if held:
            where = number.where
            seen[f"stands {where}"] = None
            seen[f"stands {where}|{'long' if number.long else 'short'}"] = None
            seen[f"after {number.before}"] = None
            if number.before in slot.subject or number.before in slot.value_stems:
                seen[f"numbers {'opens' if where == 'second' else 'inside'}"] = None
    return "numbers", *seen


def _is_near(part: Part, slot: Slot, held: frozenset[str]) -> bool:
    if not part.stems.isdisjoint(slot.subject) or not part.stems.isdisjoint(slot.value_stems):
        return True
    if held and part.quantities:
        return True
    return slot.conflicting(part.values, loosely=True) is not None


def _strength(words: Words, slot: Slot) -> int:
    spoken = words.stems
    of_subject, of_value = len(spoken & slot.subject), len(spoken & slot.value_stems)
    named = 2 * len(spoken & (slot.key_stems - ASPECTS)) if of_subject else 0
    return named + of_subject + 2 * of_value


def _old(words: Words, slot: Slot) -> str:
    if slot.lowered in words.lowered and says(words.lowered, slot.lowered):
        return "whole"
    if not slot.value_stems:
        return "no"
    if words.values and slot.is_restated(words.lowered, words.values):
        return "typed"
    held = words.stems & slot.value_stems
    if not held:
        return "no"
    if held & slot.wording.capitals:
        return "name"
    return "most" if len(held) >= _MOSTLY * len(slot.value_stems) else "some"


def _key(words: Words, slot: Slot) -> str:
    held = slot.key_stems & words.stems
    if not held:
        return "no"
    if held <= ASPECTS:
        return "aspect"
    return "all" if held >= slot.key_stems - ASPECTS else "part"


def _said(words: Words, slot: Slot) -> str:
    held = (words.stems & slot.subject) - slot.key_stems - slot.value_stems
    return "no" if not held else "two" if len(held) > 1 else "one"


def _kind(words: Words, slot: Slot) -> str:
    if words.values and slot.values:
        if slot.conflicting(words.values, loosely=False) is not None:
            return "strict"
        if slot.conflicting(words.values, loosely=True) is not None:
            return "loose"
    return "typed" if slot.values else "status" if slot.is_status else "other"


@memo
def _of_key(key: str) -> frozenset[str]:
    return quantities(key.replace("_", " "))


def _sort(near: Nearby, slot: Slot) -> str:
    held = _sorts(slot.lowered) if not slot.is_spoken else frozenset()
    if not held:
        return f"keyed {min(keyed)}" if (keyed := _sorts(slot.key)) else "none"
    said = held & near.classes
    return f"same {min(said)}" if said else "other"


@memo
def _sorts(text: str) -> frozenset[str]:
    return classes(tokens(text)) & _SORTS


def _fit(held: SlotKind, near: Nearby, slot: Slot) -> tuple[str, str]:
    """Return how well a value in the turn fits the slot ("good", "none" …), and a detail, such as the unit."""
    if held.amounts:
        fit = best_fit((held.amounts, near.amounts)) if near.amounts else None
        if fit is None:
            return "no number", "-"
        close = fit[0] == "same" and (fit[2] == "held" or fit[1] == "close")
        return "poor" if fit[0] == "other" else "good" if close else "fair", " ".join(fit)
    state = opposed(held.sides, near.sides) if held.sides and near.sides else "none"
    if held.name == "state":
        return state, "state"
    if held.name == "colour":
        return ("colour" if "colour" in near.classes else "none"), "colour"
    fresh = bool(near.capitals) and not near.capitals <= slot.value_stems | slot.subject
    if held.name in ("person", "someone"):
        detail = f"{'me' if near.me else ''}{'kin' if near.kin else ''}"
        return ("name" if fresh else "kin" if near.kin else "me" if near.me else "none"), detail
    place = bool(near.places) and not near.places <= slot.value_stems
    if held.name == "place":
        return ("place" if place else "name" if fresh else "none"), state
    return ("name" if fresh else "place" if place else "none"), state


def _topic(held: SlotKind, near: Nearby) -> str:
    if not held.topics:
        return "unknown"
    shared = held.topics & near.topics
    return "none" if not shared else "two" if len(shared) > 1 else "one"
