"""Scopes: where a statement holds. What is said in a narrow one changes nothing outside of it.

A write lives in its *place*, a scope with its id ("task", "T-7"). From there it sees its own place first, and then
what holds globally; other places it does not see. What is drafted or supposed holds nowhere.
"""

from __future__ import annotations

from typing import NamedTuple

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


class Place(NamedTuple):
    """A scope and its id. Globally there is one place only, `EVERYWHERE`: an id means nothing there."""

    scope: str = GLOBAL
    scope_id: str | None = None

    @property
    def is_narrow(self) -> bool:
        """True for a task, a session, a project …: what is written there holds there, before what holds globally."""
        return self.scope != GLOBAL and self.scope not in UNREAL


EVERYWHERE = Place()


def scope_from(name: object) -> str:
    """A scope as data writes it: in any case, left out or empty where it is global."""
    return GLOBAL if not name or name == GLOBAL else str(name).strip().lower() or GLOBAL
