"""Finds words that qualify phrases or state a decision, as listed in `lexicon.txt`. The longest match is used."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum, auto
from pathlib import Path
from typing import NamedTuple


class Kind(IntEnum):
    """Effects of a word or expression ("mark") on the phrases of its clause, or on the decision."""

    # On following phrases:
    DENIES = auto()  # "not", "never"
    OPENS = auto()  # "might be": left open
    DATES = auto()  # "formerly": true in the past
    WAS = auto()  # "was": past, if another phrase holds
    REPORTS = auto()  # "he said": reported, if another phrase holds
    CLAIMS = auto()  # "asked for": reported
    SUPPOSES = auto()  # "if"
    ASIDE = auto()  # "instead of": only the next phrase
    NOW = auto()  # "now": valid again
    # On preceding phrases:
    ENDS = auto()  # "was replaced"
    TURNS = auto()  # "was changed to"
    CONCLUDES = auto()  # "so": if another phrase follows immediately
    SUM = auto()  # "+": its neighbours are parts
    TAKES = auto()  # "took over": phrases before its clause, if another one replaces them
    CORRECTS = auto()  # "scratch that": if another phrase follows
    # Structure:
    TO = auto()
    OR = auto()
    BUT = auto()
    AND = auto()  # "and" before a clause
    COMMA = auto()
    OPEN = auto()
    CLOSE = auto()
    STOP = auto()
    ASK = auto()
    # Decisions:
    YES = auto()
    NO = auto()
    SO = auto()  # an implied yes: "approved"
    CAN = auto()  # the same, if its clause has nothing stronger: "you can"
    NOT_SO = auto()  # an implied no: "cancelled"
    CANNOT = auto()  # the same, if its clause has nothing stronger: "do not"
    UNKNOWN = auto()
    REFUSES = auto()


DECIDING = frozenset(
    {Kind.YES, Kind.NO, Kind.SO, Kind.CAN, Kind.NOT_SO, Kind.CANNOT, Kind.UNKNOWN, Kind.REFUSES}
)


class Mark(NamedTuple):
    start: int
    end: int
    kinds: tuple[Kind, ...]


#: In a comparison "not" does not deny the number: "not above $21,000", "no more than 5".
COMPARES = re.compile(
    r"(?: \w+){0,3}? (?:more than|less than|over|above|exceed\w*|beyond|below|under|up to|until|before|after|only"
    r"|higher|lower|later than|earlier than|fewer|at least|just|greater|past|merely|outside)(?!\w)"
)
_TOKEN = re.compile(r"[a-z]+(?:-[a-z]+)*|[.!?;¶:,()→+=×]|-(?= )")
_SIGNS: dict[str, tuple[Kind, ...]] = {
    **dict.fromkeys(".!;¶:", (Kind.STOP,)),
    **dict.fromkeys(",-", (Kind.COMMA,)),
    "(": (Kind.OPEN,),
    ")": (Kind.CLOSE,),
    "?": (Kind.ASK,),
    **dict.fromkeys("+=×", (Kind.SUM,)),
}
_LIST = re.compile(r"\{([a-z]+)\}")
_BAR = re.compile(r"\s+\|\s+")
_CHOICE = re.compile(r"\(\?:([^()]+)\)")
_WORD = re.compile(r"(?:[a-z]+(?:-[a-z]+)*|→)(?=$| |\(\?<?[=!]|\(\?:[ ,])")
Kinds = tuple[Kind, ...]


class Phrase(NamedTuple):
    pattern: str
    kinds: Kinds


class _Entry(NamedTuple):
    alone: Kinds = ()
    more: re.Pattern[str] | None = None
    kinds: tuple[Kinds, ...] = ()


def lexicon() -> tuple[list[Phrase], dict[str, str]]:
    phrases: list[Phrase] = []
    lists: dict[str, str] = {}
    text = Path(__file__).with_name("lexicon.txt").read_text("utf-8").replace("\n    ", " ")
    for line in text.splitlines():
        if line.startswith("#") or not line:
            continue
        name, equals, ways = line.partition(" = ")
        if equals and name.islower():
            lists[name] = ways
        else:
            names, _, told = line.partition(": ")
            filled = _LIST.sub(lambda found: f"(?:{lists[found[1]]})", told)
            kinds = tuple(Kind[name] for name in names.split())
            phrases += [Phrase(phrase, kinds) for phrase in _BAR.split(filled.strip())]
    return phrases, lists


def _firsts(phrase: str) -> set[str]:
    choice = _CHOICE.match(phrase)
    heads = [_WORD.match(part.strip()) for part in (choice[1].split("|") if choice else [phrase])]
    if not all(heads):
        raise ValueError(f"{phrase!r} must begin with a plain word (lowercase letters and hyphens) or →")
    return {head[0] for head in heads if head}


def _entries(phrases: Iterable[Phrase]) -> dict[str, _Entry]:
    alone: dict[str, Kinds] = dict(_SIGNS)
    more: dict[str, list[Phrase]] = {}
    for phrase in phrases:
        for word in _firsts(phrase.pattern):
            if word == phrase.pattern:
                alone[word] = phrase.kinds
            else:
                more.setdefault(word, []).append(phrase)
    return {
        word: _Entry(
            alone.get(word, ()),
            _all_ahead(more.get(word, [])),
            tuple(kinds for _, kinds in more.get(word, [])),
        )
        for word in {**alone, **more}
    }


def _all_ahead(phrases: Sequence[Phrase]) -> re.Pattern[str] | None:
    if not phrases:
        return None
    return re.compile("".join(rf"(?:(?=({phrase.pattern})(?:(?<!\w)|(?!\w))))?" for phrase in phrases))


def _bears(entry: _Entry, idle: frozenset[Kind]) -> bool:
    return not all(idle.issuperset(kinds) for kinds in (entry.alone, *entry.kinds))


_PHRASES, _LISTS = lexicon()
_ENTRIES = _entries(_PHRASES)
_BE = frozenset(_LISTS["be"].split("|")) - {"was", "were"}
_STRUCTURE = frozenset({Kind.TO, Kind.NOW, Kind.BUT, Kind.AND, Kind.COMMA, Kind.OPEN, Kind.CLOSE, Kind.STOP})
_FORCES = frozenset(word for word, entry in _ENTRIES.items() if _bears(entry, _STRUCTURE | DECIDING)) - _BE
_SPEAKS = frozenset(word for word, entry in _ENTRIES.items() if _bears(entry, _STRUCTURE)) - _BE
_ENDINGS = frozenset(
    re.findall(
        "[a-z]{3,}",
        "|".join(_LISTS[name] for name in ("stale", "former", "idea", "changed", "figured", "over")),
    )
) | {"off"}
_ENDED = re.compile(
    r"\b(?:" + "|".join(phrase for phrase, _ in _PHRASES if "is" in _firsts(phrase)) + r")(?:(?<!\w)|(?!\w))"
)


def bears_on_phrases(text: str, words: Sequence[str]) -> bool:
    """True if a word of a `plain.plain` text may change whether its phrases are affirmed, denied or doubted."""
    return not _FORCES.isdisjoint(words) or _is_ended(text, words)


def decides(text: str, words: Sequence[str]) -> bool:
    """True if a word of a `plain.plain` text may affect the decision."""
    return not _SPEAKS.isdisjoint(words) or _is_ended(text, words)


def _is_ended(text: str, words: Sequence[str]) -> bool:
    return not _BE.isdisjoint(words) and not _ENDINGS.isdisjoint(words) and _ENDED.search(text) is not None


def words(text: str) -> list[str]:
    return _TOKEN.findall(text)


def marks(text: str) -> Iterator[Mark]:
    end = 0
    for token in _TOKEN.finditer(text):
        entry = _ENTRIES.get(token[0])
        if entry is None:
            continue
        start = token.start()
        if start < end:
            continue
        kinds, more, of_more = entry
        if kinds:
            end = token.end()
            if token[0] in ".,:" and text[end : end + 1].isdigit() and text[start - 1 : start].isdigit():
                continue
        if more is not None:
            found = more.match(text, start)
            if found is not None and found.lastindex:
                for group, (_, far) in enumerate(found.regs[1 : found.lastindex + 1]):
                    if far >= end and far > 0:
                        end, kinds = far, of_more[group]
        if kinds:
            yield Mark(start, end, kinds)
