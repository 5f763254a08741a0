"""Scopes: where a statement is valid. A statement in a narrow scope changes nothing outside it.

A write belongs to a *place*, a scope with its id ("task", "T-7"). Names in the write refer to facts of this place, else
to global facts, never to facts of other places. Drafts and suppositions (*unreal* places) are valid nowhere. A *narrow*
place is *active* from when it is entered until it is left; of each kind at most one place is active.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from evaluation.statebench.records import Query

GLOBAL, TASK, SESSION, PROJECT = "global", "task", "session", "project"
HYPOTHETICAL, DRAFT = "hypothetical", "draft"
#: Facts in these scopes are never current and replace no global fact.
UNREAL = frozenset((HYPOTHETICAL, DRAFT))
#: Narrow to wide; scopes not listed here are narrower than all of these.
WIDTHS = (TASK, SESSION, PROJECT, GLOBAL)


class Place(NamedTuple):
    """A scope and its id. `EVERYWHERE` is the only global place."""

    scope: str = GLOBAL
    scope_id: str | None = None

    @property
    def is_narrow(self) -> bool:
        """True for a task, a session, a project …, whose facts come before global facts."""
        return self.scope != GLOBAL and self.scope not in UNREAL

    @property
    def label(self) -> str:
        """Name of the place in contexts: "task T-7"."""
        return self.scope if self.scope_id is None else f"{self.scope} {self.scope_id}"


EVERYWHERE = Place()
Places = tuple[Place, ...]  # without the global one, narrow to wide


def scope_from(name: object) -> str:
    """Normalise a scope from the data. An empty or missing scope is global."""
    return GLOBAL if not name or name == GLOBAL else str(name).strip().lower() or GLOBAL


def place_from(data: Mapping[str, object]) -> Place:
    """Place named by `scope` and `scope_id`. Both are optional, and `EVERYWHERE` is the default."""
    scope = scope_from(data.get("scope"))
    if scope == GLOBAL:
        return EVERYWHERE
    scope_id = data.get("scope_id")
    return Place(scope, str(scope_id) if scope_id else None)


def narrow_first(places: Iterable[Place]) -> Places:
    """Only the narrow places, sorted from narrow to wide, then by name."""
    return tuple(sorted({place for place in places if place.is_narrow}, key=_width))


def _width(place: Place) -> tuple[int, str, str]:
    width = WIDTHS.index(place.scope) if place.scope in WIDTHS else -1
    return width, place.scope, place.scope_id or ""


class ActivePlaces:
    """Tracks the active places of a timeline: of each kind the place that was entered last, until it is left."""

    def __init__(self) -> None:
        self._at_hand: dict[str, Place] = {}
        self._written: set[Place] = set()

    @property
    def now(self) -> Places:
        """Active places, narrow to wide."""
        return narrow_first(self._at_hand.values()) if self._at_hand else ()

    def enter(self, place: Place) -> None:
        """Make a place active and suspend the active place of its kind. Unreal places are ignored."""
        if place.is_narrow:
            self._at_hand[place.scope] = place

    def leave(self, place: Place) -> None:
        """Make a place inactive. The place that it suspended stays suspended."""
        self._written.discard(place)
        if self._at_hand.get(place.scope) == place:
            del self._at_hand[place.scope]

    def write(self, place: Place) -> None:
        """Record a write. The first write in a place without an id makes the place active."""
        if place.is_narrow and place.scope_id is None and place not in self._written:
            self._written.add(place)
            self.enter(place)

    def seen_by(self, query: Query, known: Sequence[Place]) -> Places:
        """Active places of a query, narrow to wide, one per kind.

        For each kind, the query's own fields take precedence. Next come `known` places whose ids occur in the prompt,
        then places entered before.
        """
        if not (known or self._at_hand or query.get("scope")):
            return ()
        named = [*named_in(query["prompt"], known), place_from(query)]
        seen = self._at_hand | {place.scope: place for place in named}
        return narrow_first(seen.values()) if seen else ()


def named_in(text: str, places: Iterable[Place]) -> list[Place]:
    """Narrow places whose ids occur in a text as whole words, in any case, sorted by their last occurrence."""
    folded, found = "", []
    for place in places:
        if place.scope_id and place.is_narrow:
            folded, name = folded or text.casefold(), place.scope_id.casefold()
            whole = rf"(?<!\w){re.escape(name)}(?!\w)"
            if name in folded and (ends := [match.end() for match in re.finditer(whole, folded)]):
                found.append((ends[-1], len(name), place))
    return [place for *_, place in sorted(found)]
