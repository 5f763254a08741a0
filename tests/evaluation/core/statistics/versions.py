"""Simulated versions: units differ, and rows of a unit are correlated."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

STRATUM_SPREAD = 0.6  # of the way from the mean rate to 0 or 1


def clustered(
    *,
    systems: int,
    units: int,
    rows: int,
    rate: float,
    icc: float,
    seed: int,
    is_unequal: bool = False,
    strata: int = 1,
) -> NDArray[np.float64]:
    """Answers of systems of one true rate to versions of their own, [systems, units, 2].

    The rates of units are beta distributed, so that rows of a unit have the correlation `icc`. Units of unequal size
    have `rows` on average, with a coefficient of variation of about .7. Strata follow each other unit by unit
    (`stratum_codes`), with rates as far apart as they can be while the mean of all is `rate`.
    """
    random = np.random.default_rng(seed)
    sizes = np.full((systems, units), rows)
    if is_unequal:
        sizes = np.maximum(1, random.gamma(2, rows / 2, (systems, units)).round().astype(int))
    of_strata = rate + STRATUM_SPREAD * min(rate, 1 - rate) * np.linspace(-1, 1, strata) * (strata > 1)
    rates = of_strata[stratum_codes(units, strata)]
    of_unit = random.beta(rates * (1 / icc - 1), (1 - rates) * (1 / icc - 1), size=(systems, units))
    return np.stack([random.binomial(sizes, of_unit), sizes], axis=-1).astype(float)


def stratum_codes(units: int, strata: int) -> NDArray[np.int64]:
    """The stratum number of each unit: in turn, as modes are crossed."""
    return np.arange(units) % strata


def boards(
    *, versions: int, systems: NDArray[np.float64], units: int, rows: int, seed: int
) -> NDArray[np.float64]:
    """Answers of systems with these true logits to the same questions, [versions, systems, units, 2].

    Units and questions are as hard for all systems; each system also finds some units harder.
    """
    random = np.random.default_rng(seed)
    for_all = random.normal(0, 0.6, size=(versions, 1, units, 1))
    for_one = random.normal(0, 0.6, size=(versions, len(systems), units, 1))
    questions = random.normal(0, 1, size=(versions, 1, units, rows))
    logits = systems[None, :, None, None] + for_all + for_one + questions
    right = (random.random(logits.shape) < 1 / (1 + np.exp(-logits))).sum(axis=-1)
    return np.stack([right, np.full(right.shape, rows)], axis=-1).astype(float)


def true_rates(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """The true rates of systems that `boards` draws with these logits, to about .0005."""
    points, weights = np.polynomial.hermite_e.hermegauss(61)
    spread = np.sqrt(0.6**2 + 0.6**2 + 1)
    rates: NDArray[np.float64] = (
        1 / (1 + np.exp(-(logits[:, None] + spread * points))) @ (weights / weights.sum())
    )
    return rates


def repeated(
    *,
    versions: int,
    repeats: int,
    units: int,
    rows: int,
    rate: float,
    icc: float,
    noise: float,
    run_sd: float,
    seed: int,
) -> NDArray[np.float64]:
    """One system that answers the rows of each version several times, [versions, repeats, units, 2].

    Rows of a unit have the correlation `icc`. A share `noise` of them is answered anew in each run, the others as
    before. A run as a whole is better or worse by a normal number of the standard deviation `run_sd`: that share of
    the rows turns right or wrong in it. The true mean is `rate`.
    """
    random = np.random.default_rng(seed)
    of_unit = random.beta(rate * (1 / icc - 1), (1 - rate) * (1 / icc - 1), size=(versions, 1, units, 1))
    shape = versions, repeats, units, rows
    always = random.random((versions, 1, units, rows)) < of_unit
    right = np.where(random.random(shape) < noise, random.random(shape) < of_unit, always)
    shift = random.normal(0, run_sd, size=(versions, repeats, 1, 1))
    turned = random.random(shape) < np.abs(shift) / np.where(shift > 0, 1 - rate, rate)
    sums = np.where(turned, shift > 0, right).sum(axis=-1)
    return np.stack([sums, np.full(sums.shape, rows)], axis=-1).astype(float)
