"""Checks of a context: phrases, sections, order, cost. Texts are compared in lower case."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evaluation.statebench.conformance.checks.reading import Check, CheckedAnswer, Vector

SLACK = 1e-9  # rounding of share × tokens
_AROUND = 80  # characters before the phrase


def context_contains(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    """Check that the context contains every phrase in `expected`."""
    text = answer.text
    for phrase in expected:
        yield Check(f"the context contains {phrase!r}", _in(phrase, text), text)


def context_not_contains(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    """Check that the context contains none of the phrases in `expected`."""
    text = answer.text
    for phrase in expected:
        yield Check(f"the context does not contain {phrase!r}", not _in(phrase, text), around(text, phrase))


def facts_section_not_contains(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    """Check that the facts section contains none of the phrases in `expected`."""
    section = answer.section("facts")
    for phrase in expected:
        yield Check(
            f"the facts section does not contain {phrase!r}",
            not _in(phrase, section),
            around(section, phrase),
        )


def section_contains(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    """Check that every section named in `expected` contains its phrases."""
    for name, phrases in expected.items():
        section = answer.section(name)
        for phrase in phrases:
            yield Check(f"the section {name} contains {phrase!r}", _in(phrase, section), section)


def section_order(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    """Check that the sections follow each other in the expected order, and that no section is empty."""
    text, at = answer.text, 0
    for name in expected:
        section = answer.section(name).strip()
        position = text.find(section, at) if section else -1
        seen = text if section else f"the section {name} is empty"
        yield Check(f"{name} comes in the order {', '.join(expected)}", position >= 0, seen)
        at = max(at, position + len(section))


def facts_in_order(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    """Check that the facts section has the expected phrases in the expected order."""
    section, at = answer.section("facts"), 0
    for phrase in expected:
        position = section.lower().find(phrase.lower(), at)
        yield Check(
            f"the facts contain {phrase!r} in the order {', '.join(expected)}", position >= 0, section
        )
        at = max(at, position + len(phrase))


def max_tokens(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    """Check that the context has at most the expected number of whitespace tokens."""
    used = tokens(answer.text)
    yield Check(f"at most {expected} tokens", used <= expected, f"{used} tokens")


def facts_at_most(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    """Check that facts take at most the expected share of the tokens that identity and environment leave."""
    used, left = _facts_and_rest(answer, vector)
    claim = f"facts take at most {expected} of {left} tokens{_asked(vector)}"
    yield Check(claim, used <= expected * left + SLACK, f"{used} tokens")


def facts_at_least(answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    """Check that facts take at least the expected share of the tokens that identity and environment leave."""
    used, left = _facts_and_rest(answer, vector)
    claim = f"facts take at least {expected} of {left} tokens{_asked(vector)}"
    yield Check(claim, used >= expected * left - SLACK, f"{used} tokens")


def tokens(text: str) -> int:
    return len(text.split())


def around(text: str, phrase: str) -> str:
    """The text from shortly before a phrase, as evidence. Returns the whole text if the phrase is absent."""
    at = text.lower().find(phrase.lower())
    start = max(0, at - _AROUND)
    return f"{'…' if start else ''}{text[start:]}" or "an empty text"


def _facts_and_rest(answer: CheckedAnswer, vector: Vector) -> tuple[int, int]:
    parts = {name: tokens(answer.section(name)) for name in ("identity", "environment", "facts")}
    return parts["facts"], int(vector["token_budget"]) - parts["identity"] - parts["environment"]


def _asked(vector: Vector) -> str:
    share = vector.get("fact_share")
    return "" if share is None else f', requested with "fact_share": {share}'


def _in(phrase: str, text: str) -> bool:
    return phrase.lower() in text.lower()
