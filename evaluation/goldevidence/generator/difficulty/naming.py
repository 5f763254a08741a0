"""Chooses names of tags for questions: the tag itself, an alias, or a description that fits only this tag."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.generator.difficulty.wording import Alias
from evaluation.goldevidence.generator.prf import below, threshold, throw

if TYPE_CHECKING:
    from evaluation.goldevidence.generator.difficulty.reading import Reading


FIRST_NAMED = "the tag named first in chapter {}"
AFTER_CLEAR = "the tag that was updated right after {} was cleared"
AFTER_FIRST = "the tag that was updated right after {} was set for the first time"
AFTER_LAST = "the tag that was updated right after the last update of {}"
_FORMS = {
    form: re.compile(re.escape(form).replace(r"\{\}", r"(tag\.\d{2,}|\d+)"))
    for form in (FIRST_NAMED, AFTER_CLEAR, AFTER_FIRST, AFTER_LAST)
}
ALIAS, INDIRECT = "alias", "indirect"


class Name(NamedTuple):
    kind: str  # ALIAS | INDIRECT
    phrase: str


def choose_name(
    key: str,
    alias: Alias | None,
    descriptions: Mapping[str, Sequence[str]],
    indirect_rate: float,
    salt: bytes,
    number: int,
) -> Name | None:
    """Choose how a question names a key: by a description (at `indirect_rate`), its alias, or the key itself (None)."""
    indirect, which, other, *_ = throw(salt, "question", number)
    fitting = descriptions.get(key, ())
    if fitting and indirect < threshold(indirect_rate):
        return Name(INDIRECT, fitting[below(which, len(fitting))])
    return Name(ALIAS, alias.name) if alias is not None and other & 1 else None


def descriptions_of(
    entries: Iterable[Entry], first_named: Mapping[int, str], flipped: Collection[str]
) -> dict[str, list[str]]:
    """Return, for each tag, the descriptions that fit only this tag. `entries` is the ledger, by step.

    `first_named` maps each chapter to the tag that it names first. `flipped` are ids of entries that differ in the twin
    (the same episode with some answers changed).
    """
    fitting: dict[str, list[str]] = {}
    for chapter, key in first_named.items():
        fitting.setdefault(key, []).append(FIRST_NAMED.format(chapter))
    for form, anchor, key in _neighbours(entries, flipped):
        fitting.setdefault(key, []).append(form.format(anchor))
    return fitting


def _neighbours(entries: Iterable[Entry], flipped: Collection[str]) -> Iterator[tuple[str, str, str]]:
    """Yield (sentence template, tag A, tag B) if B was updated right after an event of A, such as its first update."""
    updates = [entry for entry in entries if entry.authoritative]
    by_key: dict[str, list[int]] = {}
    for place, entry in enumerate(updates):
        by_key.setdefault(entry.key, []).append(place)
    for anchor, places in by_key.items():
        clears = [place for place in places if updates[place].op == "CLEAR"]
        events = [(AFTER_FIRST, places[0]), (AFTER_LAST, places[-1])]
        if len(clears) == 1 and updates[clears[0]].uid not in flipped:
            events.append((AFTER_CLEAR, clears[0]))
        for form, place in events:
            if place + 1 < len(updates) and (key := updates[place + 1].key) != anchor:
                yield form, anchor, key


def resolve(phrase: str, reading: Reading) -> str | None:
    """Return the tag that an alias or description names; None if the text does not determine it."""
    if phrase in reading.aliases:
        return reading.aliases[phrase]
    form, anchor = next(
        ((form, match[1]) for form, pattern in _FORMS.items() if (match := pattern.fullmatch(phrase))),
        ("", ""),
    )
    if form == FIRST_NAMED:
        return reading.first_named.get(int(anchor))
    ordered = sorted(reading.entries, key=lambda entry: entry.step)
    return next(
        (key for found, about, key in _neighbours(ordered, ()) if (found, about) == (form, anchor)), None
    )
