"""Makes counterfactual twins: episodes with one update changed, or with enough changed to alter half the answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.generator.log import Log
from evaluation.goldevidence.generator.prf import below, draw
from evaluation.goldevidence.generator.queries import Draft

#: Draws of a value that no later line of the log claims. Counters have three values to choose from; 8 draws miss one of
#: them in 1 of 9 cases, and then the last one is taken.
DRAWS = 8


class Flip(NamedTuple):
    place: int
    entry: Entry


def choose(log: Log, *names: object) -> Flip:
    """Choose the change of a twin: the latest entry of a key that has a value, so that the final state changes.

    A log never clears its last key with a value, so such a key always exists.
    """
    ((pick, a, b),) = draw(*names, "flip", rows=1, faces=3)
    live = sorted(log.values)
    entry = log.state[live[below(pick, len(live))]]
    value = log.mode.flip(log.values[entry.key], a, b, log.pool)
    return Flip(log.ledger.index(entry), entry._replace(value=value))


def choose_half(log: Log, drafted: Sequence[Draft], *names: object) -> list[Flip]:
    """Choose changes that alter at least half of the direct and half of the derived answers, in order of the questions.

    Each changed entry is the latest of its key. A SET gets another value; a CLEAR becomes a SET. If possible within a
    few draws, no later line claims the new value: else a rumour or an instruction would be right in the twin.
    """
    keys = list(flipped_keys(drafted))
    dice = list(draw(*names, "flips", rows=DRAWS * len(keys), faces=2))
    return [
        _flip(log, log.state[key], dice[DRAWS * number : DRAWS * (number + 1)])
        for number, key in enumerate(keys)
    ]


def flipped_keys(drafted: Sequence[Draft]) -> Iterator[str]:
    """Yield the first, third, … key in the order of the questions, separately for direct and derived questions.

    So at least half of the answers change. A key that is asked about again is not repeated.
    """
    decided: set[str] = set()
    flipped = {False: False, True: False}  # True if the last key of this kind was flipped
    for key, derived in drafted:
        if key in decided:
            continue
        decided.add(key)
        flipped[derived] = not flipped[derived]
        if flipped[derived]:
            yield key


def _flip(log: Log, entry: Entry, dice: Sequence[tuple[int, ...]]) -> Flip:
    place = log.ledger.index(entry)
    is_claimed = _claims_after(log, log.line_of[place], entry.key)
    ordered, _ = log.orders.get(entry.key, (None, ""))
    value = flipped_value(log, entry, dice, lambda value: value == ordered or is_claimed(value))
    return Flip(place, entry._replace(op="SET", value=value))


def flipped_value(
    log: Log, entry: Entry, dice: Sequence[tuple[int, ...]], is_claimed: Callable[[str], bool]
) -> str:
    """Return the first drawn value that no line claims; if all drawn values are claimed, return the last."""
    value = ""
    for a, b in dice:
        if entry.value is None:
            value = log.mode.move(None, a, b, log.pool)
        else:
            value = log.mode.flip(entry.value, a, b, log.pool)
        if not is_claimed(value):
            break
    return value


def _claims_after(log: Log, number: int, key: str) -> Callable[[str], bool]:
    """Return a function that tells whether a later line claims a value for the key, under any of its names."""
    if log.wording.published:
        later = "\n".join(log.lines[number + 1 :])
        return lambda value: f"{key} = {value}" in later
    about = [
        sentence
        for sentence, (_, of) in zip(log.prose[number + 1 :], log.kinds[number + 1 :], strict=True)
        if of == key
    ]
    said = " ".join(about)
    return lambda value: re.search(rf"(?<![\w,-]){re.escape(value)}(?![\w,-])", said) is not None
