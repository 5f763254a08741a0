"""Searches boards, rows, the glossary and the systems that the reader may see, with few bounded queries."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from unicodedata import normalize
from urllib.parse import urlencode

from django.db.models import Case, F, Q, Value, When
from django.urls import reverse
from django.utils.text import slugify

from evaluation.core.suite import usable
from leaderboard.benchmarks.models import Benchmark, Version
from leaderboard.benchmarks.storage import DamagedFileError
from leaderboard.boards.front.terms import TERMS
from leaderboard.submissions.models import System
from leaderboard.submissions.rows import store

LONGEST = 100  # characters of a query
WORDS = 8  # of a query; all must be found
MOST = 10  # results per group
VERSIONS = 200  # read at most
NAMES = 500  # of systems, searched for similar ones
#: Limit of compressed rows searched for a row id, version by version: each file is read once per machine.
ROW_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class Hit:
    """One result of a search. `mark` is the status of a version that accepts no more submissions, else empty."""

    title: str
    url: str
    about: str = ""
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    title: str
    hits: list[Hit]
    more: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """Results of a search. Without hits, `similar` suggests names. `unread` has versions too large to search."""

    groups: list[Group]
    similar: list[str]
    unread: list[Hit]

    @property
    def count(self) -> int:
        return sum(len(group.hits) for group in self.groups)


def find(text: str, reader: Any) -> Found:
    """Find the boards, systems, rows and terms that contain each word of a text of at most `LONGEST` characters."""
    words = normalize("NFC", text).casefold().split()[:WORDS]
    if not words:
        return Found([], [], [])
    versions = _versions()
    boards, terms = _boards(versions), list(_terms())
    named = [_group("Boards", _holding(words, boards)), _group("Systems", _systems(words, reader))]
    is_name = any(group.hits for group in named)
    rows, unread = ([], []) if is_name else _rows(text.strip(), versions)
    groups = [*named, Group("Rows", rows[:MOST]), _group("Glossary", _holding(words, terms))]
    groups = [group for group in groups if group.hits]
    names = [] if groups else [*(hit.title for hit in [*boards, *terms]), *_names(reader)]
    return Found(groups, similar(text, names), unread)


def similar(text: str, names: Iterable[str]) -> list[str]:
    """Find up to three names that resemble a text, as a whole or in one of their words."""
    of_part: dict[str, str] = {}
    for name in names:
        for part in (name.casefold(), *re.findall(r"\w{3,}", name.casefold())):
            of_part.setdefault(part, name)
    near = difflib.get_close_matches(text.casefold(), list(of_part), n=3, cutoff=0.7)
    return list(dict.fromkeys(of_part[part] for part in near))


def _group(title: str, hits: list[Hit]) -> Group:
    return Group(title, hits[:MOST], len(hits) > MOST)


def _holding(words: list[str], hits: Iterable[Hit]) -> list[Hit]:
    def has(text: str) -> bool:
        return all(word in text.casefold() for word in words)

    found = [hit for hit in hits if has(f"{hit.title} {hit.about}")]
    return sorted(found, key=lambda hit: not has(hit.title))


def _versions() -> list[Version]:
    columns = ("sample", "attacks", "guessing", "settings", "description", "conditions")
    versions = Version.objects.readable().select_related("preset").defer(*columns, "preset__settings")
    return list(versions[:VERSIONS])


def _boards(versions: list[Version]) -> list[Hit]:
    return [
        Hit(
            version.question,
            version.get_board_url(),
            f"{version.benchmark.title} · {version.title}",
            "" if version.is_open else version.get_status_display(),
        )
        for version in versions
        if version.twin_of_id is None
    ]


def _systems(words: list[str], reader: Any) -> list[Hit]:
    holding = Q()
    for word in words:
        fields = ("model", "name", "harness", "developer", "owner__username")
        holding &= Q(*((f"{field}__icontains", word) for field in fields), _connector=Q.OR)
    first = Case(When(name__istartswith=words[0], then=Value(0)), default=Value(1))
    systems = System.objects.visible_to(reader).filter(holding).select_related("owner")
    return [
        Hit(system.title, system.get_absolute_url(), f"{system.reads} · {system.owner.get_username()}")
        for system in systems.order_by(first, "name", "pk")[: MOST + 1]
    ]


def _rows(text: str, versions: list[Version]) -> tuple[list[Hit], list[Hit]]:
    """Search rows by id. Returns hits for rows, and hits for versions left unsearched because of `ROW_BYTES`."""
    if len(text) < 4 or " " in text or not any(character.isdigit() for character in text):
        return [], []
    found, unread, left = list[Hit](), list[Hit](), ROW_BYTES
    for version in versions:
        names, title = (version.benchmark.slug, version.slug), f"{version.benchmark.title} · {version.title}"
        left -= version.rows_bytes
        try:
            has = left >= 0 and store.has(version, text)
        except DamagedFileError:  # pages of that version report it
            continue
        if has:
            found.append(Hit(text, reverse("leaderboard:version_row", args=[*names, text]), title))
        elif left < 0:
            rows = reverse("leaderboard:version_row_list", args=names)
            unread.append(Hit(title, f"{rows}?{urlencode({'q': text})}"))
    return found, unread


def _terms() -> Iterator[Hit]:
    page = reverse("leaderboard:glossary")
    benchmarks = list(Benchmark.objects.filter(suite__in=usable()))
    for term in [*TERMS, *(term for each in benchmarks for term in each.engine.display.terms)]:
        yield Hit(term.name, f"{page}#{slugify(term.name)}", term.text)
    for benchmark in benchmarks:
        for column in benchmark.usual.columns:
            yield Hit(column.label, f"{page}#{benchmark.slug}-{column.name}", column.help)


def _names(reader: Any) -> list[str]:
    systems = System.objects.visible_to(reader).order_by(F("counts__newest").desc(nulls_last=True), "pk")
    return [system.title for system in systems[:NAMES]]
