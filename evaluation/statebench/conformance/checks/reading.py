"""Reading an answer: what is missing, or of another kind than the protocol says, is an error that names it.

A checker is called with (answer, expected, vector). It may raise AnswerError.

Args:
    answer: What the implementation answered.
    expected: What the vector expects, in the shape that the expectation takes.
    vector: The vector as a whole.

Returns:
    One check per comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict

from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError
from evaluation.statebench.records import Timeline

Fact = Mapping[str, Any]
_TEXT, _FLAG, _LIST, _OBJECT = (str,), (bool,), (list,), (dict,)
_NAME = (str, type(None))
_KINDS = {str: "a text", bool: "true or false", list: "a list", dict: "an object", type(None): "null"}
#: Every field of a fact, and what it may hold.
FIELDS: dict[str, tuple[type, ...]] = {
    "id": _TEXT,
    "key": _TEXT,
    "value": (object,),
    "source": _OBJECT,
    "timestamp": _TEXT,
    "is_valid": _FLAG,
    "ended": _FLAG,
    "superseded_by": _NAME,
    "supersedes": _NAME,
    "memory_type": _TEXT,
    "scope": _TEXT,
    "scope_id": _NAME,
    "depends_on": _LIST,
    "derived_facts": _LIST,
    "needs_review": _FLAG,
    "is_constraint": _FLAG,
    "constraint_type": _NAME,
}


class AnswerError(BenchmarkError):
    """An answer lacks what a check needs; the text names the field."""


def field(record: Mapping[str, object], name: str, kinds: tuple[type, ...], where: str) -> Any:
    """A field of a record.

    Args:
        record: An object of the answer.
        name: The field.
        kinds: The types that it may have.
        where: What the record is called in the error.

    Returns:
        Its value, of one of the kinds.

    Raises:
        AnswerError: The field is missing or of another kind.
    """
    if name not in record:
        raise AnswerError(f"{where} has no field {name!r}")
    value = record[name]
    if not isinstance(value, kinds):
        expected = " or ".join(_KINDS[kind] for kind in kinds)
        raise AnswerError(f"{name!r} of {where} is {jsonl.kind(value)}, not {expected}")
    return value


def of_fact(fact: Fact, name: str) -> Any:
    """A field of a fact.

    Args:
        fact: A fact of the answer.
        name: The field, one of FIELDS.

    Returns:
        Its value, of the kind that FIELDS demands.

    Raises:
        AnswerError: The field is missing or of another kind.
    """
    return field(fact, name, FIELDS[name], f"fact {fact.get('key', fact.get('id', '?'))!r}")


class CheckedAnswer:
    """An answer of an implementation. Every method raises AnswerError for what cannot be read."""

    def __init__(self, answer: Any) -> None:
        if not isinstance(answer, Mapping):
            raise AnswerError(f"the answer is {jsonl.kind(answer)}, not an object")
        self._answer = answer

    @property
    def text(self) -> str:
        """The whole context."""
        text: str = field(self._context, "text", _TEXT, "the context")
        return text

    def section(self, name: str) -> str:
        """One section of the context."""
        sections = field(self._context, "sections", _OBJECT, "the context")
        text: str = field(sections, name, _TEXT, "'sections'")
        return text

    @property
    def _context(self) -> Mapping[str, object]:
        context: Mapping[str, object] = self.part("context")
        return context

    def part(self, name: str) -> Mapping[str, Any]:
        """An object of the answer: `context`, `identity`, `current_values`, `is_current`, `turn_scopes`."""
        record: Mapping[str, Any] = field(self._answer, name, _OBJECT, "the answer")
        return record

    @property
    def valid_facts(self) -> list[Any]:
        """The ids that reading the valid facts gave."""
        ids: list[Any] = field(self._answer, "valid_facts", _LIST, "the answer")
        return ids

    @property
    def facts(self) -> list[Fact]:
        """Every version of every fact, in order of creation."""
        facts = field(self._answer, "facts", _LIST, "the answer")
        for number, fact in enumerate(facts):
            if not isinstance(fact, Mapping):
                raise AnswerError(f"item {number} of 'facts' is {jsonl.kind(fact)}, not an object")
        return list(facts)

    def named(self, key: str) -> list[Fact]:
        """The versions of a key."""
        return [fact for fact in self.facts if of_fact(fact, "key") == key]

    def latest(self, key: str) -> Fact:
        """The valid version of a key, else its last one."""
        versions = self.named(key)
        if not versions:
            raise AnswerError(f"no fact has the key {key!r}")
        return next((fact for fact in reversed(versions) if of_fact(fact, "is_valid")), versions[-1])

    def head(self, key: str) -> Fact:
        """The fact that a key has become, whatever its own key is; stops where a chain bites its own tail."""
        by_id = {of_fact(fact, "id"): fact for fact in self.facts}
        fact, seen = self.latest(key), set[str]()
        while (after := of_fact(fact, "superseded_by")) in by_id and after not in seen:
            seen.add(after)
            fact = by_id[after]
        return fact

    def keys_of(self, ids: list[Any]) -> list[str]:
        """The keys of facts given by their ids; an id that no fact has stays as it is."""
        keys = {of_fact(fact, "id"): of_fact(fact, "key") for fact in self.facts}
        return [keys.get(name, f"no fact {name!r}") if isinstance(name, str) else repr(name) for name in ids]

    def dead(self) -> Iterator[Fact]:
        """The superseded facts."""
        return (fact for fact in self.facts if not of_fact(fact, "is_valid"))

    def live(self) -> Iterator[Fact]:
        """The valid facts."""
        return (fact for fact in self.facts if of_fact(fact, "is_valid"))


@dataclass(frozen=True, slots=True)
class Check:
    """What was expected, whether it holds, and what was seen (empty: the expectation says it all).

    `of` names the vector's expectation behind it.
    """

    expectation: str
    passed: bool
    seen: str
    of: str = ""


class Vector(TypedDict):
    """A question to an implementation, with the expectations about its answer."""

    name: str
    token_budget: int
    timeline: Timeline
    expect: Mapping[str, Any]  # expectation -> what it takes
    rule: NotRequired[str]
    fact_share: NotRequired[float | None]
    constraint_share: NotRequired[float | None]


#: (answer, what the vector expects, the vector) -> its checks. May raise AnswerError.
Checker = Callable[[CheckedAnswer, Any, Vector], Iterator[Check]]
