"""Marks: words of a response that say how what stands around them is meant, and words that decide.

They are data, in `lexicon.txt`. A word is looked up, and of the phrases that begin with it the longest counts: the time
is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum, auto
from pathlib import Path
from typing import NamedTuple


class Kind(IntEnum):
    """How a mark bears on what follows or precedes it in its clause, or what it decides."""

    # On what follows:
    DENIES = auto()  # "not", "never"
    OPENS = auto()  # "might be": left open
    DATES = auto()  # "formerly": so once
    WAS = auto()  # "was": so once, if anything else holds
    REPORTS = auto()  # "he said": said by another, if anything else holds
    CLAIMS = auto()  # "asked for": said by another
    SUPPOSES = auto()  # "if"
    ASIDE = auto()  # "instead of": the next phrase alone
    NOW = auto()  # "now": holds again
    # On what precedes:
    ENDS = auto()  # "was replaced"
    TURNS = auto()  # "was changed to"
    CONCLUDES = auto()  # "so": what precedes, if another phrase follows at once
    SUM = auto()  # "+": what stands beside it is a part
    TAKES = auto()  # "took over": what precedes its clause, if something else takes its place
    CORRECTS = auto()  # "scratch that": if something else follows
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
    CAN = auto()  # the same, if its clause says no more: "you can"
    NOT_SO = auto()  # an implied no: "cancelled"
    CANNOT = auto()  # the same, if its clause says no more: "do not"
    UNKNOWN = auto()
    REFUSES = auto()


DECIDING = frozenset(
    {Kind.YES, Kind.NO, Kind.SO, Kind.CAN, Kind.NOT_SO, Kind.CANNOT, Kind.UNKNOWN, Kind.REFUSES}
)


class Mark(NamedTuple):
    """One mark, by its place in characters."""

    start: int
    end: int
    kinds: tuple[Kind, ...]


#: A comparison denies no number: "not above $21,000", "no more than 5".
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
    """A phrase of the lexicon, a regular expression, with the marks that it makes."""

    pattern: str
    kinds: Kinds


class _Entry(NamedTuple):
    """Marks that begin with a word: of the word alone, and of more words, by their patterns.

    `any` matches where one of the patterns does; it is asked first, because most words stand alone.
    """

    alone: Kinds = ()
    more: tuple[tuple[re.Pattern[str], Kinds], ...] = ()
    any: re.Pattern[str] | None = None


def lexicon() -> tuple[list[Phrase], dict[str, str]]:
    """The phrases of `lexicon.txt`, and its lists by their names."""
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
    """The words that a phrase may begin with. Raises ValueError where it begins with anything but plain words."""
    choice = _CHOICE.match(phrase)
    heads = [_WORD.match(part.strip()) for part in (choice[1].split("|") if choice else [phrase])]
    if not all(heads):
        raise ValueError(f"{phrase!r} begins with no plain word")
    return {head[0] for head in heads if head}


def _entries(phrases: Iterable[Phrase]) -> dict[str, _Entry]:
    """The phrases and signs by the words that they begin with."""
    found = {sign: _Entry(kinds) for sign, kinds in _SIGNS.items()}
    for phrase, kinds in phrases:
        for word in _firsts(phrase):
            entry = found.get(word, _Entry())
            if word == phrase:
                found[word] = entry._replace(alone=kinds)
            else:
                more = (*entry.more, (re.compile(rf"(?:{phrase})(?:(?<!\w)|(?!\w))"), kinds))
                found[word] = entry._replace(more=more)
    return {word: entry._replace(any=_either(entry)) for word, entry in found.items()}


def _either(entry: _Entry) -> re.Pattern[str] | None:
    return re.compile("|".join(pattern.pattern for pattern, _ in entry.more)) if entry.more else None


def _bears(entry: _Entry, idle: frozenset[Kind]) -> bool:
    """Whether an entry makes marks of other kinds than these."""
    return not all(idle.issuperset(kinds) for kinds in (entry.alone, *(kinds for _, kinds in entry.more)))


_PHRASES, _LISTS = lexicon()
_ENTRIES = _entries(_PHRASES)
_BE = frozenset(_LISTS["be"].split("|")) - {"was", "were"}
_STRUCTURE = frozenset({Kind.TO, Kind.NOW, Kind.BUT, Kind.AND, Kind.COMMA, Kind.OPEN, Kind.CLOSE, Kind.STOP})
_FORCES = frozenset(word for word, entry in _ENTRIES.items() if _bears(entry, _STRUCTURE | DECIDING)) - _BE
_SPEAKS = frozenset(word for word, entry in _ENTRIES.items() if _bears(entry, _STRUCTURE)) - _BE
_ENDED = re.compile(rf"\b(?:{_either(_ENTRIES['is']).pattern})")  # type: ignore[union-attr]


def bears_on_phrases(text: str, words: Sequence[str]) -> bool:
    """False where nothing in a text can bear on its phrases, so that all of them are affirmed.

    Args:
        text: In `plain.plain` form.
        words: Its `words`, or those of them that are not known otherwise.
    """
    return not _FORCES.isdisjoint(words) or (not _BE.isdisjoint(words) and _ENDED.search(text) is not None)


def decides(text: str, words: Sequence[str]) -> bool:
    """False where nothing in a text can bear on its decision; arguments as of `bears_on_phrases`."""
    return not _SPEAKS.isdisjoint(words) or (not _BE.isdisjoint(words) and _ENDED.search(text) is not None)


def words(text: str) -> list[str]:
    """The words and signs of a text in `plain.plain` form."""
    return _TOKEN.findall(text)


def marks(text: str) -> Iterator[Mark]:
    """The marks of a text in `plain.plain` form, in order."""
    end = 0
    for token in _TOKEN.finditer(text):
        entry = _ENTRIES.get(token[0])
        if entry is None:
            continue
        start = token.start()
        if start < end:
            continue
        kinds = entry.alone
        if kinds:
            end = token.end()
            if token[0] in ".,:" and text[end : end + 1].isdigit() and text[start - 1 : start].isdigit():
                continue
        for pattern, meant in entry.more if entry.any and entry.any.match(text, start) else ():
            matched = pattern.match(text, start)
            if matched is not None and matched.end() >= end:
                end, kinds = matched.end(), meant
        if kinds:
            yield Mark(start, end, kinds)
