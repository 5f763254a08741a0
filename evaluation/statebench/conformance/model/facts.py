"""A version of a fact as the model knows it, and where it holds. Lists and loops; no code of the engine."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

Row = Mapping[str, Any]
Place = tuple[str, str | None]
EVERYWHERE: Place = ("global", None)
UNREAL = ("hypothetical", "draft")
_ORDER = ("task", "session", "project", "global")  # any other kind is narrower than these
_LEVELS = {
    **dict.fromkeys(("intern", "guest"), 0),
    **dict.fromkeys(("peer", "Engineer"), 1),
    **dict.fromkeys(("manager", "Manager", "VP"), 2),
    **dict.fromkeys(("policy", "CFO"), 3),
}
_MAY_SEE_RESTRICTED = ("VP", "CFO")
RESTRICTED = "[RESTRICTED: restricted to VP+] "
STATEMENT, CHANGE, NOTHING = "statement", "change", "nothing"
#: name -> (the sentence, what it does)
SENTENCES: dict[str, tuple[str, str]] = {
    "S1": ("The {key} is {value}.", STATEMENT),
    "S2": ("The {key} is now {value}.", CHANGE),
    "S3": ("The {key} changed from {old} to {value}.", CHANGE),
    "N1": ("What is the {key}?", NOTHING),
    "N2": ("Suppose the {key} is {value}.", NOTHING),
    "N3": ("I wish the {key} were {value}.", NOTHING),
    "N4": ("Somebody told me the {key} is {value}.", NOTHING),
    "N5": ("Maybe the {key} should be {value}.", NOTHING),
}
#: For these a newer word counts, changed or not; for others a statement alone is no evidence of change.
TIME_SENSITIVE = ("price", "stock", "status", "schedule", "availability")
_FORMS = (  # "is now" before "is": both read "The … is …."
    (CHANGE, re.compile(r"The (?P<key>[\w ]+?) is now (?P<value>\S+)\.")),
    (CHANGE, re.compile(r"The (?P<key>[\w ]+?) changed from (?P<old>\S+) to (?P<value>\S+)\.")),
    (STATEMENT, re.compile(r"The (?P<key>[\w ]+?) is (?P<value>\S+)\.")),
)


@dataclass(eq=False)
class Known:
    """One version. `stands_for`: the global fact that it replaces in its own place only; `turn`: where it was said."""

    number: int
    id: str
    key: str
    value: str
    place: Place
    level: int
    turn: int | None = None
    valid: bool = True
    ended: bool = False
    before: Known | None = None
    after: Known | None = None
    stands_for: Known | None = None
    basis: list[Known] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)
    review: bool = False

    @property
    def word(self) -> str:
        """The made-up word in its value."""
        return self.value.removeprefix(RESTRICTED)

    def is_shown_to(self, reader: str) -> bool:
        """Whether a reader may see it."""
        return not self.value.startswith(RESTRICTED) or reader in _MAY_SEE_RESTRICTED


def versions(one: Known | None) -> Iterator[Known]:
    """A version and those before it."""
    while one is not None:
        yield one
        one = one.before


def end(one: Known) -> Known:
    """What a version has become."""
    while one.after is not None:
        one = one.after
    return one


def is_about(mine: Known, other: Known) -> bool:
    """Whether a fact says in a narrower place what another says in a wider one.

    Args:
        mine: The fact of the narrower place.
        other: The fact of the wider one.

    Returns:
        True where they have one key, or `mine` was written in the place of `other`.
    """
    if width(mine.place) >= width(other.place):
        return False
    meant = [end(one.stands_for) for one in versions(mine) if one.stands_for is not None]
    return mine.key == other.key or other in meant


def place_of(data: Row) -> Place:
    """The place that a write, a turn, a query or an event names."""
    scope = data.get("scope") or "global"
    return EVERYWHERE if scope == "global" else (scope, data.get("scope_id"))


def is_narrow(place: Place) -> bool:
    """True for a task, a session, a project …"""
    return place != EVERYWHERE and place[0] not in UNREAL


def width(place: Place) -> int:
    """How wide a place is: the wider, the higher."""
    return _ORDER.index(place[0]) + 1 if place[0] in _ORDER else 0


def level_of(authority: str) -> int:
    """The rank of an authority, 0 to 3."""
    return _LEVELS[authority]


def names(prompt: str, name: str | None) -> bool:
    """Whether a prompt names a place, as whole words in any case.

    Args:
        prompt: What is asked.
        name: The id of the place; one without an id is never named.
    """
    return (
        bool(name) and re.search(rf"(?<!\w){re.escape(str(name))}(?!\w)", prompt, re.IGNORECASE) is not None
    )


def seen_by(row: Row, query: int) -> tuple[list[tuple[int, Row]], tuple[int, Row]]:
    """What stands before a query in the file and what is dated before it, in stable order of time; and the query.

    Args:
        row: The timeline.
        query: Which of its queries, from 0.

    Returns:
        Events with their places in the file, and the query with its own.
    """
    at = [n for n, event in enumerate(row["events"]) if event["type"] == "query"][query]
    asked = row["events"][at]
    seen = [
        (n, event)
        for n, event in enumerate(row["events"])
        if event["type"] != "query" and (n < at or event["ts"] < asked["ts"])
    ]
    return sorted(seen, key=lambda pair: pair[1]["ts"]), (at, asked)


@dataclass(frozen=True, slots=True)
class Said:
    """A statement or a change: the key as data writes it, the value, and what it is said to have been before."""

    kind: str
    key: str
    value: str
    old: str | None = None


def spoken(text: str) -> Said | None:
    """What a turn states or changes by the plain sentences; None where it does neither."""
    for kind, form in _FORMS:
        if match := form.fullmatch(text):
            parts = match.groupdict()
            return Said(kind, parts["key"].replace(" ", "_"), parts["value"], parts.get("old"))
    return None


def words_of(key: str) -> str:
    """A key as it is spoken."""
    return key.replace("_", " ")


def is_time_sensitive(key: str) -> bool:
    """Whether the newer word on a key counts by itself."""
    return any(word in TIME_SENSITIVE for word in key.split("_"))
