"""The store of persistent facts: created, read or superseded, never edited or deleted.

Every fact lives in a place (see `scopes`). A name is looked up in the place where it is used, then globally. No
supersession leaves a place: what is written in a task, a session or a project over a global fact stands for it there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from evaluation.statebench.facts.classify import constraint_type
from evaluation.statebench.facts.drafts import Draft, Refusal, refuse
from evaluation.statebench.facts.layers import PersistentFact
from evaluation.statebench.facts.scopes import EVERYWHERE, GLOBAL, Place

Named = dict[str, list[PersistentFact]]  # by id and by key as the data gave them, oldest first


class FactStore:
    """Facts in order of creation, reachable by store id, by the id or by the key the data gave.

    Supersession costs time linear in the facts that depend on the dead one; every other write is constant.
    """

    def __init__(self) -> None:
        self.facts: dict[str, PersistentFact] = {}
        self.refusals: list[Refusal] = []
        self._global: Named = {}
        self._places: dict[Place, Named] = {EVERYWHERE: self._global}
        self._awaited: dict[str, dict[Place, list[PersistentFact]]] = {}  # name -> who waits for it, by where

    def __iter__(self) -> Iterator[PersistentFact]:
        return iter(self.facts.values())

    def __len__(self) -> int:
        return len(self.facts)

    # --- writing

    def create(self, draft: Draft) -> PersistentFact:
        """Add a fact, ignoring its `supersedes`. The id is made unique; the given one stays as an alias."""
        text, order, source, key = str(draft.value), len(self.facts), draft.source, draft.key
        alias = draft.id or f"F{order + 1}"
        name = alias if alias not in self.facts else self._unique(alias)
        fact = PersistentFact(name, alias, key, draft.value, source, draft.ts, order, text)
        fact.scope, fact.scope_id = draft.scope, draft.scope_id
        fact.constraint_type = draft.constraint_type or constraint_type(key, text, source)
        fact.is_constraint = draft.is_constraint or fact.constraint_type is not None
        self.facts[name] = fact
        if draft.depends_on or self._awaited:
            self._link(fact, draft.depends_on)
        named = self._global if fact.scope == GLOBAL else self._places.setdefault(fact.place, {})
        named.setdefault(key, []).append(fact)
        if alias != key:
            named.setdefault(alias, []).append(fact)
        return fact

    def write(self, draft: Draft, rival: PersistentFact | None = None) -> PersistentFact | None:
        """Create a fact in the place of the one it points to (or of `rival`), or rather of what that has become.

        A fact of the same place is superseded. A global one is stood for by what is written in a task, a session or a
        project, and left alone by what is merely drafted or supposed. None where authority forbids it.
        """
        old = rival
        if draft.supersedes and (old := self.resolve(draft.supersedes, draft.place)) is None:
            self.refusals.append(Refusal("dangling", draft.key, f"nothing is called {draft.supersedes!r}"))
        if old is None:
            return self.create(draft)
        old = self.head(old)
        if refusal := refuse(draft, old):
            self.refusals.append(refusal)
            return self.create(draft) if refusal.code == "scope" else None
        new = self.create(draft)
        if new.scope == old.scope and (new.scope == GLOBAL or new.scope_id == old.scope_id):
            new.stands_for = old.stands_for
            self.supersede(old, new)
        else:
            new.stands_for = old.id
            self._doubt(old, new, within=new.place)
        return new

    def supersede(self, old: PersistentFact, new: PersistentFact) -> None:
        """Link old -> new, both of one place, and mark what depends on the old fact, transitively."""
        old.is_valid = False
        old.superseded_by, new.supersedes = new.id, old.id
        if old.derived_facts:
            self._doubt(old, new)

    def rival(self, draft: Draft) -> PersistentFact | None:
        """The valid fact of the same key that a write without a pointer contradicts: in its place, else the global one.

        What is drafted or supposed has rivals of its own kind only.
        """
        if draft.scope != GLOBAL:
            own = _valid_of(draft.key, self._places.get(draft.place, {}))
            if own is not None or not draft.place.is_narrow:
                return own
        return _valid_of(draft.key, self._global)

    # --- names

    def resolve(self, name: str, place: Place = EVERYWHERE) -> PersistentFact | None:
        """The fact a pointer means, by id or key: its place before global ones; the latest valid, else the latest."""
        found = None if place is EVERYWHERE else self._places.get(place, {}).get(name)
        found = found or self._global.get(name)
        if not found:
            fact = self.facts.get(name)
            return fact if fact is not None and fact.place in (place, EVERYWHERE) else None
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

    def named(self, name: str, place: Place = EVERYWHERE) -> list[PersistentFact]:
        """Every version of a place called that, oldest first."""
        return list(self._places.get(place, {}).get(name, ()))

    def chain(self, name: str, place: Place = EVERYWHERE) -> list[PersistentFact]:
        """The versions from the first one to the current, for queries and never for a prompt."""
        fact = self.resolve(name, place)
        return [] if fact is None else self.versions(fact)

    def versions(self, fact: PersistentFact) -> list[PersistentFact]:
        """The chain that a fact belongs to, from the first version to the last."""
        versions, seen = [fact], {fact.id}
        while versions[0].supersedes and versions[0].supersedes not in seen:
            versions.insert(0, self.facts[versions[0].supersedes])
            seen.add(versions[0].id)
        while versions[-1].superseded_by and versions[-1].superseded_by not in seen:
            versions.append(self.facts[versions[-1].superseded_by])
            seen.add(versions[-1].id)
        return versions

    # --- reading

    def read_valid(self, place: Place = EVERYWHERE) -> list[PersistentFact]:
        """The facts that hold in a place, oldest first: its own, and the global ones that none of those stands for."""
        if not place.is_narrow:
            return [fact for fact in self.facts.values() if fact.is_valid and fact.scope == GLOBAL]
        hidden = self._hidden(place)
        seen = (fact for fact in self.facts.values() if fact.is_valid and fact.place in (place, EVERYWHERE))
        return [fact for fact in seen if fact.id not in hidden]

    def is_fact_current(self, name: str, place: Place = EVERYWHERE) -> bool:
        """Whether the fact called that (id or key) holds in a place; False where nothing is called that."""
        fact = self.resolve(name, place if place.is_narrow else EVERYWHERE)
        if fact is None or not fact.is_valid:
            return False
        return not place.is_narrow or fact.id not in self._hidden(place)

    def get_current_value(self, name: str, place: Place = EVERYWHERE) -> Any:
        """The value that what is called that has come to in a place; None where nothing of it holds."""
        fact = self._current(name, place if place.is_narrow else EVERYWHERE)
        return None if fact is None else fact.value

    def _current(self, name: str, place: Place) -> PersistentFact | None:
        hidden = self._hidden(place) if place.is_narrow else {}
        for found in dict.fromkeys((self.resolve(name, place), self.resolve(name))):
            if found is not None and (head := self.head(found)).is_valid:
                holder = hidden.get(head.id, head)
                if holder is not None:
                    return holder
        return None

    def _hidden(self, place: Place) -> dict[str, PersistentFact | None]:
        """What does not hold in a narrow place although it is valid, with what holds there instead.

        A global fact gives way to the one of the place that stands for it. Where it has the higher authority, that one
        is overruled, and nothing takes its place.
        """
        own = [fact for fact in self.facts.values() if fact.is_valid and fact.place == place]
        over = [(fact, wide) for fact in own for wide in self._stood_for(fact)]
        overruled = {fact.id for fact, wide in over if fact.source.level < wide.source.level}
        return dict.fromkeys(overruled) | {wide.id: fact for fact, wide in over if fact.id not in overruled}

    def _stood_for(self, fact: PersistentFact) -> list[PersistentFact]:
        """The valid global facts that one of a narrow place is about: of the same key, or those it was pointed at."""
        meant = [self.head(self.facts[fact.stands_for])] if fact.stands_for else []
        same = [wide for wide in self._global.get(fact.key, ()) if wide.key == fact.key]
        return sorted({wide for wide in (*meant, *same) if wide.is_valid}, key=lambda wide: wide.order)

    # --- what the above share

    def _unique(self, alias: str) -> str:
        """An id that no fact has yet, for one that is taken: real data gives one id many times."""
        number = len(self.facts) + 1
        while f"{alias}~{number}" in self.facts:
            number += 1
        return f"{alias}~{number}"

    def _link(self, fact: PersistentFact, depends_on: Iterable[str]) -> None:
        """Enter dependencies both ways. One that is written only later is linked when it comes."""
        for name in depends_on:
            base = self.resolve(name, fact.place)
            if base is None:
                self._awaited.setdefault(name, {}).setdefault(fact.place, []).append(fact)
                continue
            fact.depends_on.append(base.id)
            base.derived_facts.append(fact.id)
            fact.needs_review = fact.needs_review or base.needs_review or not base.is_valid
        for dependent in self._waiting_for(fact):
            dependent.depends_on.append(fact.id)
            fact.derived_facts.append(dependent.id)
        if fact.needs_review:
            self._doubt(fact, fact)

    def _waiting_for(self, fact: PersistentFact) -> list[PersistentFact]:
        """The facts that depend on one of this name and can see it; they wait no longer."""
        found: list[PersistentFact] = []
        for name in (fact.alias, fact.key):
            waiting = self._awaited.get(name, {})
            for place in list(waiting) if fact.scope == GLOBAL else [fact.place]:
                found += waiting.pop(place, ())
        return found

    def _doubt(self, old: PersistentFact, new: PersistentFact, within: Place | None = None) -> None:
        """Mark what depends on a fact that was replaced, transitively; `within` the one place where it was."""
        waiting, seen = [old], {old.id, new.id}
        while waiting:
            for name in waiting.pop().derived_facts:
                dependent = self.facts[name]
                if name in seen or dependent.needs_review:
                    continue
                seen.add(name)
                waiting.append(dependent)
                dependent.needs_review = within is None or dependent.place == within


def _valid_of(key: str, named: Named) -> PersistentFact | None:
    """The latest valid fact of a key; what only has an id that reads like the key is another."""
    if found := named.get(key):
        for fact in reversed(found):
            if fact.is_valid and fact.key == key:
                return fact
    return None
