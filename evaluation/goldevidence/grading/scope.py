"""Scope: which rows count for which figures.

Decided by *stratum*: rows that share all their labels (`GROUPINGS`) are one stratum, and there are few.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.core.metric import Grouping
from evaluation.goldevidence.data.buckets import LABELS, bucket
from evaluation.goldevidence.data.case import CLOSED_BOOK, Case
from evaluation.goldevidence.data.shown import Shown

WITH_NOTES, WITHOUT_NOTES = "with", "without"
GROUPINGS = ("state_mode", "distractor_profile", "query_type", *LABELS, "notes", "condition")
Stratum = tuple[str, ...]
Cell = tuple[str, ...]  # notes, condition: the finest parts that a board can be narrowed to
Mask = NDArray[np.bool_]


def stratum_of(case: Case, shown: Shown) -> Stratum:
    """The labels of a row in the order of `GROUPINGS`; an empty one is in no group."""
    return (
        case.mode,
        case.profile,
        case.query_type,
        bucket("tokens_since_update", case.tokens),
        bucket("distractors_since_update", case.distractors),
        bucket("writes_to_key", case.writes),
        WITH_NOTES if shown.has_note(case.key) else WITHOUT_NOTES,
        case.condition,
    )


class Scope:
    """The groups of a report, and three more: `headline`, `covered` and `conditional` [strata].

    `noted` tells the strata whose rows show a NOTE about their key. `cells` holds the strata of each cell [strata],
    as far as its condition has a prediction.

    A condition without a single prediction is not covered: its figures are not reported, rather than 0.
    Headline figures look at closed-book rows; in a version without any, at all rows.
    """

    def __init__(self, strata: Sequence[Stratum], received: NDArray[Any], *, covering: bool) -> None:
        """`received` [strata] is how many rows have a line, answer or not. Without `covering` all is covered."""
        conditions = [labels[-1] for labels in strata]
        closed = np.array([name == CLOSED_BOOK for name in conditions], dtype=np.bool_)
        self.noted: Mask = np.array([labels[-2] == WITH_NOTES for labels in strata], dtype=np.bool_)
        self.cells = _cells(strata, conditions, received)
        self.covered = _covered(conditions, received) if covering else np.ones(len(strata), dtype=np.bool_)
        self.conditional: Mask = self.covered & ~closed
        self.headline: Mask = self.covered & closed if closed.any() else self.covered
        self.groupings: dict[str, Grouping] = {
            name: Grouping([name], np.where(mask, 0, -1))
            for name, mask in (
                ("headline", self.headline),
                ("covered", self.covered),
                ("conditional", self.conditional),
            )
        }
        for place, name in enumerate(GROUPINGS):
            mask = self.covered if name == "condition" else self.headline
            self.groupings[name] = _grouping([labels[place] for labels in strata], mask, LABELS.get(name))


def _grouping(label_of: Sequence[str], mask: Mask, order: Sequence[str] | None) -> Grouping:
    """The grouping of strata by one of their labels, in the order given or of appearance."""
    labels = [name for name in (order or dict.fromkeys(label_of)) if name and name in label_of]
    codes = [labels.index(name) if name else -1 for name in label_of]
    return Grouping(labels, np.where(mask, np.array(codes, dtype=np.int64), -1))


def _covered(conditions: Sequence[str], received: NDArray[Any]) -> Mask:
    """Whether the condition of a stratum has a prediction; everything where none has."""
    having = {name for name, count in zip(conditions, received.tolist(), strict=True) if count}
    return np.array([not having or name in having for name in conditions], dtype=np.bool_)


def _cells(strata: Sequence[Stratum], conditions: Sequence[str], received: NDArray[Any]) -> dict[Cell, Mask]:
    """Which strata make up each cell; nothing of a condition without a prediction."""
    having = {name for name, count in zip(conditions, received.tolist(), strict=True) if count}
    cell_of = [(labels[-2], labels[-1]) for labels in strata]
    cells = dict.fromkeys(cell for cell in cell_of if cell[1] in having)
    return {cell: np.array([cell == other for other in cell_of], dtype=np.bool_) for cell in cells}
