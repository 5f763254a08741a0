"""What a row is, as a timeline: lanes, what held in them, and marks. A suite fills it in; a site draws it by kind.

Everything here follows from the row that it was made of. What only its gold says is `gold`; what a reading of the lines
gives away, spans, arrows and what is stale, can be left out (`Replay.without_state`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from evaluation.core.records import GradingRecord, Row, RowGold, Verdict

#: What a lane is to the question: what it asks about, what may be mistaken for that, and all others.
ASKED, RIVAL, OTHER = "asked", "rival", "other"


class Mark(NamedTuple):
    """Something that the text says at one place of the axis. `value` is None where it states none."""

    at: int
    kind: str  # the name of a `MarkKind`
    line: int  # of `Replay.lines`, from 1
    value: str | None = None
    uid: str = ""  # by which an answer may cite it


class Span(NamedTuple):
    """What held from one place of the axis on. `end` is None where it held to the end."""

    start: int
    end: int | None
    value: str


class Arrow(NamedTuple):
    """One thing takes the place of another."""

    lane: str
    start: int
    to_lane: str
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class MarkKind:
    """A kind of marks: its word in the legend, what it means, and how it is drawn."""

    name: str
    label: str
    help: str
    look: str  # write | clear | hollow | claim | order | faint | ask: what a site has a form and a colour for


@dataclass(frozen=True, slots=True)
class Lane:
    """One key, fact or speaker over the whole text."""

    name: str
    role: str
    marks: Sequence[Mark]
    spans: Sequence[Span] = ()

    def value_at(self, place: int) -> str | None:
        """What held at a place of the axis, after what the text says there; None for nothing.

        Args:
            place: The step or event.
        """
        number = bisect_right(self.spans, place, key=lambda span: span.start) - 1
        if number < 0:
            return None
        span = self.spans[number]
        return span.value if span.end is None or place < span.end else None

    def next_write(self, mark: Mark) -> Mark | None:
        """The first mark after this one that ended what it wrote; None where it holds to the end.

        Args:
            mark: One of `marks`.
        """
        return next((each for each in self.writes if (each.at, each.line) > (mark.at, mark.line)), None)

    @property
    def writes(self) -> list[Mark]:
        """The marks that changed what holds, in the order of the axis."""
        return sorted(
            (mark for mark in self.marks if mark.kind in WRITES), key=lambda mark: (mark.at, mark.line)
        )


#: The kinds of marks that change what a lane holds. Every suite names them so.
WRITES = frozenset({"update", "clear"})


@dataclass(frozen=True, slots=True)
class Replay:
    """A row as a timeline, the lanes that matter first."""

    lanes: Sequence[Lane]
    kinds: Sequence[MarkKind]  # those of its marks, in the order of a legend
    axis: str  # what a place of the axis is, in one word: "step"
    first: int
    last: int
    text_title: str
    lines: Sequence[str]  # the text, line by line
    note: str = ""  # what a reader has to know of how it was read, in a sentence
    arrows: Sequence[Arrow] = ()
    gold: Collection[int] = frozenset()  # the lines that establish the right answer
    stale: Collection[int] = frozenset()  # lines about what is asked that held once
    has_state: bool = True  # whether spans say what held
    ordered: bool = False  # whether the order of `lines` is part of the question, as that of candidates is
    by_uid: Mapping[str, tuple[Lane, Mark]] = field(default_factory=dict)

    def without_state(self) -> Replay:
        """The same as the text alone has it: nothing that says what held, what is right or what is stale."""
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
        """The line at which to open the text: of the last mark of what is asked, else the first one."""
        marks = [mark for lane in self.asked for mark in lane.marks]
        return max((mark.line for mark in marks), default=1)


class Account(NamedTuple):
    """What came of one answer, for a reader of its row: a sentence, and the lines that it is about."""

    sentence: str
    lines: tuple[int, ...] = ()  # of `Replay.lines`: what the answer cites or chose


class ContextShown(NamedTuple):
    """What one way to build a context holds when a row asks."""

    title: str
    text: str
    note: str  # its size, and what of the right answer it holds, in a sentence


def indexed(lanes: Sequence[Lane]) -> dict[str, tuple[Lane, Mark]]:
    """The marks that have an id, by it; of several with one id the last.

    Args:
        lanes: Of a replay.
    """
    return {mark.uid: (lane, mark) for lane in lanes for mark in lane.marks if mark.uid}


def spans_of(writes: Sequence[Mark]) -> list[Span]:
    """What held, from the marks that change it.

    Args:
        writes: In the order in which they take effect; one without a value ends what held.

    Returns:
        The spans; of several marks at one place the last holds.
    """
    spans: list[Span] = []
    for number, mark in enumerate(writes):
        end = writes[number + 1].at if number + 1 < len(writes) else None
        if mark.value is not None and end != mark.at:
            spans.append(Span(mark.at, end, mark.value))
    return spans


class RowReplays:
    """How a suite shows its rows as timelines. The defaults show none: a row is its text."""

    def replay(self, row: Row, row_id: str, *, state: bool = True) -> Replay | None:
        """A row as a timeline.

        Args:
            row: Public, or with gold.
            row_id: Of the question that is looked at: a row may ask several.
            state: Whether to say what held; else only what the text says where, as on a version that keeps its answers.

        Returns:
            The timeline; None of a row that shows nothing of the kind.
        """
        return None

    def account(self, row: Row, seen: Replay | None, verdict: Verdict) -> Account:
        """What came of an answer, for readers who may see the answers of its version.

        Args:
            row: That was answered, with its gold where it is known.
            seen: The row as a timeline, with what held, where there is one.
            verdict: Complete, as a grading makes it.
        """
        return Account(str(verdict.get("reason") or "") or ("right" if verdict.get("correct") else "wrong"))

    def answers(self, record: GradingRecord) -> Iterable[tuple[str, RowGold]]:
        """What a grading record says of each of its rows: (row id, what `with_answer` takes).

        Args:
            record: Of a unit.
        """
        return ()

    def with_answer(self, row: Row, answer: RowGold) -> Row:
        """A public row with its gold.

        Args:
            row: The row.
            answer: What `answers` says of it.
        """
        raise NotImplementedError("a suite that has `answers` has `with_answer`")

    def row_labels(self, row: Row) -> Mapping[str, str]:
        """What rows can be chosen by, as far as a row says it: what a label is of -> the label.

        Args:
            row: Public, or with gold.
        """
        return {}

    def contexts(self, row: Row, row_id: str) -> Sequence[ContextShown]:
        """What each way to build a context holds when a row asks.

        Args:
            row: Public, or with gold.
            row_id: Of the question.
        """
        return ()
