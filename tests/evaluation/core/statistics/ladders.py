"""How often figures of a ladder hold: for systems with known true rates at five lengths, and a floor."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evaluation.core.statistics import KEEP, FloatArray, area_weights, length_figures
from tests.evaluation.core.statistics.versions import boards, clustered, true_rates

TOKENS = (2048, 8192, 32_768, 131_072, 524_288)


class Curve(NamedTuple):
    """The true rates of a system from the shortest length to the longest, and of a floor at all of them."""

    name: str
    rates: tuple[float, ...]
    floor: float = 0.1

    @property
    def length(self) -> int:
        """The number of lengths that truly hold."""
        rungs = enumerate(self.rates)
        broken = (at for at, rate in rungs if rate < KEEP * self.rates[0] or rate <= self.floor)
        return next(broken, len(self.rates))


#: The hardest stand at a bar: a ratio or a rate that misses it by next to nothing, or clears it by no more.
CURVES = (
    Curve("holds", (0.95,) * 5),
    Curve("never errs", (0.999,) * 5),
    Curve("breaks at once", (0.98, 0.97, 0.96, 0.3, 0.15)),
    Curve("fades", (0.9, 0.8, 0.66, 0.5, 0.3)),
    Curve("just misses the bar", (0.9, 0.9, 0.7199, 0.5, 0.5)),
    Curve("just misses it from the top", (0.99, 0.99, 0.99, 0.7919, 0.7919)),
    Curve("just misses it at once", (0.6, 0.4799, 0.4799, 0.4799, 0.4799)),
    Curve("is no better than a floor", (0.4, 0.4, 0.4, 0.4, 0.4), 0.4),
    Curve("falls to a floor", (0.5, 0.5, 0.45, 0.45, 0.45), 0.45),
    Curve("just keeps the bar", (0.9, 0.7201, 0.7201, 0.7201, 0.7201)),
    Curve("just keeps it and then misses it", (0.9, 0.9, 0.7201, 0.7199, 0.7199)),
    Curve("just keeps it above a floor", (0.5, 0.4001, 0.4001, 0.4001, 0.4001), 0.4),
)


class Ladders(NamedTuple):
    """Shares of versions in which a statement holds."""

    ratios: float  # of the rung whose ratio is covered least often
    areas: float
    overstated: float  # the stated length is above the true one
    covered: float  # the true length lies within the interval of the stated one
    exact: float  # the low end is the true length
    open: float  # rungs between the two ends, on average: no share


def logits_of(rates: tuple[float, ...]) -> FloatArray:
    """The logits with which `boards` draws systems of these true rates."""
    grid = np.linspace(-12, 12, 4001)
    logits: FloatArray = np.interp(rates, true_rates(grid), grid)
    return logits


def ladders(curve: Curve, units: int, rows: int, versions: int, seed: int) -> Ladders:
    """Versions of a ladder, each with the figures of one system.

    Args:
        curve: The system, and the floor.
        units: Units of a version.
        rows: Rows of a unit, at each length.
        versions: Number of versions to draw.
        seed: Seed of all draws.
    """
    systems = logits_of((*curve.rates, *(curve.floor,) * len(TOKENS)))
    drawn = boards(versions=versions, systems=systems, units=units, rows=rows, seed=seed)
    true = np.array(curve.rates)
    area, ratios = float(area_weights(TOKENS) @ true), true / true[0]
    held, areas, lows, highs = np.zeros(len(true)), 0, [], []
    for table in drawn:
        figures = length_figures(TOKENS, table[: len(TOKENS)], floors=[table[len(TOKENS) :]])
        held += [
            ends is None or (ends[0] <= ratio + 1e-9 and ratio - 1e-9 <= ends[1])
            for ends, ratio in zip(figures.ratio_intervals, ratios, strict=True)
        ]
        areas += (
            figures.area_interval is not None and figures.area_interval[0] <= area <= figures.area_interval[1]
        )
        lows.append(figures.shown)
        highs.append(figures.possible)
    low, high, length = np.array(lows), np.array(highs), curve.length
    return Ladders(
        ratios=float(held.min()) / versions,
        areas=areas / versions,
        overstated=float(np.mean(low > length)),
        covered=float(np.mean((low <= length) & (length <= high))),
        exact=float(np.mean(low == length)),
        open=float(np.mean(high - low)),
    )


def shown_in_full(
    rate: float, icc: float, *, rungs: int, units: int, rows: int, versions: int, seed: int
) -> float:
    """How often a system with one true rate is shown to hold at all lengths.

    Args:
        rate: The true rate.
        icc: How alike the rows of a unit are at one length. Its lengths are independent, which is the hardest case.
        rungs: Number of lengths.
        units: Units of a version.
        rows: Rows of a unit, at each length.
        versions: Number of versions to draw.
        seed: Seed of all draws.

    Returns:
        The share of versions.
    """
    tokens = tuple(1024 * 2**at for at in range(rungs))
    drawn = clustered(systems=versions * rungs, units=units, rows=rows, rate=rate, icc=icc, seed=seed)
    tables = drawn.reshape(versions, rungs, units, 2)
    return float(np.mean([length_figures(tokens, table).shown == rungs for table in tables]))
