"""Scopes: where a statement holds. What is said in a narrow one changes nothing outside of it.

A write lives in its *place*, a scope with its id ("task", "T-7"). From there it sees its own place first, and then
what holds globally; other places it does not see. What is drafted or supposed holds nowhere.

A narrow place is *active* while it is at hand: entered and not left, one of a kind at most.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from evaluation.statebench.records import Query

GLOBAL, TASK, HYPOTHETICAL, DRAFT, SESSION, PROJECT = (
    "global",
    "task",
    "hypothetical",
    "draft",
    "session",
    "project",
)
#: Never current, and never in the place of anything that holds globally.
UNREAL = frozenset((HYPOTHETICAL, DRAFT))
#: From narrow to wide. A kind that is not named here is narrower than all of these.
WIDTHS = (TASK, SESSION, PROJECT, GLOBAL)


class Place(NamedTuple):
    """A scope and its id. Globally there is one place only, `EVERYWHERE`: an id means nothing there."""

    scope: str = GLOBAL
    scope_id: str | None = None

    @property
    def is_narrow(self) -> bool:
        """True for a task, a session, a project …: what is written there holds there, before what holds globally."""
        return self.scope != GLOBAL and self.scope not in UNREAL

    @property
    def label(self) -> str:
        """How a context names it: "task T-7"."""
        return self.scope if self.scope_id is None else f"{self.scope} {self.scope_id}"


EVERYWHERE = Place()
Places = tuple[Place, ...]  # narrow ones, from narrow to wide


def scope_from(name: object) -> str:
    """A scope as data writes it: in any case, left out or empty where it is global."""
    return GLOBAL if not name or name == GLOBAL else str(name).strip().lower() or GLOBAL


def place_from(data: Mapping[str, object]) -> Place:
    """The place that a fact, a write, a turn, a query or a change of scope names.

    Args:
        data: Anything with `scope` and `scope_id`, both of which may be left out.

    Returns:
        The place; `EVERYWHERE` where it names none.
    """
    scope = scope_from(data.get("scope"))
    if scope == GLOBAL:
        return EVERYWHERE
    scope_id = data.get("scope_id")
    return Place(scope, str(scope_id) if scope_id else None)


def narrow_first(places: Iterable[Place]) -> Places:
    """The narrow ones of some places, from narrow to wide; kinds of one width by their names.

    Args:
        places: Places in any order. What is global, drafted or supposed is left out.
    """
    return tuple(sorted({place for place in places if place.is_narrow}, key=_width))


def _width(place: Place) -> tuple[int, str, str]:
    width = WIDTHS.index(place.scope) if place.scope in WIDTHS else -1
    return width, place.scope, place.scope_id or ""


class ActivePlaces:
    """Where a timeline is: of each kind the place that was entered last and not left."""

    def __init__(self) -> None:
        self._at_hand: dict[str, Place] = {}
        self._written: set[Place] = set()

    @property
    def now(self) -> Places:
        """The active places, from narrow to wide."""
        return narrow_first(self._at_hand.values()) if self._at_hand else ()

    def enter(self, place: Place) -> None:
        """Make a place active; the other of its kind is suspended. Nothing enters what is only supposed."""
        if place.is_narrow:
            self._at_hand[place.scope] = place

    def leave(self, place: Place) -> None:
        """Make a place inactive. What it had suspended stays so."""
        self._written.discard(place)
        if self._at_hand.get(place.scope) == place:
            del self._at_hand[place.scope]

    def write(self, place: Place) -> None:
        """Note a write. The first one in a place without an id enters it: it is the one at hand of its kind."""
        if place.is_narrow and place.scope_id is None and place not in self._written:
            self._written.add(place)
            self.enter(place)

    def seen_by(self, query: Query, known: Sequence[Place]) -> Places:
        """The active places of a query: those at hand, those its prompt names, the one its fields name.

        Args:
            query: The query, with its prompt.
            known: The places that have facts; a prompt may name these by their ids.

        Returns:
            From narrow to wide, one of a kind: fields come before the prompt, and that before what is at hand.
        """
        if not (known or self._at_hand or query.get("scope")):
            return ()
        named = [*named_in(query["prompt"], known), place_from(query)]
        seen = self._at_hand | {place.scope: place for place in named}
        return narrow_first(seen.values()) if seen else ()


def named_in(text: str, places: Iterable[Place]) -> list[Place]:
    """The places whose ids a text holds as whole words, in any case; the one named last at the end.

    Args:
        text: What is asked.
        places: The places that it may name.
    """
    folded, found = "", []
    for place in places:
        if place.scope_id and place.is_narrow:
            folded, name = folded or text.casefold(), place.scope_id.casefold()
            if name in folded and (ends := [match.end() for match in _whole(name).finditer(folded)]):
                found.append((ends[-1], len(name), place))
    return [place for *_, place in sorted(found)]


def _whole(name: str) -> re.Pattern[str]:
    """A name where no letter or digit stands beside it."""
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
