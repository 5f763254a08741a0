"""Paces: which tag each step of a log writes, and what value, where a profile does not leave that to the dice alone.

A pace is made when an episode begins. The first face of a row of dice chooses the tag that is written: a pace hands
the rows on with other first faces, and says what a SET says. Nothing else of a row is touched. How far the rows have
been read says which step is being written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from evaluation.goldevidence.generator.log import Log, near
from evaluation.goldevidence.generator.prf import FACES, below, draw, threshold

Faces = tuple[int, ...]
Dice = Iterator[Faces]
Value = Callable[[str, int, int], str]  # (key, a, b)

#: Of the update steps before the last third, how often a burst begins. The reference repeats a tag after 1 of 4 SETs.
BURST_RATE = 0.15
#: From here on every update is part of a burst: what is asked about was mostly written in one.
BURSTS_FROM = 2 / 3
SHORTEST, LENGTHS = 3, 4  # a burst has 3 to 6 updates
RIVAL_RATE = 0.25  # of the updates in a burst, how many write another tag
FOCUS_SHARE = 0.25  # of the tags, how many are in focus at a time
STRAY_RATE = 0.05  # of the updates, how many write a tag wherever the focus is


class Pace(NamedTuple):
    """What the steps of an episode write."""

    dice: Dice
    value: Value


class _Burst:
    """The burst that is being written; `key` is empty between two of them."""

    def __init__(self, log: Log) -> None:
        self._log, self.key = log, ""

    def value(self, key: str, a: int, b: int) -> str:
        """In a burst a near miss of what its tag holds, also where a rival is written; else any value."""
        log, held = self._log, self._log.values.get(self.key)
        if held is not None:
            value = near_miss(log, held, a, b)
            if value != log.values.get(key):
                return value
        return log.decoy(key, a, b)

    def steps(self, dice: Dice, updates: int, names: Sequence[object]) -> Dice:
        """The rows, those of a burst about its tag, or a rival of it."""
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
    """Updates of one tag in quick succession, near misses of each other: of the profile `update_burst`.

    Args:
        log: The log, still empty.
        dice: The rows of faces of its steps.
        updates: How many steps write a tag.
        names: What the episode's dice are drawn by.
    """
    burst = _Burst(log)
    return Pace(burst.steps(dice, updates, names), burst.value)


def drifts(log: Log, dice: Dice, updates: int, names: Sequence[object]) -> Pace:
    """A focus of a few tags that moves over all of them in an order by lot: of the profile `focus_drift`.

    Args:
        log: The log, still empty.
        dice: The rows of faces of its steps.
        updates: How many steps write a tag.
        names: What the episode's dice are drawn by.
    """
    return Pace(_drifting(len(log.keys), dice, updates, names), log.decoy)


def _drifting(count: int, dice: Dice, updates: int, names: Sequence[object]) -> Dice:
    order = list(range(count))
    for place, (face,) in enumerate(draw(*names, "focus", rows=count, faces=1)):
        other = place + below(face, count - place)
        order[place], order[other] = order[other], order[place]
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
    """A value that is easily taken for another one, and is not that one.

    Of a colour with a number one digit differs, or the colour, so that questions about either are hard. Values of
    other modes differ from each other by one member, a small number or a manager as it is.

    Args:
        log: The log.
        value: The other one.
        a: A die, uniform in [0, 2**32).
        b: A second die.
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
    """The least face that `below` makes that number of."""
    return -(-number * FACES // count)
