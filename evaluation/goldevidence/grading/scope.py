"""Scope: decides which rows each metric counts, per *stratum* (rows that share all labels in `GROUPINGS`)."""

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

#: Groupings of the rows of a ladder; rows of other versions are in none of them.
OF_LADDER = ("depth", "length_depth", "distractor_share")
#: Groupings of the rows of families: the family, with its length, and with the difficulty within it.
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
#: Notes, condition, and family in versions with families: the finest parts that a board can be filtered to.
Cell = tuple[str, ...]
Mask = NDArray[np.bool_]


def stratum_of(case: Case, shown: Shown) -> Stratum:
    """The labels of a row in the order of `GROUPINGS`. An empty label belongs to no group."""
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
    """Masks over strata that say which rows a metric counts.

    `covered` marks conditions with at least one prediction; metrics of other conditions are left out instead of zero.
    `headline` marks covered rows with the whole text, or all covered rows if no row has the whole text. `conditional`
    marks covered rows with candidates, `noted` marks rows that show a NOTE about their key. `cells` maps each cell
    with a prediction to its mask. `groupings` maps names to groupings of rows, such as by family.
    """

    def __init__(self, strata: Sequence[Stratum], received: NDArray[Any], *, covering: bool) -> None:
        """`strata`: labels in the order of `GROUPINGS`. `received`: [strata], number of rows with a prediction.

        If `covering` is True, only conditions with a prediction are `covered`. Otherwise all conditions are.
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
    there = dict.fromkeys(label_of)
    labels = [name for name in (order or there) if name and name in there]
    code_of = {name: code for code, name in enumerate(labels)} | {"": -1}
    codes = np.fromiter(map(code_of.__getitem__, label_of), np.int64, len(label_of))
    return Grouping(labels, np.where(mask, codes, -1))


def _mask(holds: Callable[[str], bool], labels: Sequence[str]) -> Mask:
    answers = {label: holds(label) for label in set(labels)}
    return np.fromiter(map(answers.__getitem__, labels), np.bool_, len(labels))


def _sorted(grouping: str, labels: Collection[str]) -> list[str]:
    if grouping in OF_LADDER:
        return sorted(labels, key=_on_ladder)
    return sorted(labels, key=_family_order) if grouping in OF_FAMILIES else []


def _family_order(label: str) -> tuple[int, str, int]:
    """Sort key of a label: length, then family, then difficulty."""
    first, _, last = label.partition("|")
    if tokens := rung_tokens(first):
        return tokens, last, 0
    return 0, first, int(last) if last.isdecimal() else 0


def _on_ladder(label: str) -> tuple[float, float]:
    """Sort key of a label: text length, then the number after "|"."""
    length, _, number = label.rpartition("|")
    try:
        return rung_tokens(length) or 0, float(number or 0)
    except ValueError:  # labels of another data set
        return 0, 0


def _cells(labels: Sequence[Sequence[str]], having: Container[str]) -> dict[Cell, Mask]:
    code_of: dict[Cell, int] = {}
    named = zip(*labels, strict=True)
    codes = np.array([code_of.setdefault(cell, len(code_of)) for cell in named], dtype=np.int64)
    return {cell: codes == code for cell, code in code_of.items() if cell[1] in having}
