"""Metrics that combine several rates of one system, such as the lowest rate of several orders, with their intervals.

The parts are rates over the same units, so their errors are correlated. No interval assumes that the parts differ: the
interval of a spread begins at 0 unless some difference is significant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from evaluation.core.statistics.design import CONFIDENCE, FloatArray, Linearized
from evaluation.core.statistics.intervals import Limits
from evaluation.core.statistics.student import t_quantiles

RateFunction = Callable[[FloatArray], FloatArray]  # from the rates of parts [..., parts] to metrics [...]
LimitsOf = Callable[[float], Limits]  # from a confidence to the intervals of the parts, [..., parts] each

#: Step of rates for a numerical gradient: far below real differences, far above rounding.
STEP = 1e-6
#: A part above the worst by more than this one-sided quantile of t cannot be the worst.
SURELY_ABOVE = 0.999


class Parts(NamedTuple):
    """The rates that a metric combines, in one or more groups: the fields of `Linearized`, and their intervals."""

    rates: FloatArray  # [..., parts]
    scores: FloatArray  # [..., parts, units], see `Linearized`
    df: FloatArray  # [..., parts]
    limits: LimitsOf


def gradient(figure: RateFunction, rates: FloatArray) -> FloatArray:
    """The gradient of a metric with respect to the rates of its parts, by central differences.

    Args:
        figure: Function from rates [..., parts] to metrics [...].
        rates: [..., parts]; a part without a rate has gradient 0.

    Returns:
        [..., parts].
    """
    steps = STEP * np.eye(rates.shape[-1])
    up, down = figure(rates[..., None, :] + steps), figure(rates[..., None, :] - steps)
    return np.where(np.isnan(rates), 0.0, (up - down) / (2 * STEP))


def smooth_limits(figure: RateFunction, parts: Parts) -> Limits:
    """The 95% intervals of a smooth function of rates, such as the difference of two rates.

    Args:
        figure: Function from rates [..., parts] to metrics [...].
        parts: The parts of each metric.

    Returns:
        The ends, [...] each. Like the intervals of the parts, they have positive width even if all rates are 0 or 1.

    Source: the method of variance estimates recovery, with correlated parts: Zou, "Toward using confidence intervals to
    compare correlations", Psychological Methods 12 (2007); for two proportions it is method 10 of Newcombe, "Improved
    confidence intervals for the difference between binomial proportions based on paired data", Statistics in
    Medicine 17 (1998).
    """
    slopes = gradient(figure, parts.rates)
    return _recovered(figure(parts.rates), slopes, parts, parts.limits(CONFIDENCE))


def linear_limits(slopes: FloatArray, parts: Parts, *, confidence: float) -> Limits:
    """The intervals of many linear combinations of the same rates, by the method of `smooth_limits`.

    Args:
        slopes: [combinations, parts], coefficients.
        parts: Rates [parts], none of them NaN.

    Returns:
        The ends, [combinations] each.
    """
    return _recovered(slopes @ parts.rates, slopes, parts, parts.limits(confidence))


def worst_limits(figure: RateFunction, parts: Parts, members: Sequence[int]) -> Limits:
    """The 95% interval of the lowest of some rates.

    Args:
        figure: Function from rates [parts] to the lowest rate.
        parts: The parts of one metric.
        members: Indices of the parts that can be the lowest.

    Returns:
        The ends. The low end is the lowest of the parts' low ends: only the interval of the truly worst part has to
        contain its rate. The high end is adjusted for the number of parts that may be the worst.

    Source: intersection bounds with a selection of the binding ones, Chernozhukov, Lee and Rosen, "Intersection
    bounds", Econometrica 81 (2013), with Bonferroni's adjustment.
    """
    candidates = len(may_be_worst(Linearized(parts.rates, parts.scores, parts.df), members))
    low, high = parts.limits(CONFIDENCE).low, parts.limits(1 - (1 - CONFIDENCE) / max(candidates, 1)).high
    return Limits(figure(low), figure(high))


def may_be_worst(parts: Linearized, members: Sequence[int]) -> list[int]:
    """The parts of one system that may truly be its worst. All other parts are clearly better than the worst.

    Args:
        parts: Rates [parts], scores [parts, units] and degrees of freedom [parts].
        members: Indices of the parts that can be the lowest.

    Returns:
        Indices of these parts, at least one.

    Source: the selection of the binding bounds, see `worst_limits`.
    """
    worst = min(members, key=lambda part: parts.rates[part])
    variance = ((parts.scores - parts.scores[worst]) ** 2).sum(axis=-1)
    above = parts.rates - parts.rates[worst]
    bound = t_quantiles(SURELY_ABOVE, np.maximum(parts.df, 1)) * np.sqrt(variance)
    return [part for part in members if above[part] <= bound[part]]


def spread_limits(families: Sequence[Sequence[int]], parts: Parts) -> Limits:
    """The 95% interval of the largest distance between two rates of a family.

    Args:
        families: Indices of parts that are compared with each other, such as the orders of one condition.
        parts: The parts of one metric.

    Returns:
        The ends. The low end is the highest low end of any pair, adjusted for the number of pairs, and at least 0. The
        low end of a pair is the lower one of two intervals: by the method of `smooth_limits`, and by t over units,
        which is wider if units are few and pairs many. The high end is the highest high end of any pair by the first
        method, without adjustment: only the interval of the pair that is truly furthest apart has to be right.
    """
    pairs = [(i, j) for family in families for i in family for j in family if i != j]
    slopes = np.zeros((len(pairs), len(parts.rates)))
    for number, (i, j) in enumerate(pairs):
        slopes[number, [i, j]] = 1.0, -1.0
    differences = slopes @ np.nan_to_num(parts.rates)
    adjusted = 1 - (1 - CONFIDENCE) / max(len(pairs), 1)
    low = np.minimum(
        _recovered(differences, slopes, parts, parts.limits(adjusted)).low,
        differences - _half_widths(slopes, parts, adjusted),
    )
    high = _recovered(differences, slopes, parts, parts.limits(CONFIDENCE)).high
    return Limits(np.maximum(low.max(initial=0.0), 0.0), high.max(initial=0.0))


def _half_widths(slopes: FloatArray, parts: Parts, confidence: float) -> FloatArray:
    """Half widths [differences] of t intervals of differences with slopes [differences, parts]."""
    df = np.where(slopes != 0, parts.df, np.inf).min(axis=-1)
    errors: FloatArray = np.sqrt(((slopes @ parts.scores) ** 2).sum(axis=-1))
    return t_quantiles((1 + confidence) / 2, np.maximum(df, 1)) * errors


def _recovered(figures: FloatArray, slopes: FloatArray, parts: Parts, limits: Limits) -> Limits:
    """Intervals of metrics [...] with gradients `slopes` [..., parts], from the intervals of their parts."""
    correlation = error_correlation(parts)
    below, above = parts.rates - limits.low, limits.high - parts.rates

    def distance(rising: FloatArray, falling: FloatArray) -> FloatArray:
        moves = np.where(slopes == 0, 0.0, slopes * np.where(slopes > 0, rising, falling))
        squares = ((moves[..., None, :] @ correlation)[..., 0, :] * moves).sum(axis=-1)
        size: FloatArray = np.sqrt(np.maximum(squares, 0.0))
        return size

    return Limits(figures - distance(below, above), figures + distance(above, below))


def error_correlation(parts: Parts) -> FloatArray:
    """The correlation of the errors of parts.

    Args:
        parts: Rates over the same units.

    Returns:
        [..., parts, parts]; 0 for a part that does not vary between units. At most 1 - 1 / units, as parts that agree
        in all observed units need not agree in the next unit.
    """
    products = parts.scores @ parts.scores.swapaxes(-1, -2)
    sizes = np.sqrt(np.diagonal(products, axis1=-2, axis2=-1))
    inverse = np.where(sizes > 1e-12, 1 / np.maximum(sizes, 1e-12), 0.0)
    units = 1 + np.maximum(parts.df, 1.0).max(axis=-1)[..., None, None]
    correlation = np.minimum(products * inverse[..., None] * inverse[..., None, :], 1 - 1 / units)
    return np.where(np.eye(parts.scores.shape[-2], dtype=np.bool_), 1.0, correlation)
