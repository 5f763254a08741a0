"""Sweeps: a grid of settings, each cell generated, answered and graded into a folder of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, product
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple, cast

import orjson

from evaluation.core import jsonl
from evaluation.core.checks import Checks
from evaluation.core.suite import Progress
from evaluation.goldevidence.conditions.conditions import Condition, condition_rows
from evaluation.goldevidence.data import flat
from evaluation.goldevidence.data.ledger import parse_book
from evaluation.goldevidence.data.rubrics import RUBRICS
from evaluation.goldevidence.experiments.sweep_folder import COMBINED, PREDICTIONS, Run
from evaluation.goldevidence.experiments.traces import condition_trace
from evaluation.goldevidence.generator.config import GeneratorConfig
from evaluation.goldevidence.generator.episodes import generate_units
from evaluation.goldevidence.grading.grade import grade_files
from evaluation.goldevidence.records import CanonicalPrediction, EpisodeRow
from evaluation.goldevidence.systems.registry import get_system

SCHEMA_VERSION = "1.0"
DATA, RESULTS = "data.jsonl", "results.json"
METRICS = {  # name in a sweep -> name in a report
    "value_acc": "value_acc",
    "exact_acc": "exact_acc",
    "cite_f1": "cite_f1",
    "cite_p": "cite_p",
    "cite_r": "cite_r",
    "entailment": "entailment",
    "twin_consistency": "twin_consistency",
    "twin_flip_rate": "twin_flip_rate",
    "instruction_acc": "instr_acc",
    "instruction_gap": "instr_gap",
    "instr_override_rate": "instr_override",
    "state_integrity_rate": "state_integrity",
}


@dataclass(frozen=True, slots=True)
class Grid:
    """What a sweep crosses. Without conditions each system answers the whole book. Raises SettingsError."""

    systems: Sequence[str]
    config: GeneratorConfig = field(default_factory=GeneratorConfig)
    seeds: int = 1
    steps: Sequence[int] = (220,)
    state_modes: Sequence[str] = ("kv",)
    distractor_profiles: Sequence[str] = ("standard",)
    conditions: Sequence[Condition] = ()
    rubric: str = "strict"

    def __post_init__(self) -> None:
        """Everything is checked before the first cell runs. Raises SettingsError and UnknownNameError."""
        checks = Checks(self)
        checks.integer("seeds", 1, 100_000)
        checks.one_of("rubric", RUBRICS)
        for name in ("systems", "steps", "state_modes", "distractor_profiles"):
            values = list(getattr(self, name))
            if not values or len(set(values)) < len(values):
                checks.refuse(name, "must name something, and nothing twice.")
        names = [condition.name for condition in self.conditions]
        if len(set(names)) < len(names):
            checks.refuse("conditions", "must not repeat a name.")
        checks.done()
        for system in self.systems:
            get_system(system)
        for steps, mode, profile in product(self.steps, self.state_modes, self.distractor_profiles):
            self.config.having(steps=steps, state_mode=mode, distractor_profile=profile)

    def __len__(self) -> int:
        episodes = self.seeds * len(self.steps) * len(self.state_modes) * len(self.distractor_profiles)
        return episodes * len(self.systems) * max(1, len(self.conditions))

    def cells(self) -> Iterator[Cell]:
        """Seed by seed, then steps, state mode, profile; conditions and systems vary fastest."""
        for seed, steps, mode, profile in product(
            range(self.seeds), self.steps, self.state_modes, self.distractor_profiles
        ):
            config = self.config.having(steps=steps, state_mode=mode, distractor_profile=profile)
            for condition, system in product(self.conditions or (None,), self.systems):
                yield Cell(seed, config, condition, system)


class Cell(NamedTuple):
    """One system under one condition (None: the whole book) on the episodes of one seed."""

    seed: int
    config: GeneratorConfig
    condition: Condition | None
    system: str

    @property
    def folder(self) -> str:
        """`seed0-steps220-modekv-profstandard-latest_step-k4-shuffle`"""
        config = self.config
        place = f"seed{self.seed}-steps{config.steps}-mode{config.state_mode}-prof{config.distractor_profile}"
        return "-".join([place, self.system, *([self.condition.name] if self.condition else [])])


def run_sweep(grid: Grid, out: str | Path, progress: Progress | None = None) -> list[Run]:
    """Run every cell, write its files, and `combined.json` over all.

    Args:
        grid: What the sweep crosses.
        out: The folder to write into.
        progress: Called after each cell with how many are done and how many there are.

    Returns:
        The runs, one per cell.

    Raises:
        UnknownNameError: There is no such system.
    """
    folder = Path(out).resolve()
    runs: list[Run] = []
    for (seed, config, condition), cells in groupby(grid.cells(), key=lambda cell: cell[:3]):
        rows = list(_rows(config, seed, condition))
        for cell in cells:
            runs.append(_run(cell, rows, folder, grid.rubric))
            if progress:
                progress(len(runs), len(grid))
    (folder / COMBINED).write_bytes(orjson.dumps(runs, option=orjson.OPT_INDENT_2))
    return runs


def _rows(config: GeneratorConfig, seed: int, condition: Condition | None) -> Iterator[EpisodeRow]:
    for unit in generate_units(config, seed):
        if condition is None:
            yield from unit.rows
            continue
        for book, rows in groupby(unit.rows, key=lambda row: row["book"]):
            yield from condition_rows(list(rows), parse_book(book), [condition], seed)


def _run(cell: Cell, rows: list[EpisodeRow], folder: Path, rubric: str) -> Run:
    place = folder / cell.folder
    place.mkdir(parents=True, exist_ok=True)
    started = perf_counter()
    predictions = list(_answers(cell.system, rows))
    wall = perf_counter() - started
    flat.write(place / DATA, rows)
    jsonl.write(place / PREDICTIONS, predictions)
    report = grade_files(place / DATA, place / PREDICTIONS, rubric=rubric)
    run: Run = {
        "adapter_schema_version": SCHEMA_VERSION,
        "baseline": cell.system,
        "protocol": "closed_book",
        "seed": cell.seed,
        "steps": cell.config.steps,
        "state_mode": cell.config.state_mode,
        "distractor_profile": cell.config.distractor_profile,
        "data": {"path": f"{folder.name}/{cell.folder}/{DATA}", "n": len(rows)},
        "config": cell.config.as_json() | {"condition": cell.condition.name if cell.condition else None},
        "env": {},
        "metrics": {name: report.metrics.get(ours) for name, ours in METRICS.items()},
        "metrics_raw": None,
        "efficiency": {"wall_s": wall, "wall_s_per_q": wall / len(rows) if rows else None},
        "retrieval_stats": _traces(cell.condition, rows, predictions),
    }
    (place / RESULTS).write_bytes(orjson.dumps(run, option=orjson.OPT_INDENT_2))
    return run


def _answers(name: str, rows: Iterable[EpisodeRow]) -> Iterator[CanonicalPrediction]:
    """Predictions of a named system, which sees no gold."""
    system = get_system(name).build()
    for row in rows:
        unseen = {field: value for field, value in row.items() if field != "gold"}
        yield system.predict(cast(EpisodeRow, unseen))


def _traces(
    condition: Condition | None, rows: list[EpisodeRow], predictions: list[CanonicalPrediction]
) -> list[dict[str, Any]]:
    if condition is None:
        return []
    return [
        condition_trace(row, prediction, condition) for row, prediction in zip(rows, predictions, strict=True)
    ]
