"""Item statistics over systems: the share that got an item right, and how well it discriminates."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.core.statistics.design import CONFIDENCE, FloatArray
from evaluation.core.statistics.student import t_quantile

#: Fewest systems for a correlation: over 10 of them .63 may still be chance (see `chance_bound`).
LEAST_SYSTEMS = 10
#: Items computed together: with 1,000 systems 8 MB an array.
_AT_ONCE = 1024


class ItemStatistics(NamedTuple):
    """For each item [items]: share of systems that got it right, number of systems that answered, discrimination."""

    share: FloatArray  # NaN: no answers
    systems: NDArray[np.int64]
    discrimination: FloatArray  # NaN: too few systems, or no variance


def item_statistics(right: NDArray[np.floating]) -> ItemStatistics:
    """Difficulty and discrimination of items.

    The discrimination of an item is the correlation between being right on it and the share of all other items that a
    system got right. For an item that is right or wrong this is the point-biserial correlation.

    Args:
        right: [systems, items], 1 for right, 0 for wrong, a share for a mean of repeats, NaN if not answered.

    Source: Henrysson, "Correction of item-total correlations in item analysis", Psychometrika 28 (1963) 211-218.
    """
    known = ~np.isnan(right)
    filled = np.where(known, right, 0.0)
    totals, counts = filled.sum(axis=1, dtype=np.float64), known.sum(axis=1)
    systems = known.sum(axis=0).astype(np.int64)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = filled.sum(axis=0, dtype=np.float64) / systems
    starts = range(0, right.shape[1], _AT_ONCE)
    # each item is excluded from its own total, so that uninformative items are at 0 and not above
    parts = [
        _correlations(filled[:, at : at + _AT_ONCE], known[:, at : at + _AT_ONCE], totals, counts)
        for at in starts
    ]
    correlation = np.concatenate(parts) if parts else np.zeros(0)
    return ItemStatistics(share, systems, np.where(systems < LEAST_SYSTEMS, np.nan, correlation))


def chance_bound(systems: int) -> float:
    """Upper 97.5% limit of the discrimination that an uninformative item shows by chance, over `systems` ≥ 3.

    This is the critical value of the t test of a correlation: t / sqrt(t^2 + systems - 2).
    """
    t = t_quantile((1 + CONFIDENCE) / 2, systems - 2)
    return t / math.sqrt(t * t + systems - 2)


def _correlations(
    right: FloatArray, known: NDArray[np.bool_], totals: FloatArray, counts: NDArray[np.int64]
) -> FloatArray:
    """[items], item-rest correlations over the systems that answered each item; NaN if one side does not vary."""
    others = counts[:, None] - known
    with np.errstate(invalid="ignore", divide="ignore"):
        rest = np.where(known & (others > 0), (totals[:, None] - right) / others, 0.0)
        used = known & (others > 0)
        size = used.sum(axis=0)
        x = np.where(used, right - (right * used).sum(axis=0) / size, 0.0)
        y = np.where(used, rest - rest.sum(axis=0) / size, 0.0)
        spread = np.sqrt((x * x).sum(axis=0) * (y * y).sum(axis=0))
        correlation: FloatArray = np.where(spread > 1e-9, (x * y).sum(axis=0) / spread, np.nan)
    return correlation
