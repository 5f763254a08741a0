"""Reads how a response states each phrase (affirmed, denied …), and its decisions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import IntEnum, auto
from typing import NamedTuple

from evaluation.statebench.grading.affirmed.marks import COMPARES, DECIDING, Kind, Mark, marks


class Force(IntEnum):
    """Ways of stating a phrase. AFFIRMED counts; PAST and REPORTED count only if no other phrase is affirmed."""

    AFFIRMED = auto()
    PAST = auto()  # "it was X"
    REPORTED = auto()  # "he said X"
    DENIED = auto()
    OPEN = auto()
    FORMER = auto()
    CLAIMED = auto()
    SUPPOSED = auto()
    ASKED = auto()
    ENDED = auto()
    ASIDE = auto()
    RETRACTED = auto()


#: Forces that count unless another phrase is affirmed.
YIELDS = frozenset({Force.PAST, Force.REPORTED})
_FORWARD: dict[Kind, Force] = {
    Kind.DENIES: Force.DENIED,
    Kind.OPENS: Force.OPEN,
    Kind.DATES: Force.FORMER,
    Kind.WAS: Force.PAST,
    Kind.REPORTS: Force.REPORTED,
    Kind.CLAIMS: Force.CLAIMED,
    Kind.SUPPOSES: Force.SUPPOSED,
}
#: Marks that do not override another one: "nothing says that it was …".
_MILD = frozenset({Kind.WAS, Kind.REPORTS})
#: Adverbs that may follow their phrase: "$5 originally".
_BACKWARD = frozenset({Kind.DENIES, Kind.OPENS, Kind.DATES, Kind.CLAIMS})
#: Keys from here on belong to quantities that contradict a phrase.
RIVALS = 1_000
_OPENING = 8  # characters before a word that still opens the sentence: "And if …"
_SOON = 24  # characters between "so" and its conclusion
_NEAR = 14  # characters between a preposition and the phrase it sets aside: "from the old $5"
_LIST = re.compile(r",(?:[^,.;:!?¶]{1,30},){0,5}[^,.;:!?¶]{0,30}\b(?:or|nor)\b")
_ACT = re.compile(r"\w+(?:tion|al|freeze|ban)\b")
_BETWEEN = re.compile(r",(?: (?:is|was|has))? ?")
_TAG = re.compile(
    r"(?:right|correct|ok|okay|yes|no|(?:is|does|has|was|are|do) (?:not )?(?:it|they|he|she|that))\Z"
)
_SHORT_OTHER = re.compile(r" (?:on |in |at |by )?[^\s,.;:!?¶]+(?: [^\s,.;:!?¶]+)?\s*(?:[.,;:!?¶]|$)")
_JOINED = re.compile(r"\s*(?:on |in |at |by |the |maybe |perhaps )?\Z")


class Span(NamedTuple):
    """Start and end of a phrase found in a text, as character offsets. `key` identifies the phrase."""

    start: int
    end: int
    key: int


@dataclass(slots=True)
class Item:
    start: int
    end: int
    key: int
    force: Force
    decides: Kind | None = None
    clause: int = 0


@dataclass(slots=True)
class _Clause:
    force: Force = Force.AFFIRMED
    held: bool = False  # the force outlives commas
    items: list[Item] = field(default_factory=list)
    denied: bool = False  # decisions only, as in "does not exceed", which denies no number
    trailing: tuple[Force, int] | None = None  # force of an adverb, number of items before it


class Correction(NamedTuple):
    """Position of a correction. Phrases before it are retracted if another phrase is affirmed after it."""

    at: int
    since: int = 0  # earliest position retracted
    decides: bool = True  # retracts decisions too


@dataclass(slots=True)
class Reading:
    items: list[Item]
    corrections: list[Correction]
    contrasts: list[int]
    asks: bool = False

    def phrases(self) -> list[Item]:
        return [item for item in self.items if item.decides is None]


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.reading = Reading([], [], [])
        self.clause = _Clause()
        self.sentence: list[Item] = []
        self.begun = 0  # start of the sentence
        self.outer: list[_Clause] = []
        self.concluded = -1  # position of a concluding word
        self.aside = -1  # end of a preposition that sets the next phrase aside
        self.number = 0
        self.disjunctions: list[Mark] = []

    def span(self, span: Span) -> None:
        near = self.aside >= 0 and span.start - self.aside <= _NEAR
        self._add(Item(*span, Force.ASIDE if near else self.clause.force))
        if self.concluded >= 0 and span.key < RIVALS and span.start - self.concluded <= _SOON:
            self.reading.corrections.append(Correction(self.concluded))
        self.aside = self.concluded = -1

    def mark(self, mark: Mark) -> None:
        for kind in mark.kinds:
            if kind in DECIDING:
                force = Force.DENIED if self.clause.denied else self.clause.force
                self._add(Item(mark.start, mark.end, -1, force, kind))
            elif kind in _FORWARD:
                self._forward(kind, mark)
            else:
                _STEPS[kind](self, mark)

    def _add(self, item: Item) -> None:
        item.clause = self.number
        self.reading.items.append(item)
        self.clause.items.append(item)
        self.sentence.append(item)

    def _forward(self, kind: Kind, mark: Mark) -> None:
        clause = self.clause
        if kind is Kind.DENIES and COMPARES.match(self.text, mark.end):
            clause.denied = True
            return
        if clause.held or (kind in _MILD and clause.force is not Force.AFFIRMED):
            return
        clause.force = _FORWARD[kind]
        if kind is Kind.SUPPOSES:
            clause.held = mark.start - self.begun <= _OPENING
        if kind in _BACKWARD:
            clause.trailing = clause.force, len(clause.items)

    def end_clause(self, *, keeps: bool = False) -> None:
        """End a clause. An adverb at its end applies to earlier phrases. `keeps`: the next clause keeps the `force`."""
        clause = self.clause
        if clause.trailing is not None:
            force, before = clause.trailing
            if not any(item.decides is None for item in clause.items[before:]):
                for item in clause.items[:before]:
                    if item.decides is None and item.force in (Force.AFFIRMED, Force.PAST, Force.REPORTED):
                        item.force = force
        self.clause = _Clause(clause.force, clause.held) if keeps or clause.held else _Clause()
        self.aside = -1
        self.number += 1

    def comma(self, mark: Mark) -> None:
        clause = self.clause
        if self.text.endswith(" and not", 0, mark.start):  # "and not, as was planned, on Tuesday"
            clause.held, clause.trailing = True, None
            return
        listed = (
            clause.force in (Force.DENIED, Force.OPEN)
            and clause.items
            and clause.items[-1].end == mark.start
            and _LIST.match(self.text, mark.start)
        )
        self.end_clause(keeps=bool(listed))

    def stop(self, mark: Mark) -> None:
        sign = self.text[mark.start]
        keeps = sign == ":" and not self.sentence and self.clause.force is not Force.DENIED
        self.end_clause(keeps=keeps)
        if not keeps:
            self.clause, self.sentence, self.begun, self.outer = _Clause(), [], mark.end, []

    def ask(self, mark: Mark) -> None:
        tail = self.text[self.begun : mark.start].rpartition(",")
        self.end_clause()
        if not (tail[1] and _TAG.match(tail[2].strip())):
            self.reading.asks = True
            for item in self.sentence:
                item.force = Force.ASKED
        self.stop(mark)

    def open(self, mark: Mark) -> None:
        self.outer.append(self.clause)
        self.clause = _Clause()

    def close(self, mark: Mark) -> None:
        self.end_clause()
        if self.outer:
            self.clause = self.outer.pop()

    def but(self, mark: Mark) -> None:
        self.clause.held = False
        self.end_clause()
        self.reading.contrasts.append(mark.start)

    def and_(self, mark: Mark) -> None:
        self.end_clause()

    def now(self, mark: Mark) -> None:
        self.reading.contrasts.append(mark.start)
        if not self.clause.held:
            self.clause.force = Force.AFFIRMED

    def to(self, mark: Mark) -> None:
        if self.clause.force is Force.PAST:
            self.clause.force = Force.AFFIRMED

    def ends(self, mark: Mark) -> None:
        if self.clause.force is not Force.DENIED and not self.clause.denied:
            before = [item for item in self.clause.items if item.start < mark.start]
            if not before and (apposed := self._apposed(mark)):
                before = [apposed]
            if not before:
                self.reading.corrections.append(Correction(mark.start, self.begun, decides=False))
            if any(item.decides is Kind.NOT_SO and _ACT.match(self.text, item.start) for item in before):
                self._turn(mark)
            for item in before:
                item.force = Force.ENDED
            if not self.clause.held:
                self.clause.force = Force.AFFIRMED

    def _apposed(self, mark: Mark) -> Item | None:
        """Return the phrase between commas before a mark: "the old day, Tuesday, is over"."""
        last = self.sentence[-1] if self.sentence else None
        return last if last and _BETWEEN.fullmatch(self.text[last.end : mark.start]) else None

    def _turn(self, mark: Mark) -> None:
        """Deny a decision that is the subject of a reversal: "the cancellation was reversed"."""
        for item in self.clause.items:
            if item.start == mark.start and item.decides is not None:
                item.force = Force.DENIED

    def corrects(self, mark: Mark) -> None:
        self.end_clause()
        self.reading.corrections.append(Correction(mark.start))

    def concludes(self, mark: Mark) -> None:
        self.end_clause()
        self.concluded = mark.start

    def sum(self, mark: Mark) -> None:
        for item in self.clause.items[-1:]:
            if self.text[item.end : mark.start].strip() == "":
                item.force = Force.ASIDE
        if self.text[mark.start] != "=":
            self.aside = mark.end

    def takes(self, mark: Mark) -> None:
        starts = [item.start for item in self.clause.items if item.decides is None]
        self.reading.corrections.append(Correction(min(starts, default=mark.start)))

    def put_aside(self, mark: Mark) -> None:
        self.aside = mark.end

    def either(self, mark: Mark) -> None:
        self.disjunctions.append(mark)

    def finish(self) -> Reading:
        self.end_clause()
        for mark in self.disjunctions:
            self._leave_open(mark)
        return self.reading

    def _leave_open(self, mark: Mark) -> None:
        """Mark phrases that are joined by "or" as undecided (`Force.OPEN`)."""
        phrases = self.reading.phrases()
        before = [
            item
            for item in phrases
            if item.end <= mark.start and _JOINED.match(self.text[item.end : mark.start])
        ]
        after = [
            item
            for item in phrases
            if mark.end <= item.start and _JOINED.match(self.text[mark.end : item.start])
        ]
        if not (before and after) and not (before and _SHORT_OTHER.match(self.text, mark.end)):
            before = []
        for item in (*before, *after):
            if item.force in (Force.AFFIRMED, *YIELDS):
                item.force = Force.OPEN


_STEPS: dict[Kind, Callable[[_Reader, Mark], None]] = {
    Kind.COMMA: _Reader.comma,
    Kind.STOP: _Reader.stop,
    Kind.ASK: _Reader.ask,
    Kind.OPEN: _Reader.open,
    Kind.CLOSE: _Reader.close,
    Kind.BUT: _Reader.but,
    Kind.AND: _Reader.and_,
    Kind.NOW: _Reader.now,
    Kind.TO: _Reader.to,
    Kind.ENDS: _Reader.ends,
    Kind.TURNS: _Reader.ends,
    Kind.CORRECTS: _Reader.corrects,
    Kind.CONCLUDES: _Reader.concludes,
    Kind.SUM: _Reader.sum,
    Kind.TAKES: _Reader.takes,
    Kind.ASIDE: _Reader.put_aside,
    Kind.OR: _Reader.either,
}


def read(text: str, spans: Iterable[Span]) -> Reading:
    """Read how a `plain.plain` text states the phrases at `spans` (in order), and which decision it states."""
    reader = _Reader(text)
    waiting = list(spans)
    at = 0
    for mark in marks(text):
        while at < len(waiting) and waiting[at].start <= mark.start:
            reader.span(waiting[at])
            at += 1
        reader.mark(mark)
    for span in waiting[at:]:
        reader.span(span)
    return settle(reader.finish())


def settle(reading: Reading) -> Reading:
    """Retract the phrases before a correction if another phrase is affirmed after it. The same holds for decisions."""
    for at, since, decides in reading.corrections:
        for sort in (False, True) if decides else (False,):
            items = [item for item in reading.items if (item.decides is not None) is sort]
            later = {item.key for item in items if item.start >= at and item.force is Force.AFFIRMED}
            for item in items:
                if since <= item.start < at and (later - {item.key} or (sort and later)):
                    item.force = Force.RETRACTED
    return reading
