"""The store of persistent facts: created, read or superseded, never edited or deleted.

Every fact lives in a place (see `scopes`). A name is looked up in the place where it is used, then globally. No
supersession leaves a place: what is written in a task, a session or a project over a global fact stands for it there.
When a place is left its facts end: no name leads to them any more, and what is written there later starts anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from evaluation.statebench.data.printing import as_text
from evaluation.statebench.facts.classify import constraint_type
from evaluation.statebench.facts.fact_text import fact_text
from evaluation.statebench.facts.layers import Draft, PersistentFact, Refusal, refuse
from evaluation.statebench.facts.scopes import EVERYWHERE, GLOBAL, Place, Places, narrow_first

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
        self._left: dict[Place, list[PersistentFact]] = {}  # of places that were left, oldest first
        self._gone: set[str] = set()  # their ids
        self._awaited: dict[str, dict[Place, list[PersistentFact]]] = {}  # name -> who waits for it, by where

    def __iter__(self) -> Iterator[PersistentFact]:
        return iter(self.facts.values())

    def __len__(self) -> int:
        return len(self.facts)

    # --- writing

    def create(self, draft: Draft) -> PersistentFact:
        """Add a fact, ignoring its `supersedes`. The id is made unique; the given one stays as an alias."""
        value, order, source, key = draft.value, len(self.facts), draft.source, draft.key
        text = value if isinstance(value, str) else as_text(value)  # one call less, for each fact
        alias = draft.id or f"F{order + 1}"
        name = alias if alias not in self.facts else self._unique(alias)
        read, scope = fact_text((key, text)), draft.scope
        fact = PersistentFact(name, alias, key, draft.value, source, draft.ts, order, text, read)
        fact.scope, fact.scope_id = scope, draft.scope_id
        fact.constraint_type = draft.constraint_type or constraint_type(read, source)
        fact.is_constraint = draft.is_constraint or fact.constraint_type is not None
        self.facts[name] = fact
        if draft.depends_on or self._awaited:
            self._link(fact, draft.depends_on)
        named = self._global if scope == GLOBAL else self._places.setdefault(fact.place, {})
        named.setdefault(key, []).append(fact)
        if alias != key:
            named.setdefault(alias, []).append(fact)
        return fact

    def write(self, draft: Draft, broken: PersistentFact | None = None) -> PersistentFact | None:
        """Create a fact in the place of another, or rather of what that has become.

        That is what it points to, else the valid fact of its key, else one that it breaks. It needs at least the
        authority of that one. A fact of the same place is superseded. A global one is stood for by what is written in a
        task, a session or a project, and left alone by what is merely drafted or supposed.

        Args:
            draft: What is to be written.
            broken: A fact of another key that it contradicts, as a policy does.

        Returns:
            The new fact; None where authority forbids it.
        """
        if not draft.supersedes:
            old = self.rival(draft) or broken
        elif (old := self.resolve(draft.supersedes, draft.place)) is None:
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
        """Link old -> new, and mark what depends on the old fact, transitively.

        Args:
            old: The fact that no longer holds.
            new: The one that holds instead, of the same place.
        """
        old.is_valid = False
        old.superseded_by, new.supersedes = new.id, old.id
        if old.derived_facts:
            self._doubt(old, new)

    def leave(self, place: Place) -> None:
        """End the facts of a place that is left. They stay in chains and history."""
        facts = {fact.id: fact for named in self._places.pop(place, {}).values() for fact in named}
        self._left.setdefault(place, []).extend(sorted(facts.values(), key=lambda fact: fact.order))
        self._gone.update(facts)
        for fact in facts.values():
            if fact.is_valid:
                fact.is_valid, fact.ended = False, True

    def was_left(self, name: str) -> bool:
        """Whether the place of a fact was left after the fact was written; `name` is its store id."""
        return name in self._gone

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
        """The fact a pointer means: its place before global ones; the latest valid, else the latest.

        Args:
            name: An id or a key.
            place: Where the pointer stands.

        Returns:
            The fact; None where nothing is called that.
        """
        if place is EVERYWHERE and (facts := self._global.get(name)):
            return _latest(facts)
        return next(self._meanings(name, () if place is EVERYWHERE else (place,)), None)

    def _meanings(self, name: str, places: Places) -> Iterator[PersistentFact]:
        """What a name means in each place that has it, the global one last; else the fact of this store id."""
        known = False
        for place in (*places, EVERYWHERE):
            if facts := self._places.get(place, {}).get(name):
                known = True
                yield _latest(facts)
        fact = None if known else self.facts.get(name)
        if fact is not None and fact.id not in self._gone and fact.place in (*places, EVERYWHERE):
            yield fact

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
        """Every version that is called that in a place, oldest first, those that ended with it included.

        Args:
            name: An id or a key.
            place: Where to look, and nowhere else.

        Returns:
            A new list; empty where nothing is called that.
        """
        ended = [fact for fact in self._left.get(place, ()) if name in (fact.alias, fact.key)]
        return ended + self._places.get(place, {}).get(name, [])

    def chain(self, name: str, place: Place = EVERYWHERE) -> list[PersistentFact]:
        """The versions from the first one to the current, for queries and never for a prompt.

        Args:
            name: An id or a key.
            place: Where the pointer stands.

        Returns:
            The versions; where no other is called that, those that ended when the place was left; else none.
        """
        fact = self.resolve(name, place)
        if fact is None and (ended := self.named(name, place)):
            fact = ended[-1]
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

    # --- reading, globally or where some narrow places are active; of these the narrower counts more

    def places(self) -> list[Place]:
        """The places beside the global one that have facts; one that was left has none."""
        return [place for place in self._places if place != EVERYWHERE] if len(self._places) > 1 else []

    def is_flat(self) -> bool:
        """Whether no narrow place ever had a fact, so that what holds globally is all there is."""
        return len(self._places) == 1 and not self._left

    def read_valid(self, *places: Place) -> list[PersistentFact]:
        """The facts that hold, oldest first: global ones and those of active places, where no other shadows them.

        Args:
            places: The active places, in any order; none for what holds globally.
        """
        active = narrow_first(places) if places else ()
        if not active:
            return [fact for fact in self.facts.values() if fact.is_valid and fact.scope == GLOBAL]
        hidden, seen = self._hidden(active), {*active, EVERYWHERE}
        return [
            fact
            for fact in self.facts.values()
            if fact.is_valid and fact.place in seen and fact.id not in hidden
        ]

    def is_fact_current(self, name: str, *places: Place) -> bool:
        """Whether a fact holds; False where nothing is called that.

        Args:
            name: Its id or key, looked up in the narrowest active place that has it.
            places: The active places, in any order; none for what holds globally.
        """
        active = narrow_first(places)
        fact = next(self._meanings(name, active), None)
        if fact is None or not fact.is_valid:
            return False
        return not active or fact.id not in self._hidden(active)

    def get_current_value(self, name: str, *places: Place) -> Any:
        """The value that what is called that has come to.

        Args:
            name: An id or a key, looked up in the active places from narrow to wide, then globally.
            places: The active places, in any order; none for what holds globally.

        Returns:
            The value; None where nothing of it holds.
        """
        active = narrow_first(places)
        hidden = self._hidden(active) if active else {}
        for fact in self._meanings(name, active):
            holder: PersistentFact | None = self.head(fact)
            if holder is None or not holder.is_valid:
                continue
            while holder is not None and holder.id in hidden:
                holder = hidden[holder.id]
            if holder is not None:
                return holder.value
        return None

    def _hidden(self, active: Places) -> dict[str, PersistentFact | None]:
        """What does not hold among active places although it is valid, with what holds there instead.

        A wider fact gives way to a narrower one that is about the same, the narrowest of them. Where any wider one has
        the higher authority, the narrower one is overruled, and nothing takes its place.
        """
        over = [(fact, wide) for fact in self._narrow_facts(active) for wide in self._about(fact, active)]
        overruled = {fact.id for fact, wide in over if fact.source.level < wide.source.level}
        return dict.fromkeys(overruled) | {wide.id: fact for fact, wide in over if fact.id not in overruled}

    def _narrow_facts(self, active: Places) -> list[PersistentFact]:
        """The valid facts of the active places, those of the widest first."""
        widest_first = {place: number for number, place in enumerate(reversed(active))}
        own = [fact for fact in self.facts.values() if fact.is_valid and fact.place in widest_first]
        return sorted(own, key=lambda fact: (widest_first[fact.place], fact.order))

    def _about(self, fact: PersistentFact, active: Places) -> list[PersistentFact]:
        """The valid facts of wider places that one of a narrow place is about: of its key, or that it stands for."""
        wider = (*active[active.index(fact.place) + 1 :], EVERYWHERE)
        meant = [self.head(self.facts[fact.stands_for])] if fact.stands_for else []
        same = (wide for place in wider for wide in self._places.get(place, {}).get(fact.key, ()))
        known = {
            wide for wide in (*meant, *same) if wide.is_valid and (wide.key == fact.key or wide in meant)
        }
        return sorted(known, key=lambda wide: wide.order)

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
        dependents: list[PersistentFact] = []
        for name in (fact.alias, fact.key):
            waiting = self._awaited.get(name, {})
            for place in list(waiting) if fact.scope == GLOBAL else [fact.place]:
                dependents += waiting.pop(place, ())
        return [fact for fact in dependents if fact.id not in self._gone] if self._gone else dependents

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


def _latest(facts: list[PersistentFact]) -> PersistentFact:
    """The latest valid one of some facts, else the latest."""
    for fact in reversed(facts):
        if fact.is_valid:
            return fact
    return facts[-1]


def _valid_of(key: str, named: Named) -> PersistentFact | None:
    """The latest valid fact of a key; what only has an id that reads like the key is another."""
    if facts := named.get(key):
        for fact in reversed(facts):
            if fact.is_valid and fact.key == key:
                return fact
    return None
