"""A slot: one place of the state that a turn may refill, with the words by which people speak of it."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count

from evaluation.statebench.detection.clause import numbered, thing
from evaluation.statebench.detection.cues import STATUS
from evaluation.statebench.facts.authority import Level
from evaluation.statebench.facts.classify import turn_scope
from evaluation.statebench.facts.scopes import DRAFT, HYPOTHETICAL
from evaluation.statebench.language.memo import memo
from evaluation.statebench.language.overlap import Need, OverlapIndex, Parts
from evaluation.statebench.language.values import Value, find_values
from evaluation.statebench.language.words import capitals, key_runs, runs, says, stem, stems, tokens

_VERSION = re.compile(r"_(?:v\d+|\d+|old|new|current|corrected|updated|fact|id)(?=_|$)", re.IGNORECASE)
_LOCATED = re.compile(
    r"\b(?:(?:is|are|based|kept|stored|lives?|sits?|stands?) (?:in|at|on)|(?:in|at|from) (?:the )?(?=[A-Z]))"
)
# "oven_2": a thing that is told from others of its kind by a number in its key.
_NUMBERED_KEY = re.compile(r"(?:^|_)(?P<noun>[a-z]+)_(?P<number>\d{1,3})(?=_|$)")
_TENTATIVE = re.compile(
    r"\b(?:thinking|leaning|considering|exploring|planning to|proposed|initial|estimate)\b"
)

_TIMED = frozenset(("time", "weekday", "date"))  # kinds of values that appointments have
_TIME_SENSITIVE = frozenset(
    stem(word)
    for word in (
        "price prices stock status schedule availability available rate balance temperature weather "
        "forecast count inventory level score "
        "traffic queue headcount progress state alert deadline"
    ).split()
)
# How people name what a kind of value measures: "moved the date" speaks of a slot that holds a date.
ATTRIBUTES: dict[str, frozenset[str]] = {
    "when": stems("date deadline time day timeline launch due schedule slot"),
    "time": stems("time slot hour schedule start"),
    "money": stems("price budget cost rate amount fee pricing quote total spend salary figure"),
    "percent": stems("discount rate percentage share margin figure"),
    "number": stems("quantity number count size amount headcount limit figure term length duration"),
}


GIVEN = float("-inf")  # when a slot was written that was there from the start
# Words of a key that say what is held and not of what: nobody says "the team size grew to 11".
ASPECTS = frozenset().union(*ATTRIBUTES.values()) | stems(
    "version status state name kind type value policy choice decision"
)
PLACES = stems(
    "address office location place venue site headquarters hq home room building city warehouse "
    "base seat desk branch"
)
PERSONS = stems(
    "owner lead contact reviewer manager assignee approver host speaker driver chair responsible "
    "sponsor author"
)
# Words by which no two things of one name are told apart: "office location" is "office address".
_GENERIC = ASPECTS | PLACES | PERSONS


@dataclass(frozen=True, slots=True)
class Wording:
    """What is read off a slot's key and value, once per text.

    `typed` are the values without codes, which name a thing and do not measure it.
    `symbolic` is true where the value holds more than typed values: a name, a choice, a description.
    """

    lowered: str
    values: tuple[Value, ...]
    typed: tuple[Value, ...]
    said: frozenset[tuple[str, str]]  # kind and canonical form of each value
    value_stems: frozenset[str]
    key_stems: frozenset[str]
    names: frozenset[str]  # of these, the ones that say of what something is held
    kinds: frozenset[str]  # of the values
    opening: tuple[str, ...]  # the first two words
    subject: frozenset[str]
    capitals: frozenset[str]
    tentative: bool
    status: bool
    symbolic: bool
    numbered: tuple[str, str] | None
    numbered_key: tuple[str, str] | None
    thing: tuple[str, str] | None
    located: bool


@lru_cache(maxsize=65536)
def wording(key: str, text: str) -> Wording:
    """The reading of a slot.

    Args:
        key: Its key.
        text: The value that it holds.

    Returns:
        Its values, stems and marks, by which rules recognise it.
    """
    values = find_values(text)
    key_stems = stems(_VERSION.sub("", key).replace("_", " "))
    value_stems = stems(text)
    return Wording(
        lowered=text.lower(),
        values=values,
        typed=tuple(value for value in values if value.kind != "code"),
        said=frozenset([value.form for value in values]),
        value_stems=value_stems,
        key_stems=key_stems,
        names=key_stems - ASPECTS,
        kinds=frozenset([value.kind for value in values]),
        opening=tokens(text.lower())[:2],
        subject=key_stems | _untyped(text),
        capitals=capitals(text),
        tentative=_is_tentative(text) or "draft" in key_stems,
        status="statu" in key_stems or "status" in key_stems or STATUS.search(text.lower()) is not None,
        symbolic=len(value_stems) > sum(len(stems(value.text)) for value in values),
        numbered=numbered(text.lower()),
        numbered_key=(match["noun"], match["number"]) if (match := _NUMBERED_KEY.search(key)) else None,
        thing=thing(text.lower()),
        located=_LOCATED.search(text) is not None,
    )


_marks = count(1)


@memo
def _mark(_: Hashable) -> int:
    """A number for what is equal. None is given twice, also after the memo was emptied."""
    return next(_marks)


class Former:
    """The different values that a slot held before, oldest first, and the `kinds` of what stands in them.

    They pass from slot to slot as one is put in another's place. Those that hold the same values have the same `mark`.
    """

    def __init__(self) -> None:
        self.kinds: set[str] = set()
        self.mark = 0
        self._texts: dict[str, str] = {}  # as they were, and in lower case
        self._said: OverlapIndex[_Said, _Said] = OverlapIndex(_needed, _offered)

    def add(self, text: str) -> None:
        """Add the value that the slot held last."""
        if text not in self._texts:
            self._texts[text] = lowered = text.lower()
            self.mark = _mark((self.mark, text))
            self._said.add((lowered, stems(text)))
            self.kinds.update([value.kind for value in find_values(text)])

    def __iter__(self) -> Iterator[str]:
        """The values as they were."""
        return iter(self._texts)

    def is_in(self, lowered: str) -> bool:
        """True where a text in lower case holds one of them."""
        return any(former in lowered for former in self._texts.values())

    def is_said(self, lowered: str, words: frozenset[str]) -> bool:
        """True where a text says one of them again, verbatim or by all its content words.

        Args:
            lowered: The text in lower case.
            words: The stems of its content words.
        """
        found = self._said.find((lowered, words))
        return any(held <= words or says(lowered, former) for former, held in found)


_Said = tuple[str, frozenset[str]]  # a text in lower case, and the stems of its content words


def _needed(former: _Said) -> list[Need]:
    """All its stems, or all that stands in it."""
    said = key_runs(former[0])
    return [(former[1], len(former[1])), (said, len(said))]


def _offered(said: _Said) -> Parts:
    return said[1] | runs(said[0])


@dataclass(slots=True, eq=False)
class Slot:
    """`subject` are stems that name the slot: its key, and what was said when it was filled.

    `is_spoken` is true where a statement filled it, `touched` grows with when it was spoken of last.
    """

    id: str
    key: str
    text: str
    level: Level
    order: int
    constraint: bool = False
    layer: str = "persistent_facts"
    written: float = GIVEN
    former: Former | None = None
    glossed: bool = False
    is_spoken: bool = False
    touched: int = 0
    _mark: int = 0
    wording: Wording = field(init=False)
    subject: frozenset[str] = field(init=False)
    tentative: bool = field(init=False)
    lowered: str = field(init=False)
    values: tuple[Value, ...] = field(init=False)
    key_stems: frozenset[str] = field(init=False)  # version suffixes of the key left out
    value_stems: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self.wording = read = wording(self.key, self.text)
        self.subject, self.tentative, self.lowered = read.subject, read.tentative, read.lowered
        self.values, self.key_stems, self.value_stems = read.values, read.key_stems, read.value_stems

    @property
    def mark(self) -> int:
        """Slots that a detector cannot tell apart have the same. It is kept until more is learned of the slot."""
        if not self._mark:
            former = 0 if self.former is None else self.former.mark
            read = (self.key, self.text, self.subject, former, self.level, self.order)
            self._mark = _mark((*read, self.constraint, self.glossed, self.is_spoken, self.tentative))
        return self._mark

    def gloss(self, turn: str) -> None:
        """Learn from the turn that filled the slot how people speak of it."""
        self.glossed = True
        self.tentative = self.tentative or _is_tentative(turn)
        self.call(_untyped(turn))

    def call(self, names: frozenset[str]) -> None:
        """Learn more stems that name the slot.

        Args:
            names: The stems.
        """
        self.subject |= names
        self._mark = 0

    def take_over(self, former: Former | None, text: str) -> None:
        """Take the place of a slot.

        Args:
            former: What that one held before, which passes over to this one.
            text: What it held last.
        """
        self.former = Former() if former is None else former
        self.former.add(text)
        self._mark = 0

    @property
    def is_bare(self) -> bool:
        """True where the slot holds a value and no sentence about itself ("$20", not "The fee is $20")."""
        return self.key_stems.isdisjoint(self.value_stems)

    def may_be_called(self, names: frozenset[str]) -> bool:
        """True where a subject may be what the slot is of: "the meeting time" of "meeting", not of "report time".

        What is said in passing beside a bare value is no name of it; a slot that holds a sentence has its words.

        Args:
            names: The stems of the subject.
        """
        if not self.is_bare:
            return not names.isdisjoint(self.subject)
        if _thing(names) <= self.key_stems | self.value_stems or _thing(self.key_stems) <= names:
            return not self.is_of_another(names)
        return False

    def is_of_another(self, names: frozenset[str], *, has_aspect: bool = False) -> bool:
        """True where a subject and the key each have words of their own: "front door" and "front wheel" are two things.

        Words that say what is held and not of what tell none apart: "office location" is "office address". Nor does
        another way to put it, which mostly takes more words: "the kitchen's last orders" for "kitchen close".

        Args:
            names: The stems of the subject.
            has_aspect: Whether both are the same of something: "wall colour", "team colour".
        """
        this, that = names - self.key_stems, self.key_stems - names
        if not (this and that and this.isdisjoint(self.value_stems)):
            return False
        return has_aspect or (len(this) == len(that) and not this | that <= _GENERIC)

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of values the slot holds or held."""
        held = self.wording.kinds
        return held if self.former is None else held | self.former.kinds

    @property
    def is_time_sensitive(self) -> bool:
        """True for prices, stock, status, schedules and the like, where the newer word counts."""
        return not self.subject.isdisjoint(_TIME_SENSITIVE)

    @property
    def changes_with_time(self) -> bool:
        """True where its key says so or it holds a time: a newer statement of the same is news."""
        timed = any(value.kind in _TIMED for value in self.values)
        return timed or not self.key_stems.isdisjoint(_TIME_SENSITIVE)

    @property
    def is_status(self) -> bool:
        """True where the slot holds a state of affairs and no typed value."""
        return self.wording.status

    def is_restated(self, lowered: str, values: tuple[Value, ...]) -> bool:
        """True where a text says again what the slot holds.

        Args:
            lowered: The text in lower case.
            values: The typed values in it.
        """
        if self.lowered in lowered and says(lowered, self.lowered):
            return True
        typed, said = self.wording.typed, self.wording.said
        if not typed:
            return False
        for value in values:
            if value.form in said:
                break
        else:
            return False
        return all(any(value.is_same(other) for other in values) for value in typed)

    def holds(self, value: Value) -> bool:
        """Whether one of the slot's values says the same."""
        return value.form in self.wording.said and any(value.is_same(held) for held in self.values)

    def counts(self, new: Value) -> bool:
        """True where the slot holds a value of the very unit of another."""
        return bool(new.unit) and any(held.unit == new.unit for held in self.values)

    def conflicting(self, values: tuple[Value, ...], *, loosely: bool) -> Value | None:
        """The first value that fills a place of the slot differently.

        Args:
            values: Typed values, in the order of the text.
            loosely: Whether a bare number may have any unit.

        Returns:
            The value; None where none does.
        """
        for value in values:
            for held in self.values:
                if value.conflicts(held, loosely=loosely):
                    return value
        return None


def _thing(names: frozenset[str]) -> frozenset[str]:
    """The words of a key that say of what something is held, where it has such words."""
    return names - ASPECTS or names


@memo
def _untyped(text: str) -> frozenset[str]:
    """Content stems of a text outside its typed values."""
    for value in find_values(text):
        text = text.replace(value.text, " ", 1) if not value.unit else text.replace(value.text, value.unit, 1)
    return stems(text)


@memo
def _is_tentative(text: str) -> bool:
    return turn_scope(text) in (DRAFT, HYPOTHETICAL) or _TENTATIVE.search(text.lower()) is not None
