"""A slot: a part of the state with one value, which a turn may replace."""

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
# "oven_2": a thing distinguished by a number in its key.
_NUMBERED_KEY = re.compile(r"(?:^|_)(?P<noun>[a-z]+)_(?P<number>\d{1,3})(?=_|$)")
_TENTATIVE = re.compile(
    r"\b(?:thinking|leaning|considering|exploring|planning to|proposed|initial|estimate)\b"
)

_TIMED = frozenset(("time", "weekday", "date"))  # kinds of values of appointments
_TIME_SENSITIVE = frozenset(
    stem(word)
    for word in (
        "price prices stock status schedule availability available rate balance temperature weather "
        "forecast count inventory level score "
        "traffic queue headcount progress state alert deadline"
    ).split()
)
# Kind of value -> names of what it measures: "moved the date" refers to a slot with a date.
ATTRIBUTES: dict[str, frozenset[str]] = {
    "when": stems("date deadline time day timeline launch due schedule slot"),
    "time": stems("time slot hour schedule start"),
    "money": stems("price budget cost rate amount fee pricing quote total spend salary figure"),
    "percent": stems("discount rate percentage share margin figure"),
    "number": stems("quantity number count size amount headcount limit figure term length duration"),
}


GIVEN = float("-inf")  # time of slots of the initial state
# Words of a key for the attribute rather than its thing; people often leave them out: "the team grew to 11".
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
# Words that do not distinguish two things: "office location" is "office address".
_GENERIC = ASPECTS | PLACES | PERSONS


@dataclass(frozen=True, slots=True)
class Wording:
    """Properties of the text of a slot's key and value, computed once per text.

    `typed` are the values that measure something, so codes are left out. `symbolic` is True if the text has words
    besides its values, such as a name or a description.
    """

    lowered: str
    values: tuple[Value, ...]
    typed: tuple[Value, ...]
    said: frozenset[tuple[str, str]]  # kind and canonical form of each value
    value_stems: frozenset[str]
    key_stems: frozenset[str]
    names: frozenset[str]  # those of `key_stems` that name the thing rather than an attribute
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
    """Return a number for an object. Two objects with the same number are equal."""
    return next(_marks)


class Former:
    """The former values of a slot, oldest first. Equal collections have the same number `mark`."""

    def __init__(self) -> None:
        self.kinds: set[str] = set()
        self.mark = 0
        self._texts: dict[str, str] = {}  # text -> lower case
        self._said: OverlapIndex[_Said, _Said] = OverlapIndex(_needed, _offered)

    def add(self, text: str) -> None:
        if text not in self._texts:
            self._texts[text] = lowered = text.lower()
            self.mark = _mark((self.mark, text))
            self._said.add((lowered, stems(text)))
            self.kinds.update([value.kind for value in find_values(text)])

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def is_in(self, lowered: str) -> bool:
        return any(former in lowered for former in self._texts.values())

    def is_said(self, lowered: str, words: frozenset[str]) -> bool:
        """True if a lower-case text repeats a former value verbatim, or if `words` has all stems of a former value."""
        found = self._said.find((lowered, words))
        return any(held <= words or says(lowered, former) for former, held in found)


_Said = tuple[str, frozenset[str]]  # text in lower case, stems of its content words


def _needed(former: _Said) -> list[Need]:
    """Return two sets of parts (stems, character runs). A text repeats the value only if it has one set in full."""
    said = key_runs(former[0])
    return [(former[1], len(former[1])), (said, len(said))]


def _offered(said: _Said) -> Parts:
    return said[1] | runs(said[0])


@dataclass(slots=True, eq=False)
class Slot:
    """A part of the state. `subject`: stems of words for the slot. `touched`: sequence number of the last mention."""

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
        """Return a number that is equal for slots which a detector cannot distinguish."""
        # Cached until more is learned about the slot.
        if not self._mark:
            former = 0 if self.former is None else self.former.mark
            read = (self.key, self.text, self.subject, former, self.level, self.order)
            self._mark = _mark((*read, self.constraint, self.glossed, self.is_spoken, self.tentative))
        return self._mark

    def gloss(self, turn: str) -> None:
        """Add words that refer to the slot: the words of `turn`, from which the slot got its value."""
        self.glossed = True
        self.tentative = self.tentative or _is_tentative(turn)
        self.call(_untyped(turn))

    def call(self, names: frozenset[str]) -> None:
        self.subject |= names
        self._mark = 0

    def take_over(self, former: Former | None, text: str) -> None:
        """Inherit the former values of a replaced slot, and add the last value `text` of that slot."""
        self.former = Former() if former is None else former
        self.former.add(text)
        self._mark = 0

    @property
    def is_bare(self) -> bool:
        """True if the text is a bare value rather than a sentence ("$20", not "The fee is $20")."""
        return self.key_stems.isdisjoint(self.value_stems)

    def may_be_called(self, names: frozenset[str]) -> bool:
        """True if a subject may mean the slot: "the meeting time" may mean the slot "meeting"."""
        if not self.is_bare:
            return not names.isdisjoint(self.subject)
        if _thing(names) <= self.key_stems | self.value_stems or _thing(self.key_stems) <= names:
            return not self.is_of_another(names)
        return False

    def is_of_another(self, names: frozenset[str], *, has_aspect: bool = False) -> bool:
        """True if a subject and the slot's key name different things ("front door", "back door").

        `has_aspect`: both have the same attribute, such as "location". One different word on each side is then enough.
        Otherwise a difference only in attribute words does not count, nor one in the number of words, which paraphrases
        have ("the kitchen's last orders" for "kitchen close").
        """
        this, that = names - self.key_stems, self.key_stems - names
        if not (this and that and this.isdisjoint(self.value_stems)):
            return False
        return has_aspect or (len(this) == len(that) and not this | that <= _GENERIC)

    @property
    def kinds(self) -> frozenset[str]:
        held = self.wording.kinds
        return held if self.former is None else held | self.former.kinds

    @property
    def is_time_sensitive(self) -> bool:
        """True for prices, stock, status, schedules and the like, whose values change with time."""
        return not self.subject.isdisjoint(_TIME_SENSITIVE)

    @property
    def changes_with_time(self) -> bool:
        """True if a newer statement of the same fact is news: its key is time-sensitive, or its value is a time."""
        timed = any(value.kind in _TIMED for value in self.values)
        return timed or not self.key_stems.isdisjoint(_TIME_SENSITIVE)

    @property
    def is_status(self) -> bool:
        """True if the key or the text is about a state of affairs, such as "delayed" or "approved"."""
        return self.wording.status

    def is_restated(self, lowered: str, values: tuple[Value, ...]) -> bool:
        """True if a lower-case text with these typed values repeats the value of the slot."""
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
        return value.form in self.wording.said and any(value.is_same(held) for held in self.values)

    def counts(self, new: Value) -> bool:
        return bool(new.unit) and any(held.unit == new.unit for held in self.values)

    def conflicting(self, values: tuple[Value, ...], *, loosely: bool) -> Value | None:
        """Return the first of the values that contradicts the slot, else None. `loosely`: see `Value.conflicts`."""
        for value in values:
            for held in self.values:
                if value.conflicts(held, loosely=loosely):
                    return value
        return None


def _thing(names: frozenset[str]) -> frozenset[str]:
    return names - ASPECTS or names


@memo
def _untyped(text: str) -> frozenset[str]:
    for value in find_values(text):
        text = text.replace(value.text, " ", 1) if not value.unit else text.replace(value.text, value.unit, 1)
    return stems(text)


@memo
def _is_tentative(text: str) -> bool:
    return turn_scope(text) in (DRAFT, HYPOTHETICAL) or _TENTATIVE.search(text.lower()) is not None
