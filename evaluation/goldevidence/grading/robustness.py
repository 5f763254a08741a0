"""Robustness: the rate under the worst condition, and whether the order of lines changes answers."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from evaluation.core.metric import Columns, Reducer
from evaluation.core.statistics import FloatArray, UnitSums
from evaluation.goldevidence.protocols import is_whole

Units = dict[str, tuple[float, int]]


def worst_rate(conditions: Sequence[str]) -> Reducer:
    """Return a `Reducer` that takes the lowest rate over conditions and whole texts. NaN if a condition is missing."""

    def reduce(rates: FloatArray, labels: Sequence[str]) -> FloatArray:
        if not conditions or not set(conditions) <= set(labels):
            return np.full(rates.shape[:-1], np.nan)
        places = [labels.index(name) for name in compared(conditions, labels)]
        worst: FloatArray = rates[..., places].min(axis=-1)
        return worst

    return reduce


def compared(conditions: Sequence[str], labels: Sequence[str]) -> list[str]:
    """Return the conditions, and the labels of whole texts, so that the worst part never exceeds the headline."""
    return [*conditions, *(label for label in labels if is_whole(label) and label not in conditions)]


def lowest_part(
    sums: UnitSums | None, units: Sequence[str], parts: Collection[str]
) -> tuple[str, Units] | None:
    """The part (such as a condition) with the lowest rate (the first of equals), and its (sum, rows) by unit.

    Returns None if a part has no rows: this part may be the worst, and leaving it out must not raise a rank.
    """
    if sums is None or not parts or not set(parts) <= set(sums.parts):
        return None
    places = [sums.parts.index(name) for name in parts]
    totals = sums.sums[:, places].sum(axis=0)
    if not totals[:, 1].all():
        return None
    worst = places[int(np.argmin(totals[:, 0] / totals[:, 1]))]
    pairs = ((float(added), int(rows)) for added, rows in sums.sums[:, worst])
    return sums.parts[worst], dict(zip(units, pairs, strict=True))


def in_all_orders(columns: Columns, covered: NDArray[np.bool_]) -> dict[str, NDArray[np.int8]]:
    """Compare the answers to one question over all orders of its lines.

    Args:
        columns: `permutation` (code of the question with its lines, -1: none), `answer` (code of the answer, -1: none)
            and `exact`, [rows] each.
        covered: [rows], True if the predictions file answers the row's condition at all.

    Returns:
        Three columns, [rows] each. Questions with at least two orders, all covered by the file, have their results in
        their last row: `permuted` is 1, `same_in_orders` is 1 if all answers are the same, and `right_in_orders` is 1
        if all answers are exact. All other values are 0.
    """
    rows = np.flatnonzero(columns["permutation"] >= 0)
    code, answer = columns["permutation"][rows].astype(np.int64), columns["answer"][rows].astype(np.int64)
    questions = int(code.max(initial=-1)) + 1
    count, last = np.bincount(code, minlength=questions), np.zeros(questions, dtype=np.int64)
    last[code] = rows
    low, high = np.full(questions, np.iinfo(np.int64).max), np.full(questions, -1)
    np.minimum.at(low, code, answer)
    np.maximum.at(high, code, answer)
    known = (count > 1) & (np.bincount(code, covered[rows], questions) == count)
    right = np.bincount(code, columns["exact"][rows] == 1, questions) == count
    results = {"permuted": known, "same_in_orders": (low == high) & (low >= 0), "right_in_orders": right}
    table = {name: np.zeros(len(columns["exact"]), dtype=np.int8) for name in results}
    for name, values in results.items():
        table[name][last[known]] = values[known]
    return table
