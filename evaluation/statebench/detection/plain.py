"""Finds plain statements: clauses that name a subject and give its value ("The office address is now 9 Oak Lane")."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from evaluation.statebench.detection import frames
from evaluation.statebench.detection.clause import Clause
from evaluation.statebench.facts.scopes import GLOBAL
from evaluation.statebench.language.words import STOPWORDS, stems, tokens

_MOST_KEY_WORDS = 5  # a longer subject is a sentence, not an attribute
_NO_ATTRIBUTE = frozenset(
    ("i", "we", "you", "he", "she", "it", "they", "who", "what", "there", "one", "thing", "idea")
)

_DOING = re.compile(
    r"\w+ing \w|going to |about to |to \w+ |the same\b|(?:too|so) ", re.IGNORECASE
)  # acts are not values
# "The CEO says the office address": the source is not part of the subject.
_SAYS = re.compile(
    r"^.+\b(?:says|said|told (?:me|us|everyone|everybody)|confirm(?:s|ed)|announce[sd]|reports|reported|wrote|writes)"
    r"(?: that)? (?:the |our |my |your |this |his |her |their )?(?=\S)"
)
_AT_ONCE = re.compile(r"\b(?:and|or|that|which|if|when|while|because|as)\b")  # several clauses


@dataclass(frozen=True, slots=True)
class Plain:
    """A statement that gives a subject a value. `names`: stems of the key. `changes`: it has wording of change."""

    key: str
    value: str
    names: frozenset[str]
    changes: bool


@lru_cache(maxsize=65536)
def plain_statement(clause: Clause) -> Plain | None:
    if clause.scope != GLOBAL or len(clause.lowered) != len(clause.text):
        return None
    for frame, changes in frames.STATEMENTS:
        match = frame.match(clause.lowered)
        if match is not None:
            return _read(clause, match, changes)
    return None


def _read(clause: Clause, match: re.Match[str], changes: bool) -> Plain | None:
    subject = _SAYS.sub("", match["subject"])
    spoken = tokens(subject)
    words = [word for word in spoken if word not in STOPWORDS]
    value = clause.text[slice(*match.span("value"))].strip(" .!,;")
    if _DOING.match(value) or _AT_ONCE.search(subject):
        return None
    if not words or len(words) > _MOST_KEY_WORDS or not value or not _NO_ATTRIBUTE.isdisjoint(spoken):
        return None
    key = "_".join(words)
    return Plain(key, value, key_names(key), changes)


@lru_cache(maxsize=65536)
def key_names(key: str) -> frozenset[str]:
    """Return the stems of a key. They are the same for "office_address", "Office Address" and "the office address"."""
    return stems(key.replace("_", " "))
