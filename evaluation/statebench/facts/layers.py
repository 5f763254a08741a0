"""The four layers of state, as plain records.

IdentityRole is set once; PersistentFact is created or superseded, never edited or deleted; WorkingSetItem
lives for a session; Environment keeps the freshest value and is not changed by what is said.
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
    """Where a fact comes from: conversation, state_write, system, policy, … and on whose authority."""

    type: str
    authority: str | None = None
    identity: str | None = None
    turn_index: int | None = None
    event_index: int | None = None

    @property
    def level(self) -> Level:
        """The level that counts for supersession: a policy stays a policy whoever typed it in."""
        if self.type == "policy":
            return Level.POLICY
        own = level(self.authority)
        return max(own, level(self.identity)) if self.identity else own

    @property
    def memory_type(self) -> str:
        """organizational, capability or user, by where a fact comes from."""
        if self.type == "policy" or self.authority == "policy":
            return "organizational"
        origin = f"{self.type} {self.identity or ''}".lower()
        if _CAPABILITY.search(origin):
            return "capability"
        return "organizational" if _ORGANIZATIONAL.search(origin) else "user"


class IdentityRole(NamedTuple):
    """Who is asking. Read-only; decides what may be shown."""

    user_name: str = ""
    user_id: str | None = None
    authority: str = ""
    department: str | None = None
    organization: str | None = None
    permissions: tuple[str, ...] = ()

    @property
    def seniority(self) -> int:
        """0 to 100, see `authority.seniority`."""
        return seniority(self.authority)


@dataclass(slots=True, eq=False)
class PersistentFact:
    """A fact with its place in a supersession chain.

    `id` is unique within a store; `alias` is the id that the data gave, which may collide; `read` is what is read off
    key and text. Pointers
    (`supersedes`, `superseded_by`, `stands_for`, `depends_on`, `derived_facts`) are store ids. A supersession never
    leaves a place; `stands_for` is the global fact that this one replaces within its own place only. One that has
    `ended` held until its place was left: nothing superseded it.
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

    @property
    def place(self) -> Place:
        """Where it holds."""
        return EVERYWHERE if self.scope == GLOBAL else Place(self.scope, self.scope_id)

    @property
    def memory_type(self) -> str:
        """organizational, capability or user, see `Source.memory_type`."""
        return self.source.memory_type

    @property
    def stems(self) -> frozenset[str]:
        """Content words of key and value, which is what a query is compared with."""
        return self.read.stems

    def as_dict(self) -> dict[str, Any]:
        """Every field of the schema, as JSON-able data."""
        source = {name: getattr(self.source, name) for name in Source.__slots__}
        names = (name for name in self.__slots__ if name not in ("source", "order", "text", "read"))
        fields = {name: getattr(self, name) for name in names}
        return fields | {"source": source, "memory_type": self.memory_type}


@dataclass(slots=True)
class WorkingSetItem:
    """Something said or noted in this session.

    One of a narrow place is shown while that is active, one that is drafted, supposed or an aside never.
    """

    key: str
    value: str
    created_at: str
    speaker: str = ""
    scope: str = GLOBAL
    expires_at: str | None = None
    order: int = 0
    scope_id: str | None = None

    @property
    def place(self) -> Place:
        """Where it was noted or said."""
        return EVERYWHERE if self.scope == GLOBAL else Place(self.scope, self.scope_id)

    def end(self) -> None:
        """Let it live no longer: its place was left."""
        self.expires_at = ""

    def is_live(self, now: str, zone: str = "") -> bool:
        """False once the time to live has run out.

        Args:
            now: The ISO time at which it is asked.
            zone: The time zone of times without an offset; UTC where empty.
        """
        return self.expires_at is None or moment(self.expires_at, zone) > moment(now, zone)


@dataclass(slots=True)
class Environment:
    """What is outside the conversation: key -> freshest value. `dead` holds the values that were replaced.

    `zone` is the time zone of times without an offset.
    """

    zone: str = ""
    values: dict[str, str] = field(default_factory=dict)
    times: dict[str, float] = field(default_factory=dict)
    dead: list[str] = field(default_factory=list)

    def update(self, key: str, value: object, ts: str) -> bool:
        """Take a value unless a fresher one is known.

        Args:
            key: Its key.
            value: The value; its text is kept.
            ts: Its ISO time.

        Returns:
            Whether it was taken.
        """
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
        """Drop a value that a fresher one under another key contradicts."""
        self.dead.append(self.values.pop(key))


def identity_from(data: Mapping[str, Any], user_id: str | None = None) -> IdentityRole:
    """The identity layer of a timeline.

    Args:
        data: The timeline's `identity_role`.
        user_id: The id of who asks, where the data has none.

    Returns:
        Who asks; what the data leaves out is empty.
    """
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
    """The source of a fact as the data states it.

    Args:
        data: The fact's `source`; None or empty for a plain state write.
        event_index: The event that wrote it, where the data has none.

    Returns:
        The source; its type is `state_write` where the data names none.
    """
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
