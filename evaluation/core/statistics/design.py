"""The design of a version: its units, what a metric sums up over each, and which of them are in which stratum."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

CONFIDENCE = 0.95


class UnitSums(NamedTuple):
    """What comparisons take: of each part of a metric (one but for reducers), its sums over the rows of a unit."""

    parts: tuple[str, ...]
    sums: FloatArray  # [units, parts, 2]: value and weight
    strata: NDArray[np.int64] | None = None  # [units], the number of each unit's stratum; None is one stratum

    @property
    def least_weight(self) -> float:
        """The weight of the part with the least, of those that have any; 0 without one."""
        weights = self.sums[..., 1].sum(axis=0)
        return float(weights[weights > 0].min(initial=np.inf)) if (weights > 0).any() else 0.0


class Linearized(NamedTuple):
    """Rates, and what units add to the error of each: within a stratum that sums to 0, its squares to a variance."""

    rates: FloatArray  # [systems], NaN without rows
    scores: FloatArray  # [systems, units]
    df: FloatArray  # [systems], degrees of freedom: units that report, less their strata


def rates(numerators: FloatArray, denominators: FloatArray) -> FloatArray:
    """numerators / denominators, NaN where there is nothing to divide by.

    Args:
        numerators: Sums of a metric, of any shape.
        denominators: How many rows they are sums over, of a shape that broadcasts to that.

    Returns:
        The rates, of the shape of the numerators.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(denominators > 0, numerators / denominators, np.nan)


def stratum_members(strata: NDArray[Any]) -> FloatArray:
    """Which units are in which stratum.

    Args:
        strata: [units], the number of each unit's stratum.

    Returns:
        [units, strata], 1 where a unit is in a stratum, else 0.
    """
    _, codes = np.unique(strata, return_inverse=True)
    members: FloatArray = np.eye(int(codes.max(initial=0)) + 1)[codes]
    return members


def collapsed_strata(reports: BoolArray, strata: NDArray[Any]) -> Iterator[tuple[BoolArray, FloatArray]]:
    """The strata within which a variance can be estimated: those of a single unit are taken together.

    One unit cannot vary alone. All strata in which one unit reports become one; where there is just one of them it
    joins the nearest stratum, by number, in which several report. Which ones that are follows from who reports, never
    from what is reported, so that the variance is too large rather than too small: it holds the differences between
    the strata that are taken together.

    Args:
        reports: [systems, units], whether a unit has rows.
        strata: [units], the number of each unit's stratum.

    Returns:
        (which systems [systems], their strata [units, strata] as `stratum_members` has them): systems of which the
        same strata have none, one or several units come together.

    Source: the collapsed strata estimator, Cochran, "Sampling Techniques", 3rd edition, 5A.12; Wolter, "Introduction
    to Variance Estimation", 2nd edition, 2.5, for groups of more than two.
    """
    members = stratum_members(strata)
    counts = np.minimum(reports @ members, 2)
    patterns, codes = np.unique(counts, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        yield codes.reshape(-1) == number, _collapsed(members, pattern)


def _collapsed(members: FloatArray, pattern: FloatArray) -> FloatArray:
    """Strata [units, strata] without those of a single unit; `pattern` has 0, 1 or 2 for how many report in each."""
    alone, several = np.flatnonzero(pattern == 1), np.flatnonzero(pattern == 2)
    if not alone.size:
        return members
    if alone.size == 1 and several.size:
        alone = np.append(alone, several[np.abs(several - alone[0]).argmin()])
    together = members[:, alone].sum(axis=1, keepdims=True)
    return np.hstack([np.delete(members, alone, axis=1), together])


def linearized(table: FloatArray, strata: NDArray[Any]) -> Linearized:
    """The linearized scores of some rates.

    Args:
        table: [systems, units, 2], the sum of a metric over the rows of a unit, and how many rows those are.
        strata: [units], the number of each unit's stratum.

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
    """What units add to the error of a figure, less the mean of their stratum; see `collapsed_strata`.

    Args:
        errors: [systems, units], what each unit adds to the error.
        reports: [systems, units], whether a unit has rows.
        strata: [units], the number of each unit's stratum.

    Returns:
        Scores [systems, units], of which the squares sum to the variance of the figure, and degrees of freedom
        [systems].
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
