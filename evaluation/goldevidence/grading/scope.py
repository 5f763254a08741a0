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
from evaluation.goldevidence.data.case import Case
from evaluation.goldevidence.data.shown import Shown
from evaluation.goldevidence.generator.ladder.rungs import rung_tokens
from evaluation.goldevidence.protocols import is_whole

#: Of the rows of a ladder; those of other versions are in none of these groups.
OF_LADDER = ("depth", "length_depth", "distractor_share")
WITH_NOTES, WITHOUT_NOTES = "with", "without"
GROUPINGS = ("state_mode", "distractor_profile", "query_type", *LABELS, *OF_LADDER, "notes", "condition")
Stratum = tuple[str, ...]
Cell = tuple[str, ...]  # notes, condition: the finest parts that a board can be narrowed to
Mask = NDArray[np.bool_]


def stratum_of(case: Case, shown: Shown) -> Stratum:
    """The labels of a row.

    Args:
        case: Its question.
        shown: Its lines.

    Returns:
        The labels in the order of `GROUPINGS`; an empty one is in no group.
    """
    return (
        case.mode,
        case.profile,
        case.query_type,
        bucket("tokens_since_update", case.tokens),
        bucket("distractors_since_update", case.distractors),
        bucket("writes_to_key", case.writes),
        case.depth,
        case.length_depth,
        case.share,
        WITH_NOTES if shown.has_note(case.key) else WITHOUT_NOTES,
        case.condition,
    )


class Scope:
    """The groups of a report, and four more: `headline`, `covered`, `conditional` and `noted` [strata].

    `noted` tells the strata whose rows show a NOTE about their key. `cells` holds the strata of each cell [strata],
    as far as its condition has a prediction.

    A condition without a single prediction is not covered: its figures are not reported, rather than 0.
    Headline figures look at rows with the whole text; in a version without any, at all rows.
    """

    def __init__(self, strata: Sequence[Stratum], received: NDArray[Any], *, covering: bool) -> None:
        """What is counted where.

        Args:
            strata: The labels of each stratum, in the order of `GROUPINGS`.
            received: [strata], how many rows have a line, answer or not.
            covering: Whether a condition without a prediction is left out; else all is covered.
        """
        conditions = [labels[-1] for labels in strata]
        depth = GROUPINGS.index(
            "depth"
        )  # rows of a ladder have one, and the name of their length for a condition
        whole = np.array(
            [is_whole(name) or bool(labels[depth]) for name, labels in zip(conditions, strata, strict=True)],
            dtype=np.bool_,
        )
        self.noted: Mask = np.array([labels[-2] == WITH_NOTES for labels in strata], dtype=np.bool_)
        self.cells = _cells(strata, conditions, received)
        self.covered = _covered(conditions, received) if covering else np.ones(len(strata), dtype=np.bool_)
        self.conditional: Mask = self.covered & ~whole
        self.headline: Mask = self.covered & whole if whole.any() else self.covered
        self.groupings: dict[str, Grouping] = {
            name: Grouping([name], np.where(mask, 0, -1))
            for name, mask in (
                ("headline", self.headline),
                ("covered", self.covered),
                ("noted", self.covered & self.noted),
                ("conditional", self.conditional),
            )
        }
        for place, name in enumerate(GROUPINGS):
            mask = self.covered if name == "condition" else self.headline
            label_of = [labels[place] for labels in strata]
            order = sorted(set(label_of), key=_on_ladder) if name in OF_LADDER else LABELS.get(name)
            self.groupings[name] = _grouping(label_of, mask, order)


def _grouping(label_of: Sequence[str], mask: Mask, order: Sequence[str] | None) -> Grouping:
    """The grouping of strata by one of their labels, in the order given or of appearance."""
    there = dict.fromkeys(label_of)
    labels = [name for name in (order or there) if name and name in there]
    code_of = {name: code for code, name in enumerate(labels)} | {"": -1}
    codes = np.array([code_of[name] for name in label_of], dtype=np.int64)
    return Grouping(labels, np.where(mask, codes, -1))


def _on_ladder(label: str) -> tuple[float, float]:
    """Where a label of a ladder stands among its like: by length, and by depth or share."""
    length, _, number = label.rpartition("|")
    try:
        return rung_tokens(length) or 0, float(number or 0)
    except ValueError:  # of a data set with labels of its own
        return 0, 0


def _covered(conditions: Sequence[str], received: NDArray[Any]) -> Mask:
    """Whether the condition of a stratum has a prediction; everything where none has."""
    having = {name for name, count in zip(conditions, received.tolist(), strict=True) if count}
    return np.array([not having or name in having for name in conditions], dtype=np.bool_)


def _cells(strata: Sequence[Stratum], conditions: Sequence[str], received: NDArray[Any]) -> dict[Cell, Mask]:
    """Which strata make up each cell; nothing of a condition without a prediction."""
    having = {name for name, count in zip(conditions, received.tolist(), strict=True) if count}
    code_of: dict[Cell, int] = {}
    codes = np.array([code_of.setdefault(labels[-2:], len(code_of)) for labels in strata], dtype=np.int64)
    return {cell: codes == code for cell, code in code_of.items() if cell[1] in having}
