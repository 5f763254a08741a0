"""The design of a version: its units, the sums of a metric over each unit, and the stratum of each unit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

CONFIDENCE = 0.95


class UnitSums(NamedTuple):
    """Sums over the rows of every unit, for each part of a metric. A metric without a reducer has one part."""

    parts: tuple[str, ...]
    sums: FloatArray  # [units, parts, 2]: value and weight
    strata: NDArray[np.int64] | None = None  # [units], stratum numbers; None is one stratum

    @property
    def least_weight(self) -> float:
        """The smallest positive total weight of a part. Returns 0 if no part has a positive weight."""
        weights = self.sums[..., 1].sum(axis=0)
        return float(weights[weights > 0].min(initial=np.inf)) if (weights > 0).any() else 0.0


class Linearized(NamedTuple):
    """Rates, and the contributions of units to their errors. They sum to 0, and their squares sum to the variance."""

    rates: FloatArray  # [systems], NaN without rows
    scores: FloatArray  # [systems, units]
    df: FloatArray  # [systems], degrees of freedom: units that report, less their strata


def rates(numerators: FloatArray, denominators: FloatArray) -> FloatArray:
    """numerators / denominators, NaN for a denominator of 0.

    Args:
        numerators: Sums of a metric, of any shape.
        denominators: Number of rows in each sum; broadcasts to the shape of `numerators`.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(denominators > 0, numerators / denominators, np.nan)


def stratum_members(strata: NDArray[Any]) -> FloatArray:
    """Indicator matrix of strata: [units, strata], 1 if a unit is in a stratum, else 0.

    Args:
        strata: [units], stratum numbers.
    """
    _, codes = np.unique(strata, return_inverse=True)
    members: FloatArray = np.eye(int(codes.max(initial=0)) + 1)[codes]
    return members


def collapsed_strata(reports: BoolArray, strata: NDArray[Any]) -> Iterator[tuple[BoolArray, FloatArray]]:
    """Merge strata in which a single unit reports, so that a variance can be estimated within each stratum.

    All single-unit strata become one stratum. A lone single-unit stratum is instead merged with the stratum of nearest
    number in which several units report.

    Args:
        reports: [systems, units], whether a unit has rows.
        strata: [units], stratum numbers.

    Returns:
        Pairs (mask of systems [systems], merged strata [units, strata] as from `stratum_members`). A mask selects the
        systems for which the same strata have no, one and several reporting units; each system is in one mask.

    Source: the collapsed strata estimator, Cochran, "Sampling Techniques", 3rd edition, 5A.12; Wolter, "Introduction
    to Variance Estimation", 2nd edition, 2.5, for groups of more than two.
    """
    members = stratum_members(strata)
    # merged by which units report, never by their values: the variance then includes the differences
    # between the merged strata, and is too large rather than too small
    counts = np.minimum(reports @ members, 2)
    patterns, codes = np.unique(counts, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        yield codes.reshape(-1) == number, _collapsed(members, pattern)


def _collapsed(members: FloatArray, pattern: FloatArray) -> FloatArray:
    """Merge single-unit strata of [units, strata]; `pattern` [strata]: 0, 1 or 2 for none, one or several units."""
    alone, several = np.flatnonzero(pattern == 1), np.flatnonzero(pattern == 2)
    if not alone.size:
        return members
    if alone.size == 1 and several.size:
        alone = np.append(alone, several[np.abs(several - alone[0]).argmin()])
    together = members[:, alone].sum(axis=1, keepdims=True)
    return np.hstack([np.delete(members, alone, axis=1), together])


def linearized(table: FloatArray, strata: NDArray[Any]) -> Linearized:
    """The rates of systems with their linearized scores.

    Args:
        table: [systems, units, 2], the sum of a metric over the rows of a unit, and the number of these rows.
        strata: [units], stratum numbers.

    Source: the linearized ratio with a stratified cluster variance, Lohr, "Sampling: Design and Analysis", 3rd
    edition, 9.1.
    """
    added, rows = table[..., 0], table[..., 1]
    total = rows.sum(axis=1)
    rate = rates(added.sum(axis=1), total)
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = np.where(total[:, None] > 0, (added - rate[:, None] * rows) / total[:, None], 0.0)
    scores, df = centered(errors, rows > 0, strata)
    return Linearized(rate, scores, df)


def centered(errors: FloatArray, reports: BoolArray, strata: NDArray[Any]) -> tuple[FloatArray, FloatArray]:
    """Center the contributions of units to the error of a metric on the mean of their (collapsed) stratum.

    Args:
        errors: [systems, units], contribution of each unit.
        reports: [systems, units], whether a unit has rows.
        strata: [units], stratum numbers.

    Returns:
        Scores [systems, units], whose squares sum to the variance of the metric, and degrees of freedom [systems].
    """
    scores, df = np.zeros(errors.shape), np.zeros(len(errors))
    for chosen, members in collapsed_strata(reports, strata):
        scores[chosen], df[chosen] = _within(errors[chosen], reports[chosen], members)
    return scores, df


def _within(errors: FloatArray, reports: BoolArray, members: FloatArray) -> tuple[FloatArray, FloatArray]:
    counts = reports @ members
    means = (errors @ members) / np.maximum(counts, 1)
    scale = np.sqrt(counts / np.maximum(counts - 1, 1))
    scores = np.where(reports, errors - means @ members.T, 0.0) * (scale @ members.T)
    return scores, (counts - (counts > 0)).sum(axis=1)
