"""The four layers of state as plain records.

IdentityRole is set once; PersistentFact is created or superseded, never edited or deleted; WorkingSetItem lives for a
session; Environment keeps the freshest value and is not changed by turns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from evaluation.statebench.data.printing import as_text
from evaluation.statebench.data.times import BEFORE_ALL, moment
from evaluation.statebench.facts.authority import Level, level, seniority
from evaluation.statebench.facts.fact_text import FactText
from evaluation.statebench.facts.scopes import EVERYWHERE, GLOBAL, UNREAL, Place

_ORGANIZATIONAL = re.compile(r"policy|_system\b|\bsystem of record\b|governance|compliance|regulation")
_CAPABILITY = re.compile(r"observation|pattern|heuristic|inference|learned")


@dataclass(slots=True)
class Source:
    """Origin of a fact: type (conversation, state_write, system, policy, …) and authority."""

    type: str
    authority: str | None = None
    identity: str | None = None
    turn_index: int | None = None
    event_index: int | None = None

    @property
    def level(self) -> Level:
        """Authority level, which decides supersession. A policy has the level `POLICY`, whatever its writer."""
        if self.type == "policy":
            return Level.POLICY
        own = level(self.authority)
        return max(own, level(self.identity)) if self.identity else own

    @property
    def memory_type(self) -> str:
        if self.type == "policy" or self.authority == "policy":
            return "organizational"
        origin = f"{self.type} {self.identity or ''}".lower()
        if _CAPABILITY.search(origin):
            return "capability"
        return "organizational" if _ORGANIZATIONAL.search(origin) else "user"


class IdentityRole(NamedTuple):
    """The reader: set once, and decides which values may be shown."""

    user_name: str = ""
    user_id: str | None = None
    authority: str = ""
    department: str | None = None
    organization: str | None = None
    permissions: tuple[str, ...] = ()

    @property
    def seniority(self) -> int:
        return seniority(self.authority)


class _Placed:
    __slots__ = ()
    scope: str
    scope_id: str | None

    @property
    def place(self) -> Place:
        return EVERYWHERE if self.scope == GLOBAL else Place(self.scope, self.scope_id)


@dataclass(slots=True, eq=False)
class PersistentFact(_Placed):
    """A fact in a supersession chain.

    `id` is unique within a store; `alias` is the id in the data, which may collide. Pointers (`supersedes`,
    `superseded_by`, `stands_for`, `depends_on`, `derived_facts`) are store ids. A supersession stays within one
    place; `stands_for` is the global fact that this fact replaces in its own place. `ended`: its place was left.
    """

    id: str
    alias: str
    key: str
    value: Any
    source: Source
    ts: str
    order: int
    text: str
    read: FactText
    is_valid: bool = True
    ended: bool = False
    supersedes: str | None = None
    superseded_by: str | None = None
    stands_for: str | None = None
    scope: str = GLOBAL
    scope_id: str | None = None
    depends_on: list[str] = field(default_factory=list)
    derived_facts: list[str] = field(default_factory=list)
    needs_review: bool = False
    is_constraint: bool = False
    constraint_type: str | None = None

    def as_dict(self) -> dict[str, Any]:
        source = {name: getattr(self.source, name) for name in Source.__slots__}
        names = (name for name in self.__slots__ if name not in ("source", "order", "text", "read"))
        fields = {name: getattr(self, name) for name in names}
        return fields | {"source": source, "memory_type": self.source.memory_type}


@dataclass(slots=True)
class WorkingSetItem(_Placed):
    """A turn or note of the session. Contexts omit items of inactive places, drafts, suppositions and asides."""

    key: str
    value: str
    created_at: str
    speaker: str = ""
    scope: str = GLOBAL
    expires_at: str | None = None
    order: int = 0
    scope_id: str | None = None

    def end(self) -> None:
        self.expires_at = ""

    def is_live(self, now: str, zone: str = "") -> bool:
        """True if the item has not expired at `now`. `zone` is the time zone of times without an offset."""
        return self.expires_at is None or moment(self.expires_at, zone) > moment(now, zone)


@dataclass(slots=True)
class Environment:
    """State of the outside world: key -> freshest value. `dead` are replaced values."""

    zone: str = ""
    values: dict[str, str] = field(default_factory=dict)
    times: dict[str, float] = field(default_factory=dict)
    dead: list[str] = field(default_factory=list)

    def update(self, key: str, value: object, ts: str) -> bool:
        """Store a value unless a fresher value is known. Return True if the value was stored."""
        at = moment(ts, self.zone)
        if at < self.times.get(key, BEFORE_ALL):
            return False
        text = as_text(value)
        old = self.values.get(key)
        if old is not None and old != text:
            self.dead.append(old)
        self.values[key], self.times[key] = text, at
        return True

    def retire(self, key: str) -> None:
        """Remove a value that a fresher value under another key contradicts."""
        self.dead.append(self.values.pop(key))


def identity_from(data: Mapping[str, Any], user_id: str | None = None) -> IdentityRole:
    """Build the reader from a timeline's `identity_role`. Missing fields are empty."""
    permissions: Iterable[str] = data.get("permissions") or ()
    return IdentityRole(
        data.get("user_name") or "",
        data.get("user_id") or user_id,
        data.get("authority") or "",
        data.get("department"),
        data.get("organization"),
        tuple(permissions),
    )


def source_from(data: Mapping[str, Any] | None, *, event_index: int | None = None) -> Source:
    """The source of a fact from its data. The default type is `state_write`."""
    if not data:
        return Source("state_write", None, None, None, event_index)
    get = data.get
    return Source(
        get("type") or "state_write",
        get("authority"),
        get("identity"),
        get("turn_index"),
        get("event_index", event_index),
    )


@dataclass(slots=True)
class Draft(_Placed):
    """A requested write, from which the store makes a fact. Pointers may be ids or keys."""

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
    code: str  # "authority" | "scope" | "dangling"
    key: str
    message: str


def refuse(draft: Draft, old: PersistentFact) -> Refusal | None:
    """Say why a write may not supersede `old`, such as too little authority. Returns None if it may."""
    if draft.scope in UNREAL and draft.place != old.place:
        return Refusal("scope", draft.key, f"a {draft.scope} statement cannot change a global fact")
    if draft.source.level < old.source.level:
        return Refusal(
            "authority",
            draft.key,
            f"{draft.source.level.name} may not supersede {old.source.level.name} ({old.key!r})".lower(),
        )
    return None
