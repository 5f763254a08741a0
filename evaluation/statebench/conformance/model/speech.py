"""The plain sentences that every implementation has to understand, and what each of them does.

`{key}` are the words of a key ("office address"), `{value}` is one made-up word or a plain value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

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
