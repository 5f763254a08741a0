"""Checks of the context: what is in it, in which order, at what price. Texts are compared in lower case."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evaluation.statebench.conformance.checks.reading import Check, CheckedAnswer, Vector

SLACK = 1e-9
_AROUND = 80  # characters


def context_contains(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    """Every phrase is in the context."""
    text = answer.text
    for phrase in expected:
        yield Check(f"the context holds {phrase!r}", _in(phrase, text), text)


def context_not_contains(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    """No phrase is in the context."""
    text = answer.text
    for phrase in expected:
        yield Check(f"the context is free of {phrase!r}", not _in(phrase, text), around(text, phrase))


def facts_section_not_contains(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    """No phrase is in the section of facts."""
    section = answer.section("facts")
    for phrase in expected:
        yield Check(f"the facts are free of {phrase!r}", not _in(phrase, section), around(section, phrase))


def section_contains(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    """Every phrase is in the section named."""
    for name, phrases in expected.items():
        section = answer.section(name)
        for phrase in phrases:
            yield Check(f"the section {name} holds {phrase!r}", _in(phrase, section), section)


def section_order(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    """The sections stand in the context one after the other, none of them empty."""
    text, at = answer.text, 0
    for name in expected:
        section = answer.section(name).strip()
        position = text.find(section, at) if section else -1
        seen = text if section else f"the section {name} is empty"
        yield Check(f"{name} has its place in the order {', '.join(expected)}", position >= 0, seen)
        at = max(at, position + len(section))


def facts_in_order(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    """The section of facts holds these phrases one after the other."""
    section, at = answer.section("facts"), 0
    for phrase in expected:
        position = section.lower().find(phrase.lower(), at)
        yield Check(f"the facts hold {phrase!r} in the order {', '.join(expected)}", position >= 0, section)
        at = max(at, position + len(phrase))


def max_tokens(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    """The context has at most this many whitespace tokens."""
    used = tokens(answer.text)
    yield Check(f"at most {expected} tokens", used <= expected, f"{used} tokens")


def facts_at_most(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    """Facts take at most this share of what identity and environment leave of the budget."""
    used, left = _facts_and_rest(answer, vector)
    claim = f"facts take at most {expected} of {left} tokens{_asked(vector)}"
    yield Check(claim, used <= expected * left + SLACK, f"{used} tokens")


def facts_at_least(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    """Facts take at least this share, where there are facts enough to fill it."""
    used, left = _facts_and_rest(answer, vector)
    claim = f"facts take at least {expected} of {left} tokens{_asked(vector)}"
    yield Check(claim, used >= expected * left - SLACK, f"{used} tokens")


def tokens(text: str) -> int:
    """What a text costs: its words between whitespace."""
    return len(text.split())


def around(text: str, phrase: str) -> str:
    """The place where a text holds a phrase, so that evidence shows what should not be there; else its beginning.

    Args:
        text: The text.
        phrase: What is sought, in any case.
    """
    at = text.lower().find(phrase.lower())
    start = max(0, at - _AROUND)
    return f"{'…' if start else ''}{text[start:]}" or "an empty text"


def _facts_and_rest(answer: CheckedAnswer, vector: Vector) -> tuple[int, int]:
    """The tokens of the facts, and those that identity and environment leave."""
    parts = {name: tokens(answer.section(name)) for name in ("identity", "environment", "facts")}
    return parts["facts"], int(vector["token_budget"]) - parts["identity"] - parts["environment"]


def _asked(vector: Vector) -> str:
    share = vector.get("fact_share")
    return "" if share is None else f', asked for with "fact_share": {share}'


def _in(phrase: str, text: str) -> bool:
    return phrase.lower() in text.lower()
