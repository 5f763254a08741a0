"""Counterfactual twins: the same episode with one UPDATE flipped."""

from __future__ import annotations

from typing import NamedTuple

from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.generator.log import Log
from evaluation.goldevidence.generator.prf import below, draw


class Flip(NamedTuple):
    """One ledger entry as it is in the twin, and its place in the ledger."""

    place: int
    entry: Entry


def choose(log: Log, *names: object) -> Flip:
    """The entry to flip: the latest of a key that still holds a value, so that it shows in the final state.

    A log never clears its last live key, so there always is one.
    """
    ((pick, a, b),) = draw(*names, "flip", rows=1, faces=3)
    live = sorted(log.values)
    entry = log.state[live[below(pick, len(live))]]
    value = log.mode.flip(log.values[entry.key], a, b, log.pool)
    return Flip(log.ledger.index(entry), entry._replace(value=value))
