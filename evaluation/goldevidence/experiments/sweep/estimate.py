"""How long a sweep takes: its size, and of each adapter the pace of a few rows carried over to all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from evaluation.adapters.base import ShouldStop
from evaluation.adapters.estimate import duration, estimate
from evaluation.adapters.kinds import get_kind
from evaluation.core.terminal.wording import number_of
from evaluation.goldevidence.experiments.sweep.grid import Grid
from evaluation.goldevidence.experiments.sweep.views import asked_rows, data_rows
from evaluation.goldevidence.generator.episodes import generate_units
from evaluation.goldevidence.records import EpisodeRow


def estimated(grid: Grid, should_stop: ShouldStop | None = None) -> Iterator[str]:
    """What to expect, a sentence each: the size first, then each adapter. Rules take no time to speak of.

    Args:
        grid: What is to be run.
        should_stop: Asked between rows.

    Raises:
        AdapterError: A system does not work.
    """
    rows = _rows_of_first_seed(grid)
    cells = len(grid)
    asked = len(rows) * grid.seeds
    yield f"{number_of(cells, 'cell')}, {number_of(asked, 'row')} of each system"
    for contestant in grid.contestants:
        if contestant.is_rule:
            continue
        with contestant.opened() as adapter:
            pace = estimate(
                rows, adapter, protocol=None, kind=get_kind("goldevidence"), should_stop=should_stop
            )
        yield (
            f"{contestant.name}: about {duration(pace.seconds * grid.seeds)} (calibrated on "
            f"{number_of(pace.calibration_rows, 'row')} in {duration(pace.calibration_s)})"
        )


def _rows_of_first_seed(grid: Grid) -> list[EpisodeRow]:
    """What one system is handed under the first seed. Ids of several data sets are told apart."""
    rows: list[EpisodeRow] = []
    for number, (seed, config) in enumerate(grid.configs()):
        if seed:
            continue
        units = list(generate_units(config, seed))
        for place, view in enumerate(grid.views()):
            for row in asked_rows(data_rows(units, view, grid.protocol, seed), view):
                rows.append(cast(EpisodeRow, {**row, "id": f"{number}-{place}-{row['id']}"}))
    return rows
