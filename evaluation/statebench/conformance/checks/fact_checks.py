"""Checks of the state: facts, their fields and chains, the identity, and answers about keys and turns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from evaluation.statebench.conformance.checks.reading import (
    FIELDS,
    Check,
    CheckedAnswer,
    Checker,
    Fact,
    Vector,
    field,
    read_field,
)
from evaluation.statebench.facts.scopes import GLOBAL, UNREAL


def valid_keys(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    valid = _keys(answer.live())
    for key in expected:
        yield Check(f"{key!r} is valid", key in valid, f"valid: {valid}")


def superseded_keys(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    """Check that each key has a superseded fact. If `expected` is empty, check that no fact is superseded."""
    dead = _keys(answer.dead())
    for key in expected:
        yield Check(f"{key!r} is superseded", key in dead, f"superseded: {dead}")
    if not expected:
        yield Check("nothing is superseded", not dead, f"superseded: {dead}")


def superseded_by(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    """Check that a fact of the old key points to a fact of the new key, for each {old key: new key}."""
    for old, new in expected.items():
        pointers = [read_field(fact, "superseded_by") for fact in answer.named(old)]
        targets = answer.keys_of([name for name in pointers if name is not None])
        yield Check(f"{old!r} is superseded by {new!r}", new in targets, f"points to {targets}")


def is_valid(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    """Check that facts with each given value exist, and are valid (true) or superseded (false)."""
    for value, valid in expected.items():
        seen = [read_field(fact, "is_valid") for fact in answer.facts if read_field(fact, "value") == value]
        claim = f"the fact {value!r} is {'valid' if valid else 'superseded'}"
        yield Check(claim, set(seen) == {valid}, f"is_valid: {seen}" if seen else "no such fact")


def ended(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    """For each given value, check that facts exist whose scope has ended (true) or is still open (false)."""
    for value, flag in expected.items():
        seen = [read_field(fact, "ended") for fact in answer.facts if read_field(fact, "value") == value]
        claim = f"the fact {value!r} has {'' if flag else 'not '}ended"
        yield Check(claim, set(seen) == {flag}, f"ended: {seen}" if seen else "no such fact")


def valid_facts(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    """Check that the list of valid facts is complete and has no superseded, drafted or supposed fact.

    It must have the expected keys, and every valid global fact unless a fact of a narrower scope has the same key.
    """
    listed = answer.valid_facts
    keys = answer.keys_of(listed)
    for key in expected:
        yield Check(f"the valid facts have {key!r}", key in keys, f"valid_facts: {keys}")
    dead = answer.keys_of(
        [read_field(fact, "id") for fact in answer.dead() if read_field(fact, "id") in listed]
    )
    yield Check("no superseded fact is among the valid facts", not dead, f"among them: {dead}")
    read = [fact for fact in answer.live() if read_field(fact, "id") in listed]
    unreal = _keys(fact for fact in read if read_field(fact, "scope") in UNREAL)
    yield Check("nothing drafted or supposed is among the valid facts", not unreal, f"among them: {unreal}")
    left = [fact for fact in answer.live() if read_field(fact, "id") not in listed]
    narrow = {read_field(fact, "key") for fact in read if read_field(fact, "scope") != GLOBAL}
    wide = (fact for fact in left if read_field(fact, "scope") == GLOBAL)
    missing = _keys(fact for fact in wide if read_field(fact, "key") not in narrow)
    yield Check("no valid fact of global scope is left out", not missing, f"left out: {missing}")
    unknown = [key for key in keys if key.startswith("no fact ")]
    yield Check("every valid fact is one of 'facts'", not unknown, "; ".join(unknown) or "all are")


def is_current(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    answered = answer.part("is_current")
    for key, value in expected.items():
        seen = answered.get(key, "no answer")
        claim = f"{key!r} is {'current' if value else 'not current'}"
        yield Check(claim, seen is value, repr(seen))


def current_value(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    answered = answer.part("current_values")
    for key, value in expected.items():
        seen = answered.get(key)
        yield Check(f"the current value of {key!r} is {value!r}", _same(seen, value), repr(seen))


def needs_review_keys(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    marked = _keys(fact for fact in answer.facts if read_field(fact, "needs_review"))
    for key in expected:
        yield Check(f"{key!r} needs review", key in marked, f"marked: {marked}")


def firm_keys(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    marked = _keys(fact for fact in answer.facts if read_field(fact, "needs_review"))
    for key in expected:
        yield Check(f"{key!r} needs no review", key not in marked, f"marked: {marked}")


def turn_scope(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    answered = answer.part("turn_scopes")
    for text, scope in expected.items():
        seen = answered.get(text)
        yield Check(f"{text!r} is of scope {scope}", seen == scope, repr(seen))


def identity(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    answered = answer.part("identity")
    for name, value in expected.items():
        seen = field(answered, name, (object,), "'identity'")
        yield Check(f"{name} of the identity is {value!r}", _same(seen, value), repr(seen))


def record(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    """Check that facts have all fields and unique ids, and that facts of the given keys have given values."""
    facts = answer.facts
    for fact in facts:
        for name in FIELDS:
            read_field(fact, name)
    ids = [read_field(fact, "id") for fact in facts]
    yield Check("every fact has a unique id", len(set(ids)) == len(ids), f"ids: {ids}")
    for key, fields in expected.items():
        fact = answer.latest(key)
        for name, value in fields.items():
            seen = field(fact, name, (object,), f"fact {key!r}")
            yield Check(f"{name} of {key!r} is {value!r}", _equal(name, seen, value), repr(seen))


def links(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    """Check pointers between facts. `expected` maps a pointer field to keys, and each key to the keys pointed to."""
    for name, by_key in expected.items():
        for key, targets in by_key.items():
            pointers = field(answer.latest(key), name, (list, str, type(None)), f"fact {key!r}")
            ids = pointers if isinstance(pointers, list) else [] if pointers is None else [pointers]
            seen = sorted(answer.keys_of(ids))
            yield Check(f"{name} of {key!r} is {targets}", seen == sorted(targets), f"points to {seen}")


def source(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    """Check fields of the source of each key's newest fact, the end of the chain of supersessions."""
    for key, fields in expected.items():
        origin = read_field(answer.head(key), "source")
        for name, value in fields.items():
            seen = field(origin, name, (object,), f"the source of fact {key!r}")
            claim = f"{name} of the source of {key!r} is {value!r}"
            yield Check(claim, _same(seen, value), repr(seen))


def fact_field(name: str) -> Checker:
    def check(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
        for key, value in expected.items():
            seen = read_field(answer.latest(key), name)
            yield Check(f"{name} of {key!r} is {value!r}", _same(seen, value), repr(seen))

    return check


def _keys(facts: Iterator[Fact]) -> list[str]:
    return sorted({read_field(fact, "key") for fact in facts})


def _same(seen: Any, expected: Any) -> bool:
    """Compare JSON values. Unlike in Python, true is not equal to 1."""
    if isinstance(expected, bool) or isinstance(seen, bool):
        return seen is expected
    if isinstance(expected, Mapping) and isinstance(seen, Mapping):
        return seen.keys() == expected.keys() and all(_same(seen[name], expected[name]) for name in expected)
    if isinstance(expected, list | tuple) and isinstance(seen, list | tuple):
        return len(seen) == len(expected) and all(map(_same, seen, expected))
    return bool(seen == expected)


def _equal(name: str, seen: Any, expected: Any) -> bool:
    if name != "timestamp":
        return _same(seen, expected)
    try:
        moments = [datetime.fromisoformat(text).replace(tzinfo=None) for text in (seen, expected)]
    except (TypeError, ValueError):
        return False
    return moments[0] == moments[1]
