"""Reads an implementation's answer. A missing or mistyped field is an error that names the field.

Each check is a function that may raise AnswerError:

Args:
    answer: The implementation's answer.
    expected: The value of the expectation, in the shape that `EXPECTATIONS` demands.
    vector: The whole vector.

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
#: Field of a fact -> its types.
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
    """A field that a check needs is missing or has the wrong type. The message names the field."""


def field(record: Mapping[str, object], name: str, kinds: tuple[type, ...], where: str) -> Any:
    """A field of a record. Raises AnswerError, naming the record `where`, if the field is missing or mistyped."""
    if name not in record:
        raise AnswerError(f"{where} has no field {name!r}")
    value = record[name]
    if not isinstance(value, kinds):
        expected = " or ".join(_KINDS[kind] for kind in kinds)
        raise AnswerError(f"{name!r} of {where} is {jsonl.kind(value)}, not {expected}")
    return value


def read_field(fact: Fact, name: str) -> Any:
    """One of the FIELDS of a fact. Raises AnswerError if the field is missing or mistyped."""
    return field(fact, name, FIELDS[name], f"fact {fact.get('key', fact.get('id', '?'))!r}")


class CheckedAnswer:
    """An implementation's answer. Every method raises AnswerError for missing or malformed fields."""

    def __init__(self, answer: Any) -> None:
        if not isinstance(answer, Mapping):
            raise AnswerError(f"the answer is {jsonl.kind(answer)}, not an object")
        self._answer = answer

    @property
    def text(self) -> str:
        text: str = field(self._context, "text", _TEXT, "the context")
        return text

    def section(self, name: str) -> str:
        sections = field(self._context, "sections", _OBJECT, "the context")
        text: str = field(sections, name, _TEXT, "'sections'")
        return text

    @property
    def _context(self) -> Mapping[str, object]:
        context: Mapping[str, object] = self.part("context")
        return context

    def part(self, name: str) -> Mapping[str, Any]:
        """An object of the answer, such as `context`, `identity` or `current_values`."""
        record: Mapping[str, Any] = field(self._answer, name, _OBJECT, "the answer")
        return record

    @property
    def valid_facts(self) -> list[Any]:
        """Ids of the facts that the implementation lists as valid."""
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
        return [fact for fact in self.facts if read_field(fact, "key") == key]

    def latest(self, key: str) -> Fact:
        """The latest valid fact with a key, or the latest fact if none is valid."""
        versions = self.named(key)
        if not versions:
            raise AnswerError(f"no fact has the key {key!r}")
        return next((fact for fact in reversed(versions) if read_field(fact, "is_valid")), versions[-1])

    def head(self, key: str) -> Fact:
        """The last fact of a key's chain of `superseded_by`. In a cycle, the last fact before the repetition."""
        by_id = {read_field(fact, "id"): fact for fact in self.facts}
        fact, seen = self.latest(key), set[str]()
        while (after := read_field(fact, "superseded_by")) in by_id and after not in seen:
            seen.add(after)
            fact = by_id[after]
        return fact

    def keys_of(self, ids: list[Any]) -> list[str]:
        """Keys of the facts with these ids. An unknown id gives `no fact 'id'`."""
        keys = {read_field(fact, "id"): read_field(fact, "key") for fact in self.facts}
        return [keys.get(name, f"no fact {name!r}") if isinstance(name, str) else repr(name) for name in ids]

    def dead(self) -> Iterator[Fact]:
        return (fact for fact in self.facts if not read_field(fact, "is_valid"))

    def live(self) -> Iterator[Fact]:
        return (fact for fact in self.facts if read_field(fact, "is_valid"))


@dataclass(frozen=True, slots=True)
class Check:
    """One comparison. `seen` is the evidence, which may be empty. `of` is the name of the expectation in the vector."""

    expectation: str
    passed: bool
    seen: str
    of: str = ""


class Vector(TypedDict):
    """A request to an implementation with expectations about its answer."""

    name: str
    token_budget: int
    timeline: Timeline
    expect: Mapping[str, Any]  # name of an expectation -> its value
    rule: NotRequired[str]
    fact_share: NotRequired[float | None]
    constraint_share: NotRequired[float | None]


#: (answer, value of the expectation, vector) -> checks. May raise AnswerError.
Checker = Callable[[CheckedAnswer, Any, Vector], Iterator[Check]]
