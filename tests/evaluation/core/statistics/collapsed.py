"""How often intervals hold if strata have a single unit each, as StateBench's tracks have one template."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

from evaluation.core.statistics import paired_contrast, rate_limits
from evaluation.statebench.grading.measured import ICC_OF_COPIES
from tests.evaluation.core.statistics.coverage import Coverage

TEMPLATE_RATES, TEMPLATE_ICCS = (0.1, 0.3, 0.5, 0.8, 0.95), (0.35, 0.6, 0.8, 0.95)
SPREADS = (0.0, 0.6)  # of the way from the mean rate to 0 or 1 that strata are apart
DESIGNS = {
    "4 strata of one unit": (1,) * 4,
    "15 strata of one unit": (1,) * 15,
    "14 strata of one unit; one of 4": (4, *(1,) * 14),
    "8 strata of one unit; 7 of 3": (1,) * 8 + (3,) * 7,
}


class Templates(NamedTuple):
    """The parameters that simulated versions share."""

    design: str  # a key of DESIGNS
    rows: int  # of a unit
    rate: float  # of a stratum, on average; each counts by its rows
    icc: float  # of the copies of a unit
    spread: float  # see SPREADS

    def __str__(self) -> str:
        return f"rate {self.rate:g}; ICC {self.icc:g}; strata {'apart' if self.spread else 'alike'}"

    @property
    def strata(self) -> np.ndarray:
        """The stratum of each unit, [units]."""
        return np.repeat(np.arange(len(DESIGNS[self.design])), DESIGNS[self.design])

    @property
    def rates(self) -> np.ndarray:
        """The long-run rate of each unit's stratum, [units]."""
        count = len(DESIGNS[self.design])
        apart = np.linspace(-1, 1, count)[np.random.default_rng(count).permutation(count)]
        means = self.rate + self.spread * min(self.rate, 1 - self.rate) * apart
        return means[self.strata]

    def drawn(self, versions: int, seed: int) -> np.ndarray:
        """Answers to versions, [versions, units, 2]; each version draws other templates of the same strata."""
        random, scale = np.random.default_rng(seed), 1 / self.icc - 1
        of_unit = random.beta(self.rates * scale, (1 - self.rates) * scale, (versions, len(self.strata)))
        right = random.binomial(self.rows, of_unit)
        return np.stack([right, np.full(right.shape, self.rows)], axis=-1).astype(float)


def template_cells(design: str, rows: int) -> Iterator[Templates]:
    """All cells of a design."""
    for rate, icc, spread in product(TEMPLATE_RATES, TEMPLATE_ICCS, SPREADS):
        yield Templates(design, rows, rate, icc, spread)


def template_coverage(cell: Templates, versions: int, seed: int) -> Coverage:
    """The coverage of intervals over simulated versions of a cell."""
    table, true = cell.drawn(versions, seed), cell.rates.mean()
    low, high = rate_limits(table, cell.strata, icc=ICC_OF_COPIES)
    held = (low <= true) & (true <= high)
    added, rows = table.sum(axis=1).T
    inside = (added > 0) & (added < rows)
    counts = (inside, held & inside, ~inside, held & ~inside)
    return Coverage(*(int(each.sum()) for each in counts), float((high - low).mean() / 2))


def template_differences(cell: Templates, versions: int, seed: int) -> float:
    """How often the interval of the difference of two systems with equal rates holds 0."""
    first, second = cell.drawn(versions, seed), cell.drawn(versions, seed + 1)
    contrasts = [paired_contrast(one, other, cell.strata) for one, other in zip(first, second, strict=True)]
    return float(np.mean([not each.excludes_zero for each in contrasts if each]))
