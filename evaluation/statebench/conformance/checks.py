"""The expectations a vector may state, each a check of an answer. Texts are compared in lower case."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Answer = Mapping[str, Any]
SLACK = 1e-9


@dataclass(frozen=True, slots=True)
class Check:
    """One comparison: what was expected, whether it holds, and what was seen."""

    expectation: str
    passed: bool
    seen: str


Checker = Callable[[Answer, Any, Mapping[str, Any]], Iterator[Check]]


def context_contains(answer: Answer, expected: Any, vector: Mapping[str, Any]) -> Iterator[Check]:
    """Every phrase is in the context."""
    for phrase in expected:
        yield Check(f"the context holds {phrase!r}", phrase.lower() in _text(answer).lower(), _text(answer))


def context_not_contains(answer: Answer, expected: Any, vector: Mapping[str, Any]) -> Iterator[Check]:
    """No phrase is in the context."""
    for phrase in expected:
        yield Check(
            f"the context is free of {phrase!r}", phrase.lower() not in _text(answer).lower(), _text(answer)
        )


def facts_section_not_contains(answer: Answer, expected: Any, vector: Mapping[str, Any]) -> Iterator[Check]:
    """No phrase is in the section of facts."""
    section = _section(answer, "facts")
    for phrase in expected:
        seen = "no section of facts" if section is None else section
        passed = section is not None and phrase.lower() not in section.lower()
        yield Check(f"the facts are free of {phrase!r}", passed, seen)


def valid_keys(answer: Answer, expected: Any, vector: Mapping[str, Any]) -> Iterator[Check]:
    """Each key has a valid fact."""
    valid = sorted({fact["key"] for fact in answer["facts"] if fact["is_valid"]})
    for key in expected:
        yield Check(f"{key!r} is valid", key in valid, f"valid: {valid}")


def superseded_keys(answer: Answer, expected: Any, vector: Mapping[str, Any]) -> Iterator[Check]:
    """Exactly these keys have superseded facts; an empty list means that nothing is superseded."""
    dead = sorted({fact["key"] for fact in answer["facts"] if not fact["is_valid"]})
    for key in expected:
        yield Check(f"{key!r} is superseded", key in dead, f"superseded: {dead}")
    if not expected:
        yield Check("nothing is superseded", not dead, f"superseded: {dead}")


def superseded_by(answer: Answer, expected: Any, vector: Mapping[str, Any]) -> Iterator[Check]:
    """The old key's fact points to the new key's."""
    keys = {fact["id"]: fact["key"] for fact in answer["facts"]}
    for old, new in expected.items():
        targets = [keys.get(fact["superseded_by"] or "") for fact in answer["facts"] if fact["key"] == old]
        yield Check(f"{old!r} is superseded by {new!r}", new in targets, f"points to {targets}")


def current_value(answer: Answer, expected: Any, vector: Mapping[str, Any]) -> Iterator[Check]:
    """The chain of a key ends in this value."""
    for key, value in expected.items():
        seen = answer["current_values"].get(key)
        yield Check(f"the current value of {key!r} is {value!r}", seen == value, repr(seen))


def needs_review_keys(answer: Answer, expected: Any, vector: Mapping[str, Any]) -> Iterator[Check]:
    """Each key's fact is marked for review."""
    marked = sorted({fact["key"] for fact in answer["facts"] if fact["needs_review"]})
    for key in expected:
        yield Check(f"{key!r} needs review", key in marked, f"marked: {marked}")


def turn_scope(answer: Answer, expected: Any, vector: Mapping[str, Any]) -> Iterator[Check]:
    """A turn's wording has this scope."""
    for text, scope in expected.items():
        seen = answer["turn_scopes"].get(text)
        yield Check(f"{text!r} is of scope {scope}", seen == scope, repr(seen))


def fact_field(name: str) -> Checker:
    """A field of the latest fact of each key."""

    def check(answer: Answer, expected: Any, vector: Mapping[str, Any]) -> Iterator[Check]:
        latest = {fact["key"]: fact.get(name) for fact in answer["facts"]}
        for key, value in expected.items():
            yield Check(f"{name} of {key!r} is {value!r}", latest.get(key) == value, repr(latest.get(key)))

    return check


def max_tokens(answer: Answer, expected: Any, vector: Mapping[str, Any]) -> Iterator[Check]:
    """The context has at most this many whitespace tokens."""
    used = _tokens(_text(answer))
    yield Check(f"at most {expected} tokens", used <= expected, f"{used} tokens")


def facts_section_max_fraction_of_remaining(
    answer: Answer, expected: Any, vector: Mapping[str, Any]
) -> Iterator[Check]:
    """Facts take at most this share of what identity and environment leave of the budget."""
    parts = {name: _section(answer, name) for name in ("identity", "environment", "facts")}
    if None in parts.values():
        yield Check("the sections are told apart", False, str(sorted(answer["context"])))
        return
    left = vector["token_budget"] - _tokens(parts["identity"] or "") - _tokens(parts["environment"] or "")
    used = _tokens(parts["facts"] or "")
    yield Check(
        f"facts take at most {expected} of {left} tokens", used <= expected * left + SLACK, f"{used} tokens"
    )


CHECKS: dict[str, Checker] = {
    "context_contains": context_contains,
    "context_not_contains": context_not_contains,
    "facts_section_not_contains": facts_section_not_contains,
    "valid_keys": valid_keys,
    "superseded_keys": superseded_keys,
    "superseded_by": superseded_by,
    "current_value": current_value,
    "needs_review_keys": needs_review_keys,
    "turn_scope": turn_scope,
    "memory_type": fact_field("memory_type"),
    "is_constraint": fact_field("is_constraint"),
    "constraint_type": fact_field("constraint_type"),
    "max_tokens": max_tokens,
    "facts_section_max_fraction_of_remaining": facts_section_max_fraction_of_remaining,
}
# Stated by vectors but not a check: `nlu` says that language has to be understood, `decision` needs a model.
UNCHECKED = frozenset(("nlu", "decision"))


def _text(answer: Answer) -> str:
    return str(answer["context"]["text"])


def _section(answer: Answer, name: str) -> str | None:
    section = (answer["context"].get("sections") or {}).get(name)
    return None if section is None else str(section)


def _tokens(text: str) -> int:
    return len(text.split())
