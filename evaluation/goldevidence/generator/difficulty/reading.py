"""Parses texts with aliases, updates in chapters, or sentences of packs; `data.ledger` parses the published grammar."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from evaluation.goldevidence.data.ledger import LEDGER_HEADING, Entry
from evaluation.goldevidence.generator.difficulty.packs import (
    BUILT_IN,
    CITABLE,
    OPERATIONS,
    Pack,
    known_packs,
    load,
    names_pattern,
)

TEXTS_AT_HAND = 256
_ALIAS = re.compile(
    r"^(?:- NOTE step=\d+ )?(tag\.\d{2,}) is also called (the [a-z]+ [a-z]+)\.$", re.MULTILINE
)
_PART = re.compile(r"^##+ (?:Chapter|Segment) (\d+)\s*$")
_TIME = re.compile(r"^- Day \d+, [a-z]+ watch – ")
_IN_CHAPTER = "At step "


class Reading(NamedTuple):
    """The parsed content of a text; aliases are replaced by the tags."""

    entries: Sequence[Entry]  # in the order of the text; claims without authority are NOTEs
    aliases: Mapping[str, str]  # tags by their other names
    first_named: Mapping[int, str]  # by chapter


# Rows of an episode share its texts, but need not follow each other.
@lru_cache(maxsize=TEXTS_AT_HAND)
def read_text(text: str, *, in_source: bool = False) -> Reading:
    """Parse a log or a book. `in_source`: use only the pack that is part of the source code."""
    aliases = {name: key for key, name in _ALIAS.findall(text)}
    if entries := list(_published(text, aliases)):
        return Reading(entries, aliases, _first_named(text, aliases))
    sentences = [_TIME.sub("", line) for line in text.splitlines() if line and not line.startswith("#")]
    best = Reading((), aliases, _first_named(text, aliases))
    for pack in (load(BUILT_IN, ""),) if in_source else known_packs():
        aliases = dict(_told_names(sentences, pack))
        entries = list(_in_prose(sentences, aliases, pack))
        if len(entries) > len(best.entries):
            best = Reading(entries, aliases, _first_named(text, aliases))
    return best


def _published(text: str, aliases: Mapping[str, str]) -> Iterator[Entry]:
    """Yield entries in the published line grammar: from the ledger if there is one, else from log and chapters."""
    name = names_pattern(aliases).pattern
    head = r"^- \[(U[0-9A-F]{6})\] " + ("" if LEDGER_HEADING in text else "UPDATE ")
    line = re.compile(rf"{head}step=(\d{{1,18}}) ([A-Z]+) ({name})(?: = (.*))?$", re.MULTILINE)
    for uid, step, op, key, value in line.findall(text[max(text.find(LEDGER_HEADING), 0) :]):
        yield Entry(uid, int(step), op, aliases.get(key, key), None if op == "CLEAR" else value)
    if LEDGER_HEADING in text or _IN_CHAPTER not in text:
        return
    sentence = re.compile(
        rf"^{_IN_CHAPTER}(\d+), (a note beside )?({name}) (?:was cleared|(?:said|was set to) (\S+)) "
        r"\((U[0-9A-F]{6})\)\.$",
        re.MULTILINE,
    )
    for step, note, key, value, uid in sentence.findall(text):
        op = "NOTE" if note else "SET" if value else "CLEAR"
        yield Entry(uid, int(step), op, aliases.get(key, key), value or None)


def _told_names(sentences: Sequence[str], pack: Pack) -> Iterator[tuple[str, str]]:
    for sentence in sentences:
        if "tag." in sentence:
            for form in pack.alias_forms:
                if match := form.fullmatch(sentence):
                    yield match["name"].lower(), match["key"].lower()


def _in_prose(sentences: Sequence[str], aliases: Mapping[str, str], pack: Pack) -> Iterator[Entry]:
    names = names_pattern(aliases)
    for place, sentence in enumerate(sentences, 1):
        read = pack.read(sentence, names)
        if read is not None and read.kind in CITABLE:
            op = OPERATIONS.get(read.kind, "NOTE")
            yield Entry(read.uid, place, op, aliases.get(read.key, read.key), read.value or None)


def _first_named(text: str, aliases: Mapping[str, str]) -> dict[int, str]:
    names, part = names_pattern(aliases), 0
    first: dict[int, str] = {}
    for line in text.splitlines():
        if line == LEDGER_HEADING:
            break
        if heading := _PART.match(line):
            part = int(heading[1])
        elif part and part not in first and (name := names.search(line)):
            named = name[0][:1].lower() + name[0][1:]
            first[part] = aliases.get(named, named)
    return first
