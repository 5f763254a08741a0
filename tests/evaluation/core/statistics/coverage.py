"""How often intervals of rates hold the true rate, cell by cell: a rate, a correlation, and a design."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from evaluation.core.statistics import rate_limits
from tests.evaluation.core.statistics.versions import clustered, stratum_codes

RATES, ICCS = (0.03, 0.2, 0.5, 0.8, 0.97), (0.02, 0.05, 0.1, 0.2, 0.35)
UNITS, ROWS = (5, 10, 20, 40, 60, 100), (6, 12, 24)
LEAST_CASES = 100  # a share of fewer says nothing


class Cell(NamedTuple):
    """The parameters that simulated versions share."""

    units: int
    rows: int  # of a unit, on average
    rate: float
    icc: float
    is_unequal: bool = False
    strata: int = 1

    def __str__(self) -> str:
        sizes = "unequal" if self.is_unequal else "equal"
        strata = "one stratum" if self.strata == 1 else f"{self.strata} strata"
        return f"rate {self.rate:g}, ICC {self.icc:g}, {sizes} units, {strata}"


class Coverage(NamedTuple):
    """Versions with a rate inside (0, 1), and how many of their intervals hold; the same for bounds at 0 and 1."""

    inside: int
    held: int
    bounds: int
    bounds_held: int
    half_width: float

    @property
    def share(self) -> float:
        """The share that held, of intervals with a rate inside (0, 1); NaN if there are too few."""
        return self.held / self.inside if self.inside >= LEAST_CASES else float("nan")


def cells(units: Sequence[int] = UNITS, rows: Sequence[int] = ROWS) -> Iterator[Cell]:
    """All cells of these sizes."""
    for cell in product(units, rows, RATES, ICCS, (False, True), (1, 5)):
        yield Cell(*cell)


def coverage(cell: Cell, versions: int, seed: int) -> Coverage:
    """The coverage of intervals over simulated versions of a cell."""
    table = clustered(
        systems=versions,
        units=cell.units,
        rows=cell.rows,
        rate=cell.rate,
        icc=cell.icc,
        is_unequal=cell.is_unequal,
        strata=cell.strata,
        seed=seed,
    )
    low, high = rate_limits(table, stratum_codes(cell.units, cell.strata))
    held = (low <= cell.rate) & (cell.rate <= high)
    added, rows = table.sum(axis=1).T
    inside = (added > 0) & (added < rows)
    counts = (inside, held & inside, ~inside, held & ~inside)
    return Coverage(*(int(each.sum()) for each in counts), float((high - low).mean() / 2))
