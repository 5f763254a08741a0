"""Checks of an implementation's answer to a generated timeline: each compares one aspect with the reference model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.statebench.conformance.checks.context_checks import around, tokens
from evaluation.statebench.conformance.checks.reading import (
    AnswerError,
    Check,
    CheckedAnswer,
    Fact,
    read_field,
)
from evaluation.statebench.conformance.model.facts import EVERYWHERE, LEVELS, UNREAL, Known
from evaluation.statebench.conformance.model.state import Model, Note

PLENTY = 8192  # tokens: enough for the whole content of a generated timeline
_CONVERSATION = "conversation"
_PLAIN, _NARROW, _UNREAL, _SPOKEN = "plain", "narrow", "unreal", "spoken"


@dataclass(frozen=True)
class Asked:
    answer: CheckedAnswer
    model: Model
    budget: int
    lookup: Sequence[str]


Look = Callable[[Asked], Iterator[Check]]


def checks_of(asked: Asked, look: Look) -> Iterator[Check]:
    """Checks of one aspect. If the answer is unreadable, a single failed check names the missing field."""
    try:
        yield from look(asked)
    except AnswerError as error:
        yield Check(f"the answer can be read: {error}", False, "")


# --- facts


def _versions(nature: str) -> Look:
    """Return a check that all facts of one kind, such as spoken facts, are listed in order and agree with the model."""

    def look(asked: Asked) -> Iterator[Check]:
        facts, known = asked.answer.facts, asked.model.facts
        agreed = _agreed(facts, asked.model)
        for one, fact in zip(known[:agreed], facts, strict=False):
            if _nature(one) == nature:
                yield from _version(one, fact, facts)
        if agreed == len(known) == len(facts):
            return
        expected = known[agreed] if agreed < len(known) else None
        seen = facts[agreed] if agreed < len(facts) else None
        if nature == (_nature(expected) if expected else _nature_of(seen or {})):
            claim = f"fact {agreed + 1} is {_label(expected) if expected else 'none'}"
            yield Check(claim, False, _shown(seen) if seen else "no such fact")

    return look


def _agreed(facts: Sequence[Fact], model: Model) -> int:
    pairs = zip(model.facts, facts, strict=False)
    return next(
        (n for n, (one, fact) in enumerate(pairs) if not _is_same(one, fact, model)),
        min(len(facts), len(model.facts)),
    )


def _is_same(one: Known, fact: Fact, model: Model) -> bool:
    place = (read_field(fact, "scope"), read_field(fact, "scope_id"))
    at_home = place == one.place or one.place == EVERYWHERE == (place[0], None)
    return at_home and read_field(fact, "key") == one.key and _says(read_field(fact, "value"), one, model)


def _says(value: Any, one: Known | None, model: Model) -> bool:
    """True if `value` is that of `one` (None: no value). A spoken value may be a phrase with no other value."""
    if one is None or one.turn is None:
        return bool(value == (one and one.value))
    return isinstance(value, str) and _words(value) & {known.word for known in model.facts} == {one.word}


def _version(one: Known, fact: Fact, facts: Sequence[Fact]) -> Iterator[Check]:
    told, order = _label(one), {read_field(fact, "id"): n for n, fact in enumerate(facts)}
    state = "valid" if one.valid else "not valid"
    yield Check(f"{told} is {state}", read_field(fact, "is_valid") is one.valid, _shown(fact))
    if one.after is None:
        says = "ended with its place" if one.ended else "has not ended"
        yield Check(f"{told} {says}", read_field(fact, "ended") is one.ended, _shown(fact))
    for name, other in (("superseded_by", one.after), ("supersedes", one.before)):
        seen = read_field(fact, name)
        right = (order.get(seen) if seen is not None else None) == (other and other.number)
        yield Check(f"{name} of {told} is {_label(other) if other else 'nothing'}", right, _shown(fact))
    if one.turn is not None:
        source = read_field(fact, "source")
        right = source.get("type") == _CONVERSATION and source.get("turn_index") == one.turn
        yield Check(f"the source of {told} is the conversation, turn {one.turn}", right, repr(source))


def _review(asked: Asked) -> Iterator[Check]:
    agreed = _agreed(asked.answer.facts, asked.model)
    for one, fact in zip(asked.model.facts[:agreed], asked.answer.facts, strict=False):
        if one.valid:
            says = "needs review" if one.review else "needs no review"
            yield Check(f"{_label(one)} {says}", read_field(fact, "needs_review") is one.review, _shown(fact))


def _valid_facts(asked: Asked) -> Iterator[Check]:
    by_id = {read_field(fact, "id"): fact for fact in asked.answer.facts}
    expected = asked.model.holds()
    listed = [by_id[name] for name in asked.answer.valid_facts if isinstance(name, str) and name in by_id]
    unknown = len(asked.answer.valid_facts) - len(listed)
    left = [*listed]
    for one in expected:
        found = next((fact for fact in left if _is_same(one, fact, asked.model)), None)
        if found is not None:
            left.remove(found)
        yield Check(f"the valid facts have {_label(one)}", found is not None, _list(listed))
    yield Check("the list of valid facts contains no other fact", not left and not unknown, _list(listed))


def _is_current(asked: Asked) -> Iterator[Check]:
    answered = asked.answer.part("is_current")
    for name in asked.lookup:
        if (expected := asked.model.is_current(name)) is not None:
            claim = f"{name!r} is {'current' if expected else 'not current'}"
            yield Check(claim, answered.get(name) is expected, repr(answered.get(name)))


def _current_values(asked: Asked) -> Iterator[Check]:
    answered = asked.answer.part("current_values")
    for name in asked.lookup:
        expected, seen = asked.model.current(name), answered.get(name)
        told = " or ".join(repr(one and one.value) for one in expected)
        right = any(_says(seen, one, asked.model) for one in expected)
        yield Check(f"the current value of {name!r} is {told}", right, repr(seen))


# --- the context


def _dead_shown(asked: Asked) -> Iterator[Check]:
    gone = [one for one in asked.model.gone() if one.place[0] not in UNREAL]
    yield from _not_shown(asked, gone, "superseded or ended")


def _unreal_shown(asked: Asked) -> Iterator[Check]:
    unreal = [one for one in asked.model.gone() if one.place[0] in UNREAL]
    yield from _not_shown(asked, unreal, "drafted or supposed")


def _inactive_shown(asked: Asked) -> Iterator[Check]:
    yield from _not_shown(asked, asked.model.elsewhere(), "valid in no active place")
    told = _spoken_words(asked.model)
    hidden = [one for one in asked.model.hidden() if one.word not in told]
    yield from _not_shown(asked, hidden, "hidden by a narrower fact, or overruled")


def _not_shown(asked: Asked, facts: Sequence[Known], called: str) -> Iterator[Check]:
    text = asked.answer.text
    live, shown = _live_words(asked.model), _words(text)
    for one in facts:
        if one.word not in live:
            claim = f"the context of {asked.budget} tokens does not contain {_label(one)}, which is {called}"
            yield Check(claim, one.word not in shown, around(text, one.word))


def _holds_shown(asked: Asked) -> Iterator[Check]:
    yield from _held(asked, [one for one in asked.model.holds() if one.place == EVERYWHERE])


def _narrow_shown(asked: Asked) -> Iterator[Check]:
    narrow = [one for one in asked.model.holds() if one.place != EVERYWHERE]
    yield from _held(asked, narrow)
    lines = asked.answer.text.splitlines()
    for one in narrow:
        with_it = [line for line in lines if one.word in _words(line)]
        if asked.budget == PLENTY and with_it and one.is_shown_to(asked.model.reader):
            marked = any(one.place[0] in _words(line) for line in with_it)
            yield Check(f"the line of {_label(one)} names its scope", marked, " | ".join(with_it))


def _held(asked: Asked, facts: Sequence[Known]) -> Iterator[Check]:
    text = asked.answer.text
    for one in facts:
        if asked.budget == PLENTY and one.is_shown_to(asked.model.reader):
            yield Check(f"the context contains {_label(one)}", one.word in _words(text), text)


def _restricted(asked: Asked) -> Iterator[Check]:
    text, model = asked.answer.text, asked.model
    open_words = {one.word for one in model.facts if one.is_shown_to(model.reader)}
    for one in model.facts:
        if not one.is_shown_to(model.reader) and one.word not in open_words:
            claim = f"the context for {model.reader} does not contain the restricted {_label(one)}"
            yield Check(claim, one.word not in _words(text), around(text, one.word))


def _notes(asked: Asked) -> Iterator[Check]:
    """Check that the context shows the notes that apply at the query, and no other notes."""
    model, text = asked.model, asked.answer.text
    shown, dead = _words(text), _dead_words(model)
    sayable = [note for note in model.notes if model.sayable(note)]
    said = _live_words(model).union(*map(_words, model.turns), *(_words(note.value) for note in sayable))
    for note in model.notes:
        word = note.value.split()[-1]
        if note in sayable:
            if word not in dead and not note.was_left and asked.budget == PLENTY:
                yield Check(f"the context contains {_noted(note)}", word in shown, text)
        elif word not in said:
            yield Check(f"the context does not contain {_noted(note)}", word not in shown, around(text, word))


def _environment(asked: Asked) -> Iterator[Check]:
    model, text = asked.model, asked.answer.text
    told, live = _spoken_words(model), _live_words(model)
    alert = model.environment.get("alert")
    if alert and asked.budget == PLENTY:
        yield Check(f"the context contains the alert {alert[1]!r}", alert[1] in _words(text), text)
    for word in filter(None, model.replaced):
        if word not in told | live:
            claim = f"the context does not contain the former alert {word!r}"
            yield Check(claim, word not in _words(text), around(text, word))


def _budget(asked: Asked) -> Iterator[Check]:
    used = tokens(asked.answer.text)
    yield Check(f"at most {asked.budget} tokens", used <= asked.budget, f"{used} tokens")


def _constraints_first(asked: Asked) -> Iterator[Check]:
    """Check that policies come before all other facts that are not from conversation, if the budget is ample."""
    if asked.budget != PLENTY:
        return
    section, written = asked.answer.section("facts"), [one for one in asked.model.holds() if one.turn is None]
    shown = [one for one in written if one.before is None and not one.review and one.word in _words(section)]
    # Two facts may have one value; a line then does not tell which of them it shows.
    said = Counter(one.word for one in shown)
    once = [one for one in shown if section.count(one.word) == said[one.word] == 1]
    policy = LEVELS["policy"]
    limits = [one for one in once if one.level == policy]
    for one in once if limits else ():
        if one.level < policy:
            after = all(section.find(limit.word) < section.find(one.word) for limit in limits)
            yield Check(f"{_label(one)} comes after {', '.join(map(_label, limits))}", after, section)


#: Name of the verdict -> its checks. `requirements.SHOWS` maps it to requirements.
ASPECTS: dict[str, Look] = {
    "generated_versions": _versions(_PLAIN),
    "generated_narrow_versions": _versions(_NARROW),
    "generated_unreal_versions": _versions(_UNREAL),
    "generated_spoken_versions": _versions(_SPOKEN),
    "generated_review": _review,
    "generated_valid_facts": _valid_facts,
    "generated_is_current": _is_current,
    "generated_current_values": _current_values,
    "generated_dead_values": _dead_shown,
    "generated_unreal_values": _unreal_shown,
    "generated_inactive_values": _inactive_shown,
    "generated_live_values": _holds_shown,
    "generated_narrow_values": _narrow_shown,
    "generated_restricted_values": _restricted,
    "generated_notes": _notes,
    "generated_environment": _environment,
    "generated_budget": _budget,
    "generated_constraints": _constraints_first,
}


# --- words


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def _live_words(model: Model) -> set[str]:
    held = {one.word for one in model.holds() if one.is_shown_to(model.reader)}
    return held.union(*(_words(value) for _, value in model.environment.values()))


def _dead_words(model: Model) -> set[str]:
    facts = [*model.gone(), *model.elsewhere(), *model.hidden()]
    return ({one.word for one in facts} | set(model.replaced)) - _live_words(model)


def _spoken_words(model: Model) -> set[str]:
    return set[str]().union(*map(_words, model.turns), *(_words(note.value) for note in model.notes))


def _nature(one: Known) -> str:
    if one.turn is not None:
        return _SPOKEN
    return _UNREAL if one.place[0] in UNREAL else _PLAIN if one.place == EVERYWHERE else _NARROW


def _nature_of(fact: Fact) -> str:
    if read_field(fact, "source").get("type") == _CONVERSATION:
        return _SPOKEN
    scope = read_field(fact, "scope")
    return _UNREAL if scope in UNREAL else _PLAIN if scope == EVERYWHERE[0] else _NARROW


def _label(one: Known) -> str:
    where = "" if one.place == EVERYWHERE else f" ({' '.join(filter(None, one.place))})"
    return f"{one.key}{where} {one.value!r}"


def _noted(note: Note) -> str:
    where = "" if note.place == EVERYWHERE else f" of {' '.join(filter(None, note.place))}"
    return f"the note{where} {note.value!r}"


def _shown(fact: Fact) -> str:
    names = ("key", "value", "is_valid", "ended", "scope", "scope_id", "superseded_by", "supersedes")
    return ", ".join(f"{name} {fact.get(name)!r}" for name in names)


def _list(facts: Sequence[Fact]) -> str:
    return ", ".join(f"{fact.get('key')} {fact.get('value')!r}" for fact in facts) or "none"
