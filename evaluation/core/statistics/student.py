"""Quantiles of Student's t distribution, for real degrees of freedom."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from evaluation.core.statistics.design import FloatArray

_TINY = 1e-300  # keeps the continued fraction from dividing by 0
_ENOUGH = 1e-14  # terms closer to 1 than this change nothing
_MOST_STEPS = 100  # a quantile of t at 1 degree of freedom and .9999 takes 15


@lru_cache(maxsize=4096)
def t_quantile(probability: float, df: float) -> float:
    """The quantile of Student's t, to 1e-9: the value that t exceeds with probability 1 - `probability`.

    Args:
        probability: Between 0.5 and 1.
        df: Degrees of freedom, above 0; rounded to a hundredth.

    Source: Press et al., "Numerical Recipes", 3rd edition, 6.14 (t by the incomplete beta function), by Newton's
    method: it starts below, at the normal quantile, and the distribution is concave, so it increases to the quantile.
    """
    df, value = round(df, 2), NormalDist().inv_cdf(probability)
    scale = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(df * math.pi)
    for _ in range(_MOST_STEPS):
        density = scale * math.exp(-(df + 1) / 2 * math.log1p(value * value / df))
        step = (t_tail(value, df) - (1 - probability)) / density
        value += step
        if step < 1e-10 * max(1.0, value):
            break
    return value


def t_quantiles(probability: float, df: FloatArray) -> FloatArray:
    """`t_quantile` for many degrees of freedom.

    Args:
        probability: Between 0.5 and 1.
        df: Degrees of freedom, above 0, of any shape; the result has the same shape. NaN gives NaN.
    """
    different, places = np.unique(np.round(df, 2), return_inverse=True)
    known = [math.nan if math.isnan(each) else t_quantile(probability, each) for each in different.tolist()]
    quantiles: FloatArray = np.array(known)[places].reshape(np.shape(df))
    return quantiles


def t_tail(value: float, df: float) -> float:
    """The probability that t exceeds `value` ≥ 0."""
    return 0.5 * _beta(df / 2, 0.5, df / (df + value * value))


def _beta(a: float, b: float, x: float) -> float:
    """The regularized incomplete beta function."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a
    return 1 - front * _fraction(b, a, 1 - x) / b


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    c, d = 1.0, _kept_off_zero(1 - (a + b) * x / (a + 1))
    d = 1 / d
    result = d
    for m in range(1, 500):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _kept_off_zero(1 + term * d)
            c = _kept_off_zero(1 + term / c)
            result *= d * c
        if abs(d * c - 1) < _ENOUGH:
            break
    return result


def _kept_off_zero(value: float) -> float:
    return _TINY if abs(value) < _TINY else value
