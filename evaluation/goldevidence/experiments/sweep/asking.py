"""Runs adapters in a sweep. Each answer is saved before the next row is sent, so an interrupted cell can continue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import groupby
from pathlib import Path
from typing import Any

from evaluation.adapters.base import Adapter, ShouldStop
from evaluation.adapters.kinds import get_kind
from evaluation.adapters.llama.engine import EngineSettings
from evaluation.adapters.llama.sharing import shared_engines
from evaluation.adapters.prompt_sets import part_of_identity
from evaluation.adapters.run_files import RunFiles
from evaluation.adapters.runner import TRUNCATED, OnRow, efficiency, provenance
from evaluation.adapters.transcripts.record import Keep
from evaluation.core import jsonl
from evaluation.core.statistics.efficiency import figures
from evaluation.goldevidence.adapters.within import words_shown
from evaluation.goldevidence.experiments.sweep.answering import Answers
from evaluation.goldevidence.experiments.sweep.cells import Place, finished, prepared
from evaluation.goldevidence.experiments.sweep.contestants import Contestant
from evaluation.goldevidence.experiments.sweep.grid import Cell, Grid
from evaluation.goldevidence.experiments.sweep.hooks import Hooks, Sweep
from evaluation.goldevidence.experiments.sweep.views import asked_rows, data_rows
from evaluation.goldevidence.experiments.sweep_folder import PREDICTIONS, Run
from evaluation.goldevidence.generator.episodes import generate_units
from evaluation.goldevidence.records import EpisodeRow

#: Means that a sweep stores under the reference's names: `tokens_per_q`, `wall_s_per_q`.
NAMED_OTHERWISE = ("tokens_per_query", "wall_s_per_query")


def by_adapters(
    grid: Grid, cells: Sequence[Cell], place: Place, hooks: Hooks, sweep: Sweep
) -> Iterator[tuple[Cell, Run]]:
    """Run adapters one after another, and yield their runs. `sweep` records stops and pauses. Raises BenchmarkError."""
    # Adapters that open a model alike are adjacent and share it; any other model is loaded once the last is freed.
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
    grid: Grid, cells: Sequence[Cell], adapter: Adapter, place: Place, hooks: Hooks, sweep: Sweep
) -> Iterator[tuple[Cell, Run]]:
    for _, block in groupby(cells, key=lambda cell: cell[:2]):
        own = list(block)
        units, written = list(generate_units(own[0].config, own[0].seed)), dict[tuple[str, ...], Path]()
        for cell in own:
            if sweep.stops(hooks.should_stop):
                return
            rows = data_rows(units, cell.view, grid.protocol, cell.seed)
            folder = prepared(cell, rows, place, written)
            answers = _asked(cell, rows, adapter, folder, place, hooks)
            if answers.stopped or answers.paused:
                sweep.stopped, sweep.paused = answers.stopped, answers.paused
                sweep.pause_reason = answers.pause_reason
                return
            yield cell, finished(grid, cell, rows, answers, place)


def _asked(
    cell: Cell, rows: Sequence[EpisodeRow], adapter: Adapter, folder: Path, place: Place, hooks: Hooks
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


def by_adapter(
    adapter: Adapter,
    rows: Sequence[EpisodeRow],
    path: Path,
    identity: Mapping[str, object],
    *,
    on_row: OnRow | None,
    should_stop: ShouldStop | None,
    go_on: bool,
    keep: Keep,
) -> Answers:
    """Answer rows with an adapter. Each answer is saved before the next row is sent; rows already answered are skipped.

    Journal and transcripts are stored beside `path`. Raises BenchmarkError if the file was started with another
    `identity`. `should_stop` is called between rows and within a row. `go_on` counts rows without an answer as wrong
    instead of pausing. Raises AdapterError if the system breaks its contract.
    """
    told = provenance(adapter)
    kind, whole = get_kind("goldevidence"), dict(identity) | part_of_identity(told)
    with RunFiles(path, whole, resume=True, keep_unanswered=go_on, kind=kind, keep=keep) as files:
        summary = files.answer(
            rows, adapter, protocol=None, on_row=on_row, should_stop=should_stop, may_pause=not go_on
        )
    done = not (summary.paused or summary.cancelled)
    if done:
        files.transcripts.pack()
    usage = summary.usage + files.usage
    costs = efficiency(usage, summary.asked + summary.skipped)
    costs = {name: value for name, value in costs.items() if name not in NAMED_OTHERWISE}
    tokens = usage.prompt_tokens + usage.generated_tokens + usage.forced_tokens
    spent = figures(
        tokens or words_shown(rows),
        usage.passes or 1,
        usage.wall_s,
        len(rows),
        usage.prefill_s,
        usage.decode_s,
    )
    lines: list[Mapping[str, object]] = list(jsonl.read(path)) if path.stat().st_size else []
    return Answers(
        lines,
        {**costs, **spent},
        dict(summary.states),
        _without_earlier_cells(summary.provenance, told),
        stopped=summary.cancelled,
        paused=summary.paused,
        pause_reason=summary.pause_reason,
    )


def _without_earlier_cells(told: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, object]:
    if not isinstance(cut := told.get(TRUNCATED), int):
        return dict(told)
    return {**told, TRUNCATED: cut - int(before.get(TRUNCATED) or 0)}
