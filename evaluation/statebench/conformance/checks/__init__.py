"""The expectations that vectors may state. Each name has a check and the required shape of its value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.core import jsonl
from evaluation.core.errors import RowError
from evaluation.statebench.conformance.checks import context_checks, fact_checks
from evaluation.statebench.conformance.checks.reading import Checker

Shape = Callable[[Any], str | None]  # the problem with a value, or None


def texts(value: Any) -> str | None:
    if isinstance(value, list | tuple) and all(isinstance(one, str) for one in value):
        return None
    return f"must be a list of texts, not {_seen(value)}"


def number(value: Any) -> str | None:
    if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0:
        return None
    return f"must be a number ≥ 0, not {_seen(value)}"


def by_key(inner: Shape) -> Shape:
    def shape(value: Any) -> str | None:
        if not isinstance(value, Mapping):
            return f"must be an object, not {_seen(value)}"
        wrong = ((key, inner(one)) for key, one in value.items())
        return next((f"of {key!r} {why}" for key, why in wrong if why), None)

    return shape


def anything(value: Any) -> str | None:
    return None


def one_of(*kinds: type, called: str) -> Shape:
    return lambda value: None if isinstance(value, kinds) else f"must be {called}, not {_seen(value)}"


text, flag = one_of(str, called="a text"), one_of(bool, called="true or false")
text_or_null = one_of(str, type(None), called="a text or null")


@dataclass(frozen=True, slots=True)
class Expectation:
    check: Checker
    shape: Shape


EXPECTATIONS: dict[str, Expectation] = {
    "context_contains": Expectation(context_checks.context_contains, texts),
    "context_not_contains": Expectation(context_checks.context_not_contains, texts),
    "facts_section_not_contains": Expectation(context_checks.facts_section_not_contains, texts),
    "section_contains": Expectation(context_checks.section_contains, by_key(texts)),
    "facts_in_order": Expectation(context_checks.facts_in_order, texts),
    "section_order": Expectation(context_checks.section_order, texts),
    "max_tokens": Expectation(context_checks.max_tokens, number),
    "facts_section_max_fraction_of_remaining": Expectation(context_checks.facts_at_most, number),
    "facts_section_min_fraction_of_remaining": Expectation(context_checks.facts_at_least, number),
    "identity": Expectation(fact_checks.identity, by_key(anything)),
    "valid_keys": Expectation(fact_checks.valid_keys, texts),
    "superseded_keys": Expectation(fact_checks.superseded_keys, texts),
    "superseded_by": Expectation(fact_checks.superseded_by, by_key(text)),
    "is_valid": Expectation(fact_checks.is_valid, by_key(flag)),
    "ended": Expectation(fact_checks.ended, by_key(flag)),
    "valid_facts": Expectation(fact_checks.valid_facts, texts),
    "is_current": Expectation(fact_checks.is_current, by_key(flag)),
    "current_value": Expectation(fact_checks.current_value, by_key(anything)),
    "needs_review_keys": Expectation(fact_checks.needs_review_keys, texts),
    "firm_keys": Expectation(fact_checks.firm_keys, texts),
    "turn_scope": Expectation(fact_checks.turn_scope, by_key(text)),
    "record": Expectation(fact_checks.record, by_key(by_key(anything))),
    "links": Expectation(fact_checks.links, by_key(by_key(texts))),
    "source": Expectation(fact_checks.source, by_key(by_key(anything))),
    "memory_type": Expectation(fact_checks.fact_field("memory_type"), by_key(text)),
    "is_constraint": Expectation(fact_checks.fact_field("is_constraint"), by_key(flag)),
    "constraint_type": Expectation(fact_checks.fact_field("constraint_type"), by_key(text_or_null)),
}
# Stated by vectors without a check: `nlu` marks vectors that need language understanding, `decision` needs a model.
UNCHECKED = frozenset(("nlu", "decision"))


def check_expectations(expect: Mapping[str, object], vector: str) -> None:
    """Raise RowError if an expectation of a vector is unknown or has the wrong shape."""
    if unknown := sorted(set(expect) - set(EXPECTATIONS) - UNCHECKED):
        known = ", ".join(sorted(EXPECTATIONS))
        raise RowError(f"vector {vector!r} has unknown expectations: {', '.join(unknown)}. Known: {known}")
    for name in sorted(set(expect) & set(EXPECTATIONS)):
        if why := EXPECTATIONS[name].shape(expect[name]):
            raise RowError(f"vector {vector!r}: the expectation {name} {why}")


def _seen(value: Any) -> str:
    kind = jsonl.kind(value)
    return f"{kind} with other items" if isinstance(value, list | tuple) else kind
