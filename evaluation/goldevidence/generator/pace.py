"""Paces: functions that choose the tag and value of each step, for profiles that do not draw both at random.

Each step is drawn from a row of random integers, whose first integer chooses the tag. A pace replaces this first
integer, and chooses the value of a SET. The number of rows read so far is the current step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from evaluation.goldevidence.generator.log import Log, near
from evaluation.goldevidence.generator.prf import FACES, below, draw, shuffled, threshold

Faces = tuple[int, ...]
Dice = Iterator[Faces]
Value = Callable[[str, int, int], str]  # (key, a, b)

#: Probability that a burst begins at an update before the last third. The reference repeats a tag after 1 SET in 4.
BURST_RATE = 0.15
#: From here on every update is part of a burst, so that most values asked about were written in one.
BURSTS_FROM = 2 / 3
SHORTEST, LENGTHS = 3, 4  # a burst has 3 to 6 updates
RIVAL_RATE = 0.25  # share of a burst's updates that write another tag
FOCUS_SHARE = 0.25  # share of tags in focus at a time
STRAY_RATE = 0.05  # share of updates outside the focus


class Pace(NamedTuple):
    dice: Dice
    value: Value


class _Burst:
    """State of the current burst, in which one tag is updated often. `key` is empty between bursts."""

    def __init__(self, log: Log) -> None:
        self._log, self.key = log, ""

    def value(self, key: str, a: int, b: int) -> str:
        """Return a value that is easily mistaken for that of the burst's tag; between bursts, any plausible value."""
        log, held = self._log, self._log.values.get(self.key)
        if held is not None:
            value = near_miss(log, held, a, b)
            if value != log.values.get(key):
                return value
        return log.decoy(key, a, b)

    def steps(self, dice: Dice, updates: int, names: Sequence[object]) -> Dice:
        keys, left, face = self._log.keys, 0, 0
        begins, rival, late = threshold(BURST_RATE), threshold(RIVAL_RATE), BURSTS_FROM * updates
        extra = draw(*names, "bursts", rows=updates, faces=3)
        for step, ((chance, length, other), row) in enumerate(zip(extra, dice, strict=False), 1):
            if left:
                left -= 1
                yield row if other < rival else (face, *row[1:])
                continue
            self.key = ""
            if step > late or chance < begins:
                left, face = SHORTEST + below(length, LENGTHS) - 1, row[0]
                self.key = keys[below(face, len(keys))]
            yield row
        self.key = ""
        yield from dice


def bursts(log: Log, dice: Dice, updates: int, names: Sequence[object]) -> Pace:
    """Return the pace of `update_burst`: one tag gets many similar values in a row. `log` must still be empty."""
    burst = _Burst(log)
    return Pace(burst.steps(dice, updates, names), burst.value)


def drifts(log: Log, dice: Dice, updates: int, names: Sequence[object]) -> Pace:
    """Return the pace of `focus_drift`: updates move over all tags, a few at a time. `log` must still be empty."""
    return Pace(_drifting(len(log.keys), dice, updates, names), log.decoy)


def _drifting(count: int, dice: Dice, updates: int, names: Sequence[object]) -> Dice:
    order = shuffled(list(range(count)), *names, "focus")
    width = max(1, round(FOCUS_SHARE * count))
    strays, stray = draw(*names, "strays", rows=updates, faces=1), threshold(STRAY_RATE)
    for step, ((chance,), row) in enumerate(zip(strays, dice, strict=False)):
        if chance < stray:
            yield row
            continue
        first = step * (count - width + 1) // updates
        yield (_face_of(order[first + below(row[0], width)], count), *row[1:])
    yield from dice


def near_miss(log: Log, value: str, a: int, b: int) -> str:
    """Return a different value that is easily mistaken for the given value.

    A colour with a number changes in one digit or in the colour, so that questions about both are hard. Values of other
    modes move as usual: by one member, by a small number or to another manager.
    """
    if log.mode.derived_op != "color":
        return log.mode.move(value, a, b, log.pool)
    if b & 1:
        changed = near(value, a, b)
        if changed != value:
            return changed
    color, _, _ = log.mode.flip(value, a, b, log.pool).rpartition("-")
    return f"{color}-{value.rpartition('-')[2]}"


def _face_of(number: int, count: int) -> int:
    """Return the smallest random integer that `below` maps to `number` when it chooses from `count` numbers."""
    return -(-number * FACES // count)
