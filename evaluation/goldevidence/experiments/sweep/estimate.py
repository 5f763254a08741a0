"""Estimates the duration of a sweep from its size and each adapter's pace on a few rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, cast

from evaluation.adapters.base import ShouldStop
from evaluation.adapters.estimate import duration, estimate
from evaluation.adapters.kinds import get_kind
from evaluation.core.terminal.wording import number_of
from evaluation.goldevidence.experiments.sweep.grid import Grid
from evaluation.goldevidence.experiments.sweep.views import asked_rows, data_rows
from evaluation.goldevidence.generator.episodes import generate_units
from evaluation.goldevidence.records import EpisodeRow


class Pace(NamedTuple):
    """Estimated seconds that an adapter needs for all its rows, and the calibration run from which it is estimated."""

    contestant: str
    seconds: float
    calibration_rows: int
    calibration_s: float
    cost: float = 0.0  # of all its rows, by the prices set


def asked_of_each(grid: Grid) -> int:
    """Return the number of rows per system, extrapolated from the first seed."""
    return len(_rows_of_first_seed(grid)) * grid.seeds


def paces(grid: Grid, should_stop: ShouldStop | None = None) -> Iterator[Pace]:
    """Measure the pace of each adapter on a few rows. Deterministic systems are skipped. Raises AdapterError."""
    rows, kind = _rows_of_first_seed(grid), get_kind("goldevidence")
    for contestant in grid.contestants:
        if contestant.is_rule:
            continue
        with contestant.opened() as adapter:
            found = estimate(rows, adapter, protocol=None, kind=kind, should_stop=should_stop)
        whole = found.seconds * grid.seeds, found.calibration_rows, found.calibration_s
        yield Pace(contestant.name, *whole, found.cost * grid.seeds)


class Estimated(NamedTuple):
    """Size of a grid, and the pace of each of its adapters."""

    cells: int
    rows: int  # of each system
    paces: list[Pace]

    def as_dict(self) -> dict[str, Any]:
        return self._asdict() | {"paces": [pace._asdict() for pace in self.paces]}

    def sentences(self) -> Iterator[str]:
        yield f"{number_of(self.cells, 'cell')}, {number_of(self.rows, 'row')} of each system"
        for pace in self.paces:
            yield (
                f"{pace.contestant}: about {duration(pace.seconds)} (calibrated on "
                f"{number_of(pace.calibration_rows, 'row')} in {duration(pace.calibration_s)})"
                + (f", cost {pace.cost:.4g}" if pace.cost else "")
            )


def estimated(grid: Grid, should_stop: ShouldStop | None = None) -> Estimated:
    """Estimate the size and duration of a grid. Raises AdapterError if a system cannot be run."""
    return Estimated(len(grid), asked_of_each(grid), list(paces(grid, should_stop)))


def _rows_of_first_seed(grid: Grid) -> list[EpisodeRow]:
    """Return the rows that a system answers under the first seed. Their ids are unique across data sets."""
    rows: list[EpisodeRow] = []
    for number, (seed, config) in enumerate(grid.configs()):
        if seed:
            continue
        units = list(generate_units(config, seed))
        for place, view in enumerate(grid.views()):
            for row in asked_rows(data_rows(units, view, grid.protocol, seed), view):
                rows.append(cast(EpisodeRow, {**row, "id": f"{number}-{place}-{row['id']}"}))
    return rows
