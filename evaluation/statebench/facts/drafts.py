"""What a writer asks of the store, and why it may be refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evaluation.statebench.facts.layers import PersistentFact, Source
from evaluation.statebench.facts.scopes import EVERYWHERE, GLOBAL, UNREAL, Place


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

    @property
    def place(self) -> Place:
        """Where it is to hold."""
        return EVERYWHERE if self.scope == GLOBAL else Place(self.scope, self.scope_id)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A write that was not carried out, or a pointer that led nowhere."""

    code: str  # "authority" | "scope" | "dangling"
    key: str
    message: str


def refuse(draft: Draft, old: PersistentFact) -> Refusal | None:
    """Why a write may not take the place of a fact: it is only drafted or supposed, or its authority is lower.

    Args:
        draft: What is to be written.
        old: The fact that it would supersede.

    Returns:
        The refusal; None where it may.
    """
    if draft.scope in UNREAL and draft.place != old.place:
        return Refusal("scope", draft.key, f"a {draft.scope} statement never changes what holds globally")
    if draft.source.level < old.source.level:
        return Refusal(
            "authority",
            draft.key,
            f"{draft.source.level.name} may not supersede {old.source.level.name} ({old.key!r})".lower(),
        )
    return None
