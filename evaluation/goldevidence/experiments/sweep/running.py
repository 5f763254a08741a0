"""Running a sweep: cell by cell, deterministic ones side by side, models one after another.

A cell is done when its `results.json` is there; a sweep that is started again goes on with the others, and within a
cell of an adapter with the rows that have no answer yet.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from evaluation.adapters.base import Adapter, ShouldStop
from evaluation.adapters.environment.provenance import about, environment, of_run
from evaluation.adapters.runner import RowResult
from evaluation.adapters.transcripts.record import Keep
from evaluation.core.errors import BenchmarkError
from evaluation.core.suite import Progress
from evaluation.goldevidence.data import flat
from evaluation.goldevidence.experiments.sweep.answering import Answers, by_adapter, by_rule
from evaluation.goldevidence.experiments.sweep.contestants import Contestant
from evaluation.goldevidence.experiments.sweep.grid import Cell, Grid
from evaluation.goldevidence.experiments.sweep.record import run_of
from evaluation.goldevidence.experiments.sweep.views import asked_rows, data_rows
from evaluation.goldevidence.experiments.sweep_folder import COMBINED, PREDICTIONS, SWEEP, Run
from evaluation.goldevidence.generator.episodes import Unit, generate_units
from evaluation.goldevidence.records import EpisodeRow
from evaluation.goldevidence.systems.registry import get_system

DATA, RESULTS = "data.jsonl", "results.json"


@dataclass(frozen=True, slots=True)
class Hooks:
    """What a caller is told, and asked, while a sweep runs."""

    on_cell: Progress | None = None  # how many cells are done, and how many there are
    on_row: Callable[[Cell, RowResult], None] | None = None  # of adapters
    should_stop: ShouldStop | None = None


NO_HOOKS = Hooks()


@dataclass(slots=True)
class Sweep:
    """A sweep as a whole. `runs` are those that are done, in the order of the cells; `reused` were there before.

    `stopped`: it was told to. `paused`: a system cannot go on, for `pause_reason`. Either goes on when started again.
    """

    total: int
    runs: list[Run] = field(default_factory=list)
    reused: int = 0
    stopped: bool = False
    paused: bool = False
    pause_reason: str = ""

    @property
    def is_done(self) -> bool:
        """Whether every cell is."""
        return len(self.runs) == self.total


class _Place(NamedTuple):
    """Where a sweep is written, and how it answers."""

    folder: Path
    prefix: str  # of `data.path`
    env: Mapping[str, str | None]
    go_on: bool
    keep: Keep


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
    """Run every cell that is not done, write its files, and `combined.json` over all.

    Args:
        grid: What the sweep crosses.
        out: The folder to write into.
        hooks: What the caller is told and asked.
        jobs: Processes over which deterministic systems are spread; 1 starts none.
        again: Whether cells that are there are run again.
        go_on: Whether rows without an answer count as wrong and pause nothing.
        keep: What is kept of a model's replies.
        command: The command line, for the provenance.

    Returns:
        The sweep. A stop or a pause is no error.

    Raises:
        BenchmarkError: A cell is there with other settings, or a system cannot be loaded or breaks its contract.
    """
    folder = Path(out)
    prefix = folder.name if folder.is_absolute() else folder.as_posix()
    own = any(each.environment is None for each in grid.contestants)  # variables of this process count
    place = _Place(folder, prefix, of_run(settings=own), go_on, keep)
    cells = list(grid.cells())
    done = {} if again else _done(cells, folder)
    sweep = Sweep(len(cells), reused=len(done))
    folder.mkdir(parents=True, exist_ok=True)
    _write(
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
        _write(folder / COMBINED, sweep.runs)
    return sweep


def _done(cells: Sequence[Cell], folder: Path) -> dict[str, Run]:
    """The runs that are there, by folder. Raises BenchmarkError where one has other settings."""
    from evaluation.adapters.llama.model_file import sha256 as sha256_of

    done, sha256 = {}, cache(sha256_of)  # each file is read once, however many cells it answered
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
                f"{path.parent}: this cell was run with another {', '.join(changed)}. Choose another folder, or run "
                "its cells --again."
            )
        done[cell.folder] = run
    return done


def _has_another_file(run: Run, contestant: Contestant, sha256: Callable[[Path], str]) -> bool:
    """Whether the model file has the name of the one that answered and is another. One that is gone says nothing."""
    model = (run.get("provenance") or {}).get("model")
    before = model.get("sha256") if isinstance(model, Mapping) else None
    path = Path(contestant.settings.get("model", ""))
    return bool(before) and path.is_file() and sha256(path) != before


def _forget(folder: Path) -> None:
    for path in folder.glob("*") if folder.is_dir() else ():
        if path.name in (DATA, RESULTS) or path.name.startswith(Path(PREDICTIONS).stem):
            path.unlink()


def _runs(
    grid: Grid, cells: Sequence[Cell], place: _Place, hooks: Hooks, jobs: int, sweep: Sweep
) -> Iterator[tuple[Cell, Run]]:
    rules = [cell for cell in cells if cell.contestant.is_rule]
    for pair in _by_rules(grid, rules, place, jobs, hooks.should_stop):
        yield pair
        if _stops(hooks.should_stop, sweep):
            return
    if _stops(hooks.should_stop, sweep):
        return
    models = [cell for cell in cells if not cell.contestant.is_rule]
    yield from _by_adapters(grid, models, place, hooks, sweep)


def _stops(should_stop: ShouldStop | None, sweep: Sweep) -> bool:
    sweep.stopped = sweep.stopped or (should_stop is not None and should_stop())
    return sweep.stopped


def _by_rules(
    grid: Grid, cells: Sequence[Cell], place: _Place, jobs: int, should_stop: ShouldStop | None
) -> Iterator[tuple[Cell, Run]]:
    """The runs of deterministic systems, data set by data set, on several processes where there are several."""
    blocks = [list(block) for _, block in groupby(cells, key=lambda cell: cell[:2])]
    if min(jobs, len(blocks)) < 2:
        for block in blocks:
            yield from _block(grid, block, place)
        return
    method = "fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn"
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(min(jobs, len(blocks)), mp_context=context) as pool:
        futures: list[Future[list[tuple[Cell, Run]]]] = [
            pool.submit(_whole_block, grid, block, place) for block in blocks
        ]
        try:
            for future in as_completed(futures):
                yield from future.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _whole_block(grid: Grid, block: Sequence[Cell], place: _Place) -> list[tuple[Cell, Run]]:
    return list(_block(grid, block, place))


def _block(grid: Grid, block: Sequence[Cell], place: _Place) -> Iterator[tuple[Cell, Run]]:
    """The runs of the deterministic cells of one data set, which is generated once."""
    with _without_collection():
        units, written = _units(block[0]), dict[tuple[str, ...], Path]()
        for view, cells in groupby(block, key=lambda cell: cell.view):
            rows = data_rows(units, view, grid.protocol, block[0].seed)
            asked = list(asked_rows(rows, view))
            for cell in cells:
                folder = _prepared(cell, rows, place, written)
                answers = by_rule(get_system(cell.contestant.name).build(), asked, folder / PREDICTIONS)
                yield cell, _finished(grid, cell, rows, answers, place)


@contextmanager
def _without_collection() -> Iterator[None]:
    """Rows hold no cycles, and looking for some takes a tenth of the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _by_adapters(
    grid: Grid, cells: Sequence[Cell], place: _Place, hooks: Hooks, sweep: Sweep
) -> Iterator[tuple[Cell, Run]]:
    """The runs of adapters, one after another. Those that open a model alike follow each other and share it; a model
    that is opened otherwise is loaded once the one before is freed.
    """
    from evaluation.adapters.llama.engine import EngineSettings
    from evaluation.adapters.llama.sharing import shared_engines

    names = ("model", "parallel", *(each.name for each in fields(EngineSettings)))

    def opening(each: Contestant) -> list[str]:
        return [str(each.settings.get(name, "")) for name in names]

    waiting = {cell.contestant.name: cell.contestant for cell in cells}
    for _, group in groupby(sorted(waiting.values(), key=opening), key=opening):
        with shared_engines():
            for contestant in group:
                own = [cell for cell in cells if cell.contestant.name == contestant.name]
                with contestant.opened() as adapter:
                    yield from _by_adapter(grid, own, adapter, place, hooks, sweep)
                if sweep.stopped or sweep.paused:
                    return


def _by_adapter(
    grid: Grid, cells: Sequence[Cell], adapter: Adapter, place: _Place, hooks: Hooks, sweep: Sweep
) -> Iterator[tuple[Cell, Run]]:
    for _, block in groupby(cells, key=lambda cell: cell[:2]):
        own = list(block)
        units, written = _units(own[0]), dict[tuple[str, ...], Path]()
        for cell in own:
            if _stops(hooks.should_stop, sweep):
                return
            rows = data_rows(units, cell.view, grid.protocol, cell.seed)
            folder = _prepared(cell, rows, place, written)
            answers = _asked(cell, rows, adapter, folder, place, hooks)
            if answers.stopped or answers.paused:
                sweep.stopped, sweep.paused = answers.stopped, answers.paused
                sweep.pause_reason = answers.pause_reason
                return
            yield cell, _finished(grid, cell, rows, answers, place)


def _asked(
    cell: Cell, rows: Sequence[EpisodeRow], adapter: Adapter, folder: Path, place: _Place, hooks: Hooks
) -> Answers:
    on_row = hooks.on_row
    return by_adapter(
        adapter,
        list(asked_rows(rows, cell.view)),
        folder / PREDICTIONS,
        cell.identity(),
        on_row=None if on_row is None else lambda result: on_row(cell, result),
        should_stop=hooks.should_stop,
        go_on=place.go_on,
        keep=place.keep,
    )


def _units(cell: Cell) -> list[Unit]:
    return list(generate_units(cell.config, cell.seed))


def _prepared(
    cell: Cell, rows: Sequence[EpisodeRow], place: _Place, written: dict[tuple[str, ...], Path]
) -> Path:
    """The folder of a cell, with its rows.

    Args:
        cell: The cell.
        rows: Those of its data file.
        place: Where the sweep is written.
        written: The files of this data set so far, by view: cells with the same rows share one file on the disk.
    """
    folder, shared = place.folder / cell.folder, tuple(cell.view.parts)
    folder.mkdir(parents=True, exist_ok=True)
    data = folder / DATA
    if (other := written.setdefault(shared, data)) != data and _linked(other, data):
        return folder
    flat.write(data, rows)
    return folder


def _linked(other: Path, path: Path) -> bool:
    """Whether a file could be given a second name: not every disk has links."""
    path.unlink(missing_ok=True)
    try:
        os.link(other, path)
    except OSError:
        return False
    return True


def _finished(grid: Grid, cell: Cell, rows: Sequence[EpisodeRow], answers: Answers, place: _Place) -> Run:
    """The graded run of a cell, whose file says that it is done."""
    path = f"{place.prefix}/{cell.folder}" if place.prefix != "." else cell.folder
    run = run_of(grid, cell, path, rows, answers, place.env)
    _write(place.folder / cell.folder / RESULTS, run)
    return run


def _write(path: Path, content: Any) -> None:
    """JSON as a whole or not at all."""
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(orjson.dumps(content, option=orjson.OPT_INDENT_2))
    part.replace(path)
