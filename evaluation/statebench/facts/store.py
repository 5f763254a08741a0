"""The store of persistent facts: created, read or superseded, never edited or deleted.

Every fact belongs to a place (see `scopes`). A name is looked up in the place of the write, then globally. Supersession
stays within a place: a write in a narrow place replaces a global fact only there. When a place is left, its facts end
and are no longer found by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from evaluation.statebench.data.printing import as_text
from evaluation.statebench.facts.classify import constraint_type
from evaluation.statebench.facts.fact_text import fact_text
from evaluation.statebench.facts.layers import Draft, PersistentFact, Refusal, refuse
from evaluation.statebench.facts.scopes import EVERYWHERE, GLOBAL, Place, Places, narrow_first

Named = dict[str, list[PersistentFact]]  # id or key of the data -> facts, oldest first


class FactStore:
    """Facts in order of creation, found by store id, or by the id or key in the data (their *name*)."""

    def __init__(self) -> None:
        self.facts: dict[str, PersistentFact] = {}
        self.refusals: list[Refusal] = []
        self._global: Named = {}
        self._places: dict[Place, Named] = {EVERYWHERE: self._global}
        self._left: dict[Place, list[PersistentFact]] = {}  # facts of places that were left, oldest first
        self._gone: set[str] = set()  # their ids
        #: Name of a base not yet written -> place -> facts that depend on it.
        self._awaited: dict[str, dict[Place, list[PersistentFact]]] = {}

    def __iter__(self) -> Iterator[PersistentFact]:
        return iter(self.facts.values())

    def __len__(self) -> int:
        return len(self.facts)

    # --- writes

    def create(self, draft: Draft) -> PersistentFact:
        """Add a fact, ignoring `supersedes`. The fact gets a unique id, and the given id becomes its `alias`."""
        value, order, source, key = draft.value, len(self.facts), draft.source, draft.key
        text = value if isinstance(value, str) else as_text(value)  # saves a call per fact
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
        """Create a fact and supersede the older fact, if any. Returns None if the draft has too little authority.

        The older fact is the last version of the fact that the draft names, else the valid fact with its key, else
        `broken`, a fact of another key that a policy contradicts. It is superseded only if both are in the same place.
        A write in a task, session or project replaces a global fact just there (`stands_for`), a draft or supposition
        not at all.
        """
        if not draft.supersedes:
            old = self.rival(draft) or broken
        elif (old := self.resolve(draft.supersedes, draft.place)) is None:
            self.refusals.append(Refusal("dangling", draft.key, f"no fact has the name {draft.supersedes!r}"))
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
        """Link old -> new within one place, and mark facts that depend on `old`, directly or not, for review."""
        old.is_valid = False
        old.superseded_by, new.supersedes = new.id, old.id
        if old.derived_facts:
            self._doubt(old, new)

    def leave(self, place: Place) -> None:
        """End the facts of a place. Ended facts stay in chains and history."""
        facts = {fact.id: fact for named in self._places.pop(place, {}).values() for fact in named}
        self._left.setdefault(place, []).extend(sorted(facts.values(), key=lambda fact: fact.order))
        self._gone.update(facts)
        for fact in facts.values():
            if fact.is_valid:
                fact.is_valid, fact.ended = False, True

    def was_left(self, name: str) -> bool:
        """True if the place of the fact with this store id was left after the fact was written."""
        return name in self._gone

    def rival(self, draft: Draft) -> PersistentFact | None:
        """The valid fact with the draft's key: in its place or, unless the place is unreal, globally."""
        if draft.scope != GLOBAL:
            own = _valid_of(draft.key, self._places.get(draft.place, {}))
            if own is not None or not draft.place.is_narrow:
                return own
        return _valid_of(draft.key, self._global)

    # --- names

    def resolve(self, name: str, place: Place = EVERYWHERE) -> PersistentFact | None:
        """Find a fact by name in a place, or else globally: the latest valid fact or, if none is valid, the latest."""
        if place is EVERYWHERE and (facts := self._global.get(name)):
            return _latest(facts)
        return next(self._meanings(name, () if place is EVERYWHERE else (place,)), None)

    def _meanings(self, name: str, places: Places) -> Iterator[PersistentFact]:
        """Yield the fact with the name in each place, global last. If no place has any, yield the fact with this id."""
        known = False
        for place in (*places, EVERYWHERE):
            if facts := self._places.get(place, {}).get(name):
                known = True
                yield _latest(facts)
        fact = None if known else self.facts.get(name)
        if fact is not None and fact.id not in self._gone and fact.place in (*places, EVERYWHERE):
            yield fact

    def head(self, fact: PersistentFact) -> PersistentFact:
        """The last fact in a fact's chain of supersessions. A cycle ends the search."""
        if not fact.superseded_by:
            return fact
        seen = {fact.id}
        while fact.superseded_by and fact.superseded_by not in seen:
            fact = self.facts[fact.superseded_by]
            seen.add(fact.id)
        return fact

    def named(self, name: str, place: Place = EVERYWHERE) -> list[PersistentFact]:
        """All facts with a name in exactly this place, oldest first, including ended facts."""
        ended = [fact for fact in self._left.get(place, ()) if name in (fact.alias, fact.key)]
        return ended + self._places.get(place, {}).get(name, [])

    def chain(self, name: str, place: Place = EVERYWHERE) -> list[PersistentFact]:
        """All versions of a named fact, first to last, even if ended with their place. Do not show them to models."""
        fact = self.resolve(name, place)
        if fact is None and (ended := self.named(name, place)):
            fact = ended[-1]
        return [] if fact is None else self.versions(fact)

    def versions(self, fact: PersistentFact) -> list[PersistentFact]:
        """The whole chain of a fact, from first to last."""
        versions, seen = [fact], {fact.id}
        while versions[0].supersedes and versions[0].supersedes not in seen:
            versions.insert(0, self.facts[versions[0].supersedes])
            seen.add(versions[0].id)
        while versions[-1].superseded_by and versions[-1].superseded_by not in seen:
            versions.append(self.facts[versions[-1].superseded_by])
            seen.add(versions[-1].id)
        return versions

    # --- reads, given the active narrow places; narrower places take precedence

    def places(self) -> list[Place]:
        """Places that have facts, without the global place and places that were left."""
        return [place for place in self._places if place != EVERYWHERE] if len(self._places) > 1 else []

    def is_flat(self) -> bool:
        """True if no narrow place ever had a fact."""
        return len(self._places) == 1 and not self._left

    def read_valid(self, *places: Place) -> list[PersistentFact]:
        """Valid facts, global and of the active `places`, oldest first, except facts that a narrower fact hides."""
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
        """True if the named fact is valid and no narrower fact hides it. Active places are searched narrowest first."""
        active = narrow_first(places)
        fact = next(self._meanings(name, active), None)
        if fact is None or not fact.is_valid:
            return False
        return not active or fact.id not in self._hidden(active)

    def get_current_value(self, name: str, *places: Place) -> Any:
        """Current value of a name in the active places (narrowest first) or globally. None if no fact is current."""
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
        """Id of each valid fact that is hidden in the active places -> the fact shown instead, or None.

        A narrow fact hides the wider facts about the same thing. But if any of these has higher authority, the narrow
        fact is overruled: it is hidden, and no fact is shown instead.
        """
        over = [(fact, wide) for fact in self._narrow_facts(active) for wide in self._about(fact, active)]
        overruled = {fact.id for fact, wide in over if fact.source.level < wide.source.level}
        return dict.fromkeys(overruled) | {wide.id: fact for fact, wide in over if fact.id not in overruled}

    def _narrow_facts(self, active: Places) -> list[PersistentFact]:
        widest_first = {place: number for number, place in enumerate(reversed(active))}
        own = [fact for fact in self.facts.values() if fact.is_valid and fact.place in widest_first]
        return sorted(own, key=lambda fact: (widest_first[fact.place], fact.order))

    def _about(self, fact: PersistentFact, active: Places) -> list[PersistentFact]:
        """Valid facts of wider places with the key of a narrow fact, and the fact that the narrow fact replaces."""
        wider = (*active[active.index(fact.place) + 1 :], EVERYWHERE)
        replaced = [self.head(self.facts[fact.stands_for])] if fact.stands_for else []
        same = (wide for place in wider for wide in self._places.get(place, {}).get(fact.key, ()))
        known = {
            wide
            for wide in (*replaced, *same)
            if wide.is_valid and (wide.key == fact.key or wide in replaced)
        }
        return sorted(known, key=lambda wide: wide.order)

    # --- helpers

    def _unique(self, alias: str) -> str:
        number = len(self.facts) + 1
        while f"{alias}~{number}" in self.facts:
            number += 1
        return f"{alias}~{number}"

    def _link(self, fact: PersistentFact, depends_on: Iterable[str]) -> None:
        """Record dependencies in both facts. A dependency on a fact that is not written yet is recorded later."""
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
        """Remove and return earlier facts that wait for this fact: in its place, or anywhere if this fact is global."""
        dependents: list[PersistentFact] = []
        for name in (fact.alias, fact.key):
            waiting = self._awaited.get(name, {})
            for place in list(waiting) if fact.scope == GLOBAL else [fact.place]:
                dependents += waiting.pop(place, ())
        return [fact for fact in dependents if fact.id not in self._gone] if self._gone else dependents

    def _doubt(self, old: PersistentFact, new: PersistentFact, within: Place | None = None) -> None:
        """Mark facts that depend on `old`, directly or not, for review. `within` restricts the marks to one place."""
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
    for fact in reversed(facts):
        if fact.is_valid:
            return fact
    return facts[-1]


def _valid_of(key: str, named: Named) -> PersistentFact | None:
    """The latest valid fact with the key. A fact whose id equals the key does not count."""
    if facts := named.get(key):
        for fact in reversed(facts):
            if fact.is_valid and fact.key == key:
                return fact
    return None
