"""The store of persistent facts: created, read or superseded, never edited or deleted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from evaluation.statebench.classify import DRAFT, GLOBAL, HYPOTHETICAL, constraint_type
from evaluation.statebench.layers import PersistentFact, Source


@dataclass(slots=True)
class Draft:
    """What a writer asks for; the store completes it. Pointers may be ids or keys."""

    key: str
    value: Any
    source: Source
    ts: str
    id: str = ""
    scope: str = GLOBAL
    scope_id: str | None = None
    supersedes: str | None = None
    depends_on: tuple[str, ...] = ()
    is_constraint: bool = False
    constraint_type: str | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """A write that was not carried out, or a pointer that led nowhere."""

    code: str  # "authority" | "scope" | "dangling"
    key: str
    message: str


class FactStore:
    """Facts in order of creation, reachable by store id, by the id or by the key the data gave.

    Supersession costs time linear in the facts that depend on the dead one; every other write is constant.
    """

    def __init__(self) -> None:
        self.facts: dict[str, PersistentFact] = {}
        self.refusals: list[Refusal] = []
        self._named: dict[str, list[PersistentFact]] = {}
        self._awaited: dict[str, list[PersistentFact]] = {}

    def __iter__(self) -> Iterator[PersistentFact]:
        return iter(self.facts.values())

    def __len__(self) -> int:
        return len(self.facts)

    def create(self, draft: Draft) -> PersistentFact:
        """Add a fact, ignoring its `supersedes`. The id is made unique; the given one stays as an alias."""
        text, order, source, key = str(draft.value), len(self.facts), draft.source, draft.key
        alias = draft.id or f"F{order + 1}"
        name = alias if alias not in self.facts else f"{alias}~{order + 1}"
        fact = PersistentFact(name, alias, key, draft.value, source, draft.ts, order, text)
        fact.scope, fact.scope_id = draft.scope, draft.scope_id
        fact.constraint_type = draft.constraint_type or constraint_type(key, text, source)
        fact.is_constraint = draft.is_constraint or fact.constraint_type is not None
        if draft.depends_on or self._awaited:
            self._link(fact, draft.depends_on)
        self.facts[name] = fact
        self._named.setdefault(key, []).append(fact)
        if alias != key:
            self._named.setdefault(alias, []).append(fact)
        return fact

    def write(self, draft: Draft) -> PersistentFact | None:
        """Create a fact and supersede the one it points to, or rather what that has become.

        None where authority forbids it; what is merely drafted is kept, but supersedes nothing.
        """
        old = self.resolve(draft.supersedes) if draft.supersedes else None
        if draft.supersedes and old is None:
            self.refusals.append(Refusal("dangling", draft.key, f"nothing is called {draft.supersedes!r}"))
        if old is None:
            return self.create(draft)
        old = self.head(old)
        if refusal := refuse(draft, old):
            self.refusals.append(refusal)
            return self.create(draft) if refusal.code == "scope" else None
        new = self.create(draft)
        self.supersede(old, new)
        return new

    def supersede(self, old: PersistentFact, new: PersistentFact) -> None:
        """Link old -> new and mark what depends on the old fact, transitively."""
        old.is_valid = False
        old.superseded_by, new.supersedes = new.id, old.id
        waiting = [old]
        while waiting:
            for dependent_id in waiting.pop().derived_facts:
                dependent = self.facts[dependent_id]
                if not dependent.needs_review and dependent is not old and dependent is not new:
                    dependent.needs_review = True
                    waiting.append(dependent)

    def resolve(self, name: str) -> PersistentFact | None:
        """The fact a pointer means, by id or key: the latest valid one, else the latest."""
        found = self._named.get(name)
        if not found:
            return self.facts.get(name)
        for fact in reversed(found):
            if fact.is_valid:
                return fact
        return found[-1]

    def head(self, fact: PersistentFact) -> PersistentFact:
        """The end of a fact's chain; stops where a chain bites its own tail."""
        if not fact.superseded_by:
            return fact
        seen = {fact.id}
        while fact.superseded_by and fact.superseded_by not in seen:
            fact = self.facts[fact.superseded_by]
            seen.add(fact.id)
        return fact

    def named(self, name: str) -> list[PersistentFact]:
        """Every version called that, oldest first."""
        return list(self._named.get(name, ()))

    def read_valid(self, scope: str = GLOBAL) -> list[PersistentFact]:
        """The valid facts of a scope, oldest first."""
        return [fact for fact in self.facts.values() if fact.is_valid and fact.scope == scope]

    def is_fact_current(self, name: str) -> bool:
        """Whether the fact called that (id or key) is valid; False where nothing is called that."""
        fact = self.resolve(name)
        return fact is not None and fact.is_valid

    def get_current_value(self, name: str) -> Any:
        """The value at the end of the chain of what is called that; None where nothing valid is."""
        fact = self.resolve(name)
        if fact is None:
            return None
        head = self.head(fact)
        return head.value if head.is_valid else None

    def chain(self, name: str) -> list[PersistentFact]:
        """The versions from the first one to the current, for queries and never for a prompt."""
        fact = self.resolve(name)
        if fact is None:
            return []
        versions, seen = [fact], {fact.id}
        while versions[0].supersedes and versions[0].supersedes not in seen:
            versions.insert(0, self.facts[versions[0].supersedes])
            seen.add(versions[0].id)
        while versions[-1].superseded_by and versions[-1].superseded_by not in seen:
            versions.append(self.facts[versions[-1].superseded_by])
            seen.add(versions[-1].id)
        return versions

    def _link(self, fact: PersistentFact, depends_on: Iterable[str]) -> None:
        """Enter dependencies both ways. One that is written only later is linked when it comes."""
        for name in depends_on:
            base = self.resolve(name)
            if base is None:
                self._awaited.setdefault(name, []).append(fact)
                continue
            fact.depends_on.append(base.id)
            base.derived_facts.append(fact.id)
            fact.needs_review = fact.needs_review or base.needs_review or not base.is_valid
        for name in (fact.alias, fact.key):
            for dependent in self._awaited.pop(name, ()):
                dependent.depends_on.append(fact.id)
                fact.derived_facts.append(dependent.id)


def refuse(draft: Draft, old: PersistentFact) -> Refusal | None:
    """Why a write may not supersede a fact: its scope is not global, or its authority is lower."""
    if draft.scope in (HYPOTHETICAL, DRAFT) and old.scope == GLOBAL:
        return Refusal("scope", draft.key, f"a {draft.scope} statement never changes what holds globally")
    if draft.source.level < old.source.level:
        return Refusal(
            "authority",
            draft.key,
            f"{draft.source.level.name} may not supersede {old.source.level.name} ({old.key!r})".lower(),
        )
    return None
