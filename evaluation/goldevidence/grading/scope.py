"""Scope: which rows count for which figures.

Decided by *stratum*: rows that share all their labels (`GROUPINGS`) are one stratum, and there are few.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Sequence
from itertools import compress, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.core.measure import Grouping
from evaluation.goldevidence.data.buckets import LABELS, bucket
from evaluation.goldevidence.data.case import Case
from evaluation.goldevidence.data.shown import Shown
from evaluation.goldevidence.generator.ladder.rungs import rung_tokens
from evaluation.goldevidence.protocols import is_whole

#: Of the rows of a ladder; those of other versions are in none of these groups.
OF_LADDER = ("depth", "length_depth", "distractor_share")
#: Of the rows of families: the family, with its length, and with how hard a question is within it.
OF_FAMILIES = ("family", "length_family", "family_dial")
WITH_NOTES, WITHOUT_NOTES = "with", "without"
GROUPINGS = (
    "state_mode",
    "distractor_profile",
    "query_type",
    *LABELS,
    *OF_LADDER,
    *OF_FAMILIES,
    "notes",
    "condition",
)
Stratum = tuple[str, ...]
#: Notes, condition, and of versions with families the family: the finest parts that a board can be narrowed to.
Cell = tuple[str, ...]
Mask = NDArray[np.bool_]


def stratum_of(case: Case, shown: Shown) -> Stratum:
    """The labels of a row.

    Args:
        case: Its question.
        shown: Its lines.

    Returns:
        The labels in the order of `GROUPINGS`; an empty one is in no group.
    """
    depth = case.depth
    return (
        case.mode,
        case.profile,
        case.query_type,
        bucket("tokens_since_update", case.tokens),
        bucket("distractors_since_update", case.distractors),
        bucket("writes_to_key", case.writes),
        depth,
        case.length_depth if depth else "",
        case.share,
        case.family,
        f"{case.condition}|{case.family}" if case.family else "",
        case.family_dial,
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
        labels_of = dict(zip(GROUPINGS, zip(*strata, strict=True) if strata else repeat(()), strict=False))
        conditions = labels_of["condition"]
        # Rows of a ladder have a depth, and the name of their length for a condition.
        whole = _mask(is_whole, conditions) | _mask(bool, labels_of["depth"])
        self.noted: Mask = _mask(WITH_NOTES.__eq__, labels_of["notes"])
        having = set(compress(conditions, received.tolist()))
        families = [labels_of["family"]] if any(labels_of["family"]) else []
        self.cells = _cells([labels_of["notes"], conditions, *families], having)
        self.covered: Mask = _mask(lambda name: not (covering and having) or name in having, conditions)
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
        for name, label_of in labels_of.items():
            mask = self.covered if name == "condition" else self.headline
            order = _sorted(name, set(label_of)) or LABELS.get(name)
            self.groupings[name] = _grouping(label_of, mask, order)


def _grouping(label_of: Sequence[str], mask: Mask, order: Sequence[str] | None) -> Grouping:
    """The grouping of strata by one of their labels, in the order given or of appearance."""
    there = dict.fromkeys(label_of)
    labels = [name for name in (order or there) if name and name in there]
    code_of = {name: code for code, name in enumerate(labels)} | {"": -1}
    codes = np.fromiter(map(code_of.__getitem__, label_of), np.int64, len(label_of))
    return Grouping(labels, np.where(mask, codes, -1))


def _mask(holds: Callable[[str], bool], labels: Sequence[str]) -> Mask:
    """Of which labels something holds; it is asked once of each that is there."""
    answers = {label: holds(label) for label in set(labels)}
    return np.fromiter(map(answers.__getitem__, labels), np.bool_, len(labels))


def _sorted(grouping: str, labels: Collection[str]) -> list[str]:
    """The labels of a ladder or of families in their order; none of any other grouping."""
    if grouping in OF_LADDER:
        return sorted(labels, key=_on_ladder)
    return sorted(labels, key=_of_family) if grouping in OF_FAMILIES else []


def _of_family(label: str) -> tuple[int, str, int]:
    """Where a label of families stands among its like: by length, family and how hard its questions are."""
    first, _, last = label.partition("|")
    if tokens := rung_tokens(first):
        return tokens, last, 0
    return 0, first, int(last) if last.isdecimal() else 0


def _on_ladder(label: str) -> tuple[float, float]:
    """Where a label of a ladder stands among its like: by length, and by depth or share."""
    length, _, number = label.rpartition("|")
    try:
        return rung_tokens(length) or 0, float(number or 0)
    except ValueError:  # of a data set with labels of its own
        return 0, 0


def _cells(labels: Sequence[Sequence[str]], having: Container[str]) -> dict[Cell, Mask]:
    """Which strata make up each cell, by their labels; nothing of a condition, the second, without a prediction."""
    code_of: dict[Cell, int] = {}
    named = zip(*labels, strict=True)
    codes = np.array([code_of.setdefault(cell, len(code_of)) for cell in named], dtype=np.int64)
    return {cell: codes == code for cell, code in code_of.items() if cell[1] in having}
