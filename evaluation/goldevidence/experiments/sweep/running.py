"""Runs a sweep: deterministic systems in parallel, adapters one after another.

A cell is one combination of settings. It is done when its `results.json` exists. A restarted sweep runs only the other
cells, and in an adapter's cell only the unanswered rows.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from evaluation.adapters.environment.provenance import about, environment, run_environment
from evaluation.adapters.transcripts.record import Keep
from evaluation.core.errors import BenchmarkError
from evaluation.goldevidence.experiments.processes import spread
from evaluation.goldevidence.experiments.sweep.answering import by_rule
from evaluation.goldevidence.experiments.sweep.cells import (
    DATA,
    RESULTS,
    Place,
    finished,
    prepared,
    write_json,
)
from evaluation.goldevidence.experiments.sweep.contestants import Contestant
from evaluation.goldevidence.experiments.sweep.grid import Cell, Grid
from evaluation.goldevidence.experiments.sweep.hooks import NO_HOOKS, Hooks, Sweep
from evaluation.goldevidence.experiments.sweep.views import asked_rows, data_rows
from evaluation.goldevidence.experiments.sweep_folder import COMBINED, PREDICTIONS, SWEEP, Run
from evaluation.goldevidence.generator.episodes import Unit, generate_units
from evaluation.goldevidence.systems.registry import get_system

if TYPE_CHECKING:
    from evaluation.goldevidence.generator.config import GeneratorConfig

#: Data sets whose episodes a process keeps: a process that shares them with others alternates between two.
DATA_SETS_AT_HAND = 2


def run_sweep(
    grid: Grid,
    out: str | Path,
    hooks: Hooks = NO_HOOKS,
    *,
    jobs: int = 1,
    again: bool = False,
    go_on: bool = False,
    keep: Keep = Keep.FULL,
    command: str = "",
) -> Sweep:
    """Run every unfinished cell, and write its files and `combined.json`. A stop or a pause raises no error.

    `jobs` is the number of processes for deterministic systems; with 1 no process is started. `again` reruns finished
    cells; `go_on` counts rows without an answer as wrong instead of pausing. `command` is stored as provenance. Raises
    BenchmarkError if a cell exists with other settings, or if a system cannot be loaded or breaks its contract.
    """
    folder = Path(out)
    prefix = folder.name if folder.is_absolute() else folder.as_posix()
    own = any(each.environment is None for each in grid.contestants)  # variables of this process count
    place = Place(folder, prefix, run_environment(settings=own), go_on, keep)
    cells = list(grid.cells())
    done = {} if again else _done(cells, folder)
    sweep = Sweep(len(cells), reused=len(done))
    folder.mkdir(parents=True, exist_ok=True)
    write_json(
        folder / SWEEP,
        {"cells": [cell.folder for cell in cells], "provenance": about(command, environment(settings=own))},
    )
    if again:
        for cell in cells:
            _forget(folder / cell.folder)
    try:
        for cell, run in _runs(
            grid, [cell for cell in cells if cell.folder not in done], place, hooks, jobs, sweep
        ):
            done[cell.folder] = run
            if hooks.on_cell:
                hooks.on_cell(len(done), len(cells))
    finally:
        sweep.runs = [done[cell.folder] for cell in cells if cell.folder in done]
        write_json(folder / COMBINED, sweep.runs)
    return sweep


def _done(cells: Sequence[Cell], folder: Path) -> dict[str, Run]:
    """Return the finished runs by folder. Raises BenchmarkError if a run was made with other settings."""
    done, sha256 = {}, cache(_sha256)  # each file is read once, however many cells it answered
    for cell in cells:
        path = folder / cell.folder / RESULTS
        if not path.exists():
            continue
        try:
            run = orjson.loads(path.read_bytes())
        except orjson.JSONDecodeError:  # the process ended while it was written
            continue
        before, now = run.get("identity") or {}, cell.identity()
        changed = [name for name in now if before.get(name) != now[name]]
        if _has_another_file(run, cell.contestant, sha256):
            changed.append("model file")
        if changed:
            raise BenchmarkError(
                f"{path.parent}: this cell was run with another {', '.join(changed)}. Choose another folder, or "
                "rerun its cells with --again."
            )
        done[cell.folder] = run
    return done


def _has_another_file(run: Run, contestant: Contestant, sha256: Callable[[Path], str]) -> bool:
    model = (run.get("provenance") or {}).get("model")
    before = model.get("sha256") if isinstance(model, Mapping) else None
    path = Path(contestant.settings.get("model", ""))
    return bool(before) and path.is_file() and sha256(path) != before


def _sha256(path: Path) -> str:
    from evaluation.adapters.llama.model_file import sha256

    return sha256(path)


def _forget(folder: Path) -> None:
    for path in folder.glob("*") if folder.is_dir() else ():
        if path.name in (DATA, RESULTS) or path.name.startswith(Path(PREDICTIONS).stem):
            path.unlink()


def _runs(
    grid: Grid, cells: Sequence[Cell], place: Place, hooks: Hooks, jobs: int, sweep: Sweep
) -> Iterator[tuple[Cell, Run]]:
    rules = [cell for cell in cells if cell.contestant.is_rule]
    for pair in _by_rules(grid, rules, place, jobs):
        yield pair
        if sweep.stops(hooks.should_stop):
            return
    if sweep.stops(hooks.should_stop):
        return
    if models := [cell for cell in cells if not cell.contestant.is_rule]:
        from evaluation.goldevidence.experiments.sweep.asking import by_adapters

        yield from by_adapters(grid, models, place, hooks, sweep)


class _Episodes:
    """Caches the episodes of the most recent data sets, at most `at_hand` data sets."""

    def __init__(self, at_hand: int) -> None:
        self._at_hand = at_hand
        self._known: list[tuple[tuple[int, GeneratorConfig], list[Unit]]] = []

    def units(self, cell: Cell) -> list[Unit]:
        for data_set, units in self._known:
            if data_set == cell[:2]:
                return units
        del self._known[: len(self._known) + 1 - self._at_hand]
        units = list(generate_units(cell.config, cell.seed))
        self._known.append((cell[:2], units))
        return units


def _by_rules(grid: Grid, cells: Sequence[Cell], place: Place, jobs: int) -> Iterator[tuple[Cell, Run]]:
    """Yield the runs of deterministic systems, made in several processes if `jobs` > 1."""
    shares = [
        list(share) for _, share in groupby(cells, key=lambda cell: (cell.seed, cell.config, cell.view.parts))
    ]
    episodes = _Episodes(1 if jobs == 1 else DATA_SETS_AT_HAND)

    def do(number: int) -> Iterator[tuple[Cell, Run]]:
        share = shares[number]
        with _without_collection():
            yield from _answered(grid, share, episodes.units(share[0]), place)

    def read(number: int) -> Iterator[tuple[Cell, Run]]:
        for cell in shares[number]:
            yield cell, orjson.loads((place.folder / cell.folder / RESULTS).read_bytes())

    yield from spread(len(shares), do, read, processes=jobs)


def _answered(
    grid: Grid, cells: Sequence[Cell], units: Sequence[Unit], place: Place
) -> Iterator[tuple[Cell, Run]]:
    written = dict[tuple[str, ...], Path]()
    for view, of_view in groupby(cells, key=lambda cell: cell.view):
        rows = data_rows(units, view, grid.protocol, cells[0].seed)
        asked = list(asked_rows(rows, view))
        for cell in of_view:
            folder = prepared(cell, rows, place, written)
            answers = by_rule(get_system(cell.contestant.name).build(), asked, folder / PREDICTIONS)
            yield cell, finished(grid, cell, rows, answers, place)


@contextmanager
def _without_collection() -> Iterator[None]:
    # Rows hold no cycles, and searching for some takes a tenth of the time.
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
