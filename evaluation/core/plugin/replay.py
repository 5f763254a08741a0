"""A row as a timeline: lanes, values over time, and marks. A suite makes it; a site draws it.

Everything is derived from the row. Spans, arrows, `gold` and `stale` reveal answers (see `Replay.without_state`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from evaluation.core.records import GradingRecord, Row, RowGold, Verdict

#: Role of a lane: asked about, easily mistaken for it, or other.
ASKED, RIVAL, OTHER = "asked", "rival", "other"


class Mark(NamedTuple):
    """An event in the text. `value` is None if the event states no value."""

    at: int
    kind: str  # name of a `MarkKind`
    line: int  # of `Replay.lines`, from 1
    value: str | None = None
    uid: str = ""  # citation id


class Span(NamedTuple):
    """A value that was valid from `start` until `end`. If `end` is None, it was valid until the end of the text."""

    start: int
    end: int | None
    value: str


class Arrow(NamedTuple):
    """An arrow from a value written at `start` in `lane` to its replacement, written at `end` in `to_lane`."""

    lane: str
    start: int
    to_lane: str
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class MarkKind:
    """A kind of mark: label in the legend, meaning, and look."""

    name: str
    label: str
    help: str
    look: str  # write | clear | hollow | claim | order | faint | ask


@dataclass(frozen=True, slots=True)
class Lane:
    """The events of one key, fact or speaker over the whole text."""

    name: str
    role: str
    marks: Sequence[Mark]
    spans: Sequence[Span] = ()

    def value_at(self, place: int) -> str | None:
        """The valid value after the events at axis position `place`. Returns None if no value is valid at that time."""
        number = bisect_right(self.spans, place, key=lambda span: span.start) - 1
        if number < 0:
            return None
        span = self.spans[number]
        return span.value if span.end is None or place < span.end else None

    def next_write(self, mark: Mark) -> Mark | None:
        """The first write after `mark`, which replaced the value of `mark`. Returns None if the value stayed valid."""
        return next((each for each in self.writes if (each.at, each.line) > (mark.at, mark.line)), None)

    @property
    def writes(self) -> list[Mark]:
        """The marks that change the value, in axis order."""
        return sorted(
            (mark for mark in self.marks if mark.kind in WRITES), key=lambda mark: (mark.at, mark.line)
        )


#: Kinds of marks that change a lane's value, the same names in every suite.
WRITES = frozenset({"update", "clear"})


@dataclass(frozen=True, slots=True)
class Replay:
    """A row as a timeline, the most relevant lanes first."""

    lanes: Sequence[Lane]
    kinds: Sequence[MarkKind]  # of its marks, in legend order
    axis: str  # noun for a position of the axis: "step"
    first: int
    last: int
    text_title: str
    lines: Sequence[str]  # the text, line by line
    note: str = ""  # remark on how the text was read, in a sentence
    arrows: Sequence[Arrow] = ()
    gold: Collection[int] = frozenset()  # lines that establish the right answer
    stale: Collection[int] = frozenset()  # lines about the asked thing that are outdated
    has_state: bool = True  # spans are filled in
    ordered: bool = False  # the order of `lines` is part of the question, as for candidates
    by_uid: Mapping[str, tuple[Lane, Mark]] = field(default_factory=dict)

    def without_state(self) -> Replay:
        """A copy without spans, arrows, gold and stale lines: only what the text itself shows."""
        bare = {lane.name: replace(lane, spans=()) for lane in self.lanes}
        return replace(
            self,
            lanes=tuple(bare.values()),
            arrows=(),
            gold=frozenset(),
            stale=frozenset(),
            has_state=False,
            by_uid={uid: (bare[lane.name], mark) for uid, (lane, mark) in self.by_uid.items()},
        )

    @property
    def asked(self) -> list[Lane]:
        """The lanes that the question is about."""
        return [lane for lane in self.lanes if lane.role == ASKED]

    @property
    def line_asked(self) -> int:
        """The line to scroll to: the last mark of an asked lane, or the first line if no asked lane has a mark."""
        marks = [mark for lane in self.asked for mark in lane.marks]
        return max((mark.line for mark in marks), default=1)


class Account(NamedTuple):
    """Explanation of the grading of one answer: a sentence and the lines that it mentions."""

    sentence: str
    lines: tuple[int, ...] = ()  # of `Replay.lines`: cited or chosen by the answer


class ContextShown(NamedTuple):
    """A context that one memory strategy builds for a row."""

    title: str
    text: str
    note: str  # its size and whether it holds the answer, in a sentence


def indexed(lanes: Sequence[Lane]) -> dict[str, tuple[Lane, Mark]]:
    """Index all marks that have a uid: uid -> (lane, mark). Of several marks with one uid, the last one counts."""
    return {mark.uid: (lane, mark) for lane in lanes for mark in lane.marks if mark.uid}


def spans_of(writes: Sequence[Mark]) -> list[Span]:
    """Turn marks, in order of effect, into spans of values. A mark without value ends the current span."""
    spans: list[Span] = []
    for number, mark in enumerate(writes):
        end = writes[number + 1].at if number + 1 < len(writes) else None
        # of several marks at one position the last counts
        if mark.value is not None and end != mark.at:
            spans.append(Span(mark.at, end, mark.value))
    return spans


class RowReplays:
    """Base class for the timelines of a suite's rows. A suite that overrides no method has no timelines."""

    def replay(self, row: Row, row_id: str, *, state: bool = True) -> Replay | None:
        """The timeline of a question, or None if there is none. `state=False` leaves out what reveals answers."""
        return None

    def account(self, row: Row, seen: Replay | None, verdict: Verdict) -> Account:
        """Explain the grading of an answer, for readers who may see the answers of the version."""
        return Account(str(verdict.get("reason") or "") or ("right" if verdict.get("correct") else "wrong"))

    def answers(self, record: GradingRecord) -> Iterable[tuple[str, RowGold]]:
        """Yield (row id, gold of the row) for each row of a grading record. `with_answer` adds the gold to a row."""
        return ()

    def with_answer(self, row: Row, answer: RowGold) -> Row:
        """Add the gold from `answers` to a public row."""
        raise NotImplementedError("a suite that defines `answers` must define `with_answer`")

    def row_labels(self, row: Row) -> Mapping[str, str]:
        """Labels to filter rows by: kind of label -> label."""
        return {}

    def contexts(self, row: Row, row_id: str) -> Sequence[ContextShown]:
        """The contexts that memory strategies build for a row."""
        return ()
