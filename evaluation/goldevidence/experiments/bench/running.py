"""Runs the parts of a bench on one system. A model is loaded only once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import orjson

from evaluation.adapters.transcripts.record import Keep
from evaluation.core.suite import Progress
from evaluation.goldevidence.experiments.bench.bars import BARS, Bar, Judged, judge
from evaluation.goldevidence.experiments.bench.parts import PARTS, SELECTORS, Part, Size
from evaluation.goldevidence.experiments.sweep import NO_HOOKS, Contestant, Grid, Hooks, Sweep, run_sweep
from evaluation.goldevidence.experiments.sweep.contestants import adapters_with
from evaluation.goldevidence.experiments.sweep.report import write_tables
from evaluation.goldevidence.experiments.sweep_folder import COMBINED, Run

BENCH = "bench.json"


@dataclass(slots=True)
class Bench:
    system: str
    size: Size
    runs: dict[str, list[Run]] = field(default_factory=dict)
    judged: list[Judged] = field(default_factory=list)
    unfinished: Sweep | None = None  # the part in which it was stopped or paused

    @property
    def missed(self) -> list[Judged]:
        return [each for each in self.judged if each.reached is False]


def grids(who: Contestant, size: Size, names: Sequence[str] = ()) -> dict[str, Grid]:
    """Return the grids of the parts in `names`; if `names` is empty, of all parts that fit the system."""
    chosen = (
        [PARTS[name] for name in names]
        if names
        else [part for part in PARTS.values() if fits(part, who.adapter)]
    )
    return {part.name: part.grid(_contestants(part, who), size) for part in chosen}


def fits(part: Part, adapter: str) -> bool:
    """True if a part can be run with an adapter; `adapter` is empty for a deterministic system."""
    # `retrieval`, in which rules pick the line, runs local models only.
    return not part.with_selectors or adapter == "llama_cpp"


def _contestants(part: Part, who: Contestant) -> list[Contestant]:
    if not part.with_selectors:
        return [who]
    asked = adapters_with(["retrieval"], who.settings, {"selector": SELECTORS}, who.environment)
    return [replace(each, aliases=who.aliases) for each in asked]


def run_bench(
    who: Contestant,
    size: Size,
    out: str | Path,
    hooks: Hooks = NO_HOOKS,
    *,
    parts: Sequence[str] = (),
    bars: Sequence[Bar] = BARS,
    jobs: int = 1,
    again: bool = False,
    go_on: bool = False,
    keep: Keep = Keep.FULL,
    command: str = "",
) -> Bench:
    """Run the unfinished parts, judge the thresholds, and write `bench.json`. A stop or a pause is not an error.

    `out` gets one folder per part. `hooks` count cells over all parts. Without `parts` all parts that fit are run.
    `again` reruns finished cells; `go_on` counts rows without an answer as wrong instead of pausing. `command` is
    stored as provenance. Raises BenchmarkError if a cell exists with other settings, or if the system cannot be loaded
    or breaks its contract.
    """
    from evaluation.adapters.llama.sharing import shared_engines

    folder, bench, chosen = Path(out), Bench(who.name, size), grids(who, size, parts)
    total, before = sum(map(len, chosen.values())), 0
    with shared_engines():
        for name, grid in chosen.items():
            sweep = run_sweep(
                grid,
                folder / name,
                replace(hooks, on_cell=_counted(hooks.on_cell, before, total)),
                jobs=jobs,
                again=again,
                go_on=go_on,
                keep=keep,
                command=command,
            )
            write_tables(folder / name / COMBINED)
            before += len(grid)
            if not sweep.is_done:
                bench.unfinished = sweep
                break
            bench.runs[name] = sweep.runs
    bench.judged = judge(bars, bench.runs)
    (folder / BENCH).write_bytes(orjson.dumps(_as_json(bench), option=orjson.OPT_INDENT_2))
    return bench


def _counted(on_cell: Progress | None, before: int, total: int) -> Progress | None:
    if on_cell is None:
        return None
    return lambda done, _: on_cell(before + done, total)


def _as_json(bench: Bench) -> Mapping[str, object]:
    return {
        "system": bench.system,
        "size": bench.size._asdict(),
        "parts": {name: {"runs": len(runs), "folder": name} for name, runs in bench.runs.items()},
        "finished": bench.unfinished is None,
        "bars": [each.as_json() for each in bench.judged],
    }
