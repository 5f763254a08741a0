"""Positions of the marks, spans and arrows of a drawn timeline, in percent of the axis."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from evaluation.core.plugin.replay import ASKED, OTHER, WRITES, Lane, Mark, Replay

#: Distinct places along the axis: one per 4 of 850 pixels; a mark is 7 wide.
PLACES = 220
#: Above this number (half of what fits side by side), marks of a lane that change nothing are drawn as strokes.
CROWD = PLACES // 2
#: Extension of the axis beyond its last place, as a share, to show the last values.
TAIL = 0.02
#: Most other lanes drawn on request.
MOST_OTHERS = 60
#: Maximum number of places to jump to.
MOST_PLACES = 2000


@dataclass(frozen=True, slots=True)
class DrawnMark:
    """A mark to draw on a timeline. `role` is "gold", "cited", "stale" or ""."""

    x: str
    look: str
    role: str
    tip: str
    at: int
    line: int
    is_stroke: bool = False  # too many in the lane for shapes


@dataclass(frozen=True, slots=True)
class DrawnSpan:
    """An interval of the timeline in which a value is valid."""

    x: str
    width: str
    tip: str
    is_last: bool


@dataclass(frozen=True, slots=True)
class DrawnArrow:
    """An arrow from a replaced fact to the new fact. `is_across` is True if they are in different lanes."""

    start: str
    end: str
    tip: str
    is_across: bool


@dataclass(frozen=True, slots=True)
class DrawnLane:
    """A lane of the timeline. `value` is the value at the current step, `changes` are all [[step, value], …]."""

    name: str
    role: str
    marks: Sequence[DrawnMark]
    spans: Sequence[DrawnSpan]
    arrows: Sequence[DrawnArrow]
    value: str | None
    changes: Sequence[Sequence[int | str | None]]


@dataclass(frozen=True, slots=True)
class Picture:
    lanes: Sequence[DrawnLane]
    ticks: Sequence[tuple[str, int]]
    now: str  # position of the step
    end: float  # end of the axis, beyond the last place
    previous: int | None  # marked places next to the step
    following: int | None
    places: Sequence[int]  # places where the asked lanes change

    @property
    def has_strokes(self) -> bool:
        return any(mark.is_stroke for lane in self.lanes for mark in lane.marks)


def picture(
    seen: Replay, lanes: Sequence[Lane], *, step: int, cited: Collection[int] = frozenset(), gold: bool = True
) -> Picture:
    """Draw lanes of a timeline at `step`. If `gold` is False, neither the evidence nor `cited` lines are marked."""
    drawer = _Drawer(seen, cited if gold else frozenset(), seen.gold if gold else frozenset())
    places = _places(lanes)
    return Picture(
        lanes=[drawer.lane(lane, step) for lane in lanes],
        ticks=[(drawer.x(tick), tick) for tick in ticks(seen.first, seen.last)],
        now=drawer.x(step),
        end=drawer.end,
        previous=max((place for place in places if place < step), default=None),
        following=min((place for place in places if place > step), default=None),
        places=places,
    )


def _places(lanes: Sequence[Lane]) -> list[int]:
    asked = [lane for lane in lanes if lane.role == ASKED] or lanes
    return sorted({mark.at for lane in asked for mark in lane.writes or lane.marks})[:MOST_PLACES]


class _Drawer:
    def __init__(self, seen: Replay, cited: Collection[int], gold: Collection[int]) -> None:
        self._seen, self._cited, self._gold = seen, cited, gold
        self._first, self._length = seen.first, max(seen.last - seen.first, 1) * (1 + TAIL)

    @property
    def end(self) -> float:
        return self._first + self._length

    def x(self, at: int) -> str:
        return f"{self._share(at) * 100:.2f}%"

    def _share(self, at: float) -> float:
        return min(max((at - self._first) / self._length, 0), 1)

    def lane(self, lane: Lane, step: int) -> DrawnLane:
        return DrawnLane(
            name=lane.name,
            role=lane.role,
            marks=self._marks(lane),
            spans=[
                DrawnSpan(
                    self.x(span.start),
                    f"{(self._share(self._end(span.end)) - self._share(span.start)) * 100:.2f}%",
                    f"{lane.name}: {span.value}, {self._seen.axis} {span.start} to {self._until(span.end)}",
                    span.end is None,
                )
                for span in lane.spans
            ],
            arrows=self._arrows(lane.name),
            value=lane.value_at(step),
            changes=_changes(lane),
        )

    def _end(self, end: int | None) -> float:
        return self.end if end is None else end

    def _until(self, end: int | None) -> str:
        return "the end" if end is None else str(end)

    def _marks(self, lane: Lane) -> list[DrawnMark]:
        is_crowded = sum(mark.kind not in WRITES for mark in lane.marks) > CROWD
        return [
            replace(self._mark(lane, mark, more), is_stroke=is_crowded and not self._rank(lane, mark))
            for mark, more in self._thinned(lane)
        ]

    def _thinned(self, lane: Lane) -> list[tuple[Mark, int]]:
        """Return pairs (mark to draw, number of marks hidden behind it). The last pairs are drawn on top."""
        kept: list[tuple[Mark, int]] = []
        by_place: dict[tuple[int, bool], list[Mark]] = {}
        for mark in lane.marks:
            if self._role(lane, mark) in ("gold", "cited"):
                kept.append((mark, 0))
            else:
                place = int(self._share(mark.at) * PLACES)
                by_place.setdefault((place, mark.kind in WRITES), []).append(mark)
        for marks in by_place.values():
            telling = max(marks, key=lambda mark: _WEIGHT.get(mark.kind, 1))
            kept.append((telling, len(marks) - 1))
        return sorted(kept, key=lambda pair: (self._rank(lane, pair[0]), pair[0].at, pair[0].line))

    def _rank(self, lane: Lane, mark: Mark) -> int:
        return 2 if self._role(lane, mark) in ("gold", "cited") else int(mark.kind in WRITES)

    def _role(self, lane: Lane, mark: Mark) -> str:
        if mark.line in self._gold:
            return "gold"
        if mark.line in self._cited:
            return "cited"
        return "stale" if lane.role == ASKED and mark.line in self._seen.stale else ""

    def _mark(self, lane: Lane, mark: Mark, more: int) -> DrawnMark:
        kind = next(kind for kind in self._seen.kinds if kind.name == mark.kind)
        role, said = self._role(lane, mark), f" {mark.value}" if mark.value is not None else ""
        words = {"gold": ", gold", "cited": ", cited"}.get(role, "")
        after = lane.next_write(mark) if self._seen.has_state and mark.kind in WRITES and mark.value else None
        until = f", until {self._seen.axis} {after.at}" if after else ""
        others = f"; and {more} more here" if more else ""
        tip = f"{self._seen.axis} {mark.at}: {kind.label}{said}{words}{until}{others}"
        return DrawnMark(self.x(mark.at), kind.look, role, tip, mark.at, mark.line)

    def _arrows(self, name: str) -> list[DrawnArrow]:
        return [
            DrawnArrow(self.x(each.start), self.x(each.end), each.label, each.lane != name)
            for each in self._seen.arrows
            if each.to_lane == name
        ]


#: Importance of marks at one place: the greatest is drawn.
_WEIGHT = {"order": 3, "note": 2, "claim": 2, "aside": 0}


def _changes(lane: Lane) -> list[list[int | str | None]]:
    changes: list[list[int | str | None]] = []
    for span in lane.spans:
        if changes and changes[-1][0] == span.start:
            changes.pop()
        changes.append([span.start, span.value])
        if span.end is not None:
            changes.append([span.end, None])
    return changes


def ticks(first: int, last: int) -> list[int]:
    """Return about five round numbers between `first` and `last`, as ticks of an axis."""
    length = max(last - first, 1)
    size = next(
        size
        for power in range(len(str(length)) + 1)
        for factor in (1, 2, 5)
        if length / (size := factor * 10**power) <= 6
    )
    return [tick for tick in range(first - first % size, last + 1, size) if tick >= first]


def shown_lanes(seen: Replay, cited: Collection[int]) -> tuple[list[Lane], list[Lane]]:
    """Split the lanes into those to show, such as the lanes of the question, and those to fold."""
    shown = [
        lane for lane in seen.lanes if lane.role != OTHER or any(mark.line in cited for mark in lane.marks)
    ]
    if not shown:
        shown = list(seen.lanes[:4])  # the question names no key
    return shown, [lane for lane in seen.lanes if lane not in shown]
