"""Facts and places of the model. Shares no code with the engine."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

Row = Mapping[str, Any]
Place = tuple[str, str | None]
EVERYWHERE: Place = ("global", None)
UNREAL = ("hypothetical", "draft")
_ORDER = ("task", "session", "project", "global")  # narrow to wide; any other kind is narrower
LEVELS = {
    **dict.fromkeys(("intern", "guest"), 0),
    **dict.fromkeys(("peer", "Engineer"), 1),
    **dict.fromkeys(("manager", "Manager", "VP"), 2),
    **dict.fromkeys(("policy", "CFO"), 3),
}
_MAY_SEE_RESTRICTED = ("VP", "CFO")
RESTRICTED = "[RESTRICTED: restricted to VP+] "
STATEMENT, CHANGE, NOTHING = "statement", "change", "nothing"
#: name -> (sentence, effect)
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
#: Keys with these words take any newer value; for others a plain statement is not evidence of change.
TIME_SENSITIVE = ("price", "stock", "status", "schedule", "availability")
_FORMS = (  # "is now" before "is": both read "The … is …."
    (CHANGE, re.compile(r"The (?P<key>[\w ]+?) is now (?P<value>\S+)\.")),
    (CHANGE, re.compile(r"The (?P<key>[\w ]+?) changed from (?P<old>\S+) to (?P<value>\S+)\.")),
    (STATEMENT, re.compile(r"The (?P<key>[\w ]+?) is (?P<value>\S+)\.")),
)


@dataclass(eq=False)
class Known:
    """One version of a fact.

    `stands_for` is a global fact that this version replaces in a narrower place. `turn` is the index of its turn.
    """

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
        return self.value.removeprefix(RESTRICTED)

    def is_shown_to(self, reader: str) -> bool:
        return not self.value.startswith(RESTRICTED) or reader in _MAY_SEE_RESTRICTED


def versions(one: Known | None) -> Iterator[Known]:
    while one is not None:
        yield one
        one = one.before


def end(one: Known) -> Known:
    while one.after is not None:
        one = one.after
    return one


def is_about(mine: Known, other: Known) -> bool:
    """True if `mine` is in a narrower place than `other` and has the same key as `other`, or replaces `other` there."""
    if width(mine.place) >= width(other.place):
        return False
    replaced = [end(one.stands_for) for one in versions(mine) if one.stands_for is not None]
    return mine.key == other.key or other in replaced


def place_of(data: Row) -> Place:
    scope = data.get("scope") or "global"
    return EVERYWHERE if scope == "global" else (scope, data.get("scope_id"))


def is_narrow(place: Place) -> bool:
    """True for a place narrower than global, such as a task, a session or a project."""
    return place != EVERYWHERE and place[0] not in UNREAL


def width(place: Place) -> int:
    return _ORDER.index(place[0]) + 1 if place[0] in _ORDER else 0


def names(prompt: str, name: str | None) -> bool:
    """True if the prompt names a place by its id, as whole words in any case."""
    return (
        bool(name) and re.search(rf"(?<!\w){re.escape(str(name))}(?!\w)", prompt, re.IGNORECASE) is not None
    )


def seen_by(row: Row, query: int) -> tuple[list[tuple[int, Row]], tuple[int, Row]]:
    """Events that precede a query in the file or in time, sorted by time, and the query itself, each with its index."""
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
    """A statement or a change made by a turn. `old` is the former value if the sentence names it."""

    kind: str
    key: str
    value: str
    old: str | None = None


def spoken(text: str) -> Said | None:
    """The statement or change made by a turn, or None if it is not a plain sentence."""
    for kind, form in _FORMS:
        if match := form.fullmatch(text):
            parts = match.groupdict()
            return Said(kind, parts["key"].replace(" ", "_"), parts["value"], parts.get("old"))
    return None


def words_of(key: str) -> str:
    return key.replace("_", " ")


def is_time_sensitive(key: str) -> bool:
    """True if a newer statement about the key counts as a change."""
    return any(word in TIME_SENSITIVE for word in key.split("_"))
