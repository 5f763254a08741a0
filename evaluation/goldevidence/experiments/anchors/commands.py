"""Builds commands that measure a published table with a language model, and counts their questions and words."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from evaluation.adapters.estimate import about
from evaluation.core.terminal.wording import number_of
from evaluation.goldevidence.adapters.within import words_shown
from evaluation.goldevidence.conditions.conditions import Condition
from evaluation.goldevidence.experiments.anchors.data import DATASETS, TRAINED
from evaluation.goldevidence.experiments.anchors.records import (
    LANGUAGE_MODEL,
    PublishedTable,
    Run,
    published,
)
from evaluation.goldevidence.experiments.sweep.grid import View
from evaluation.goldevidence.experiments.sweep.views import asked_rows, data_rows
from evaluation.goldevidence.generator.config import GeneratorConfig
from evaluation.goldevidence.generator.episodes import Unit, generate_units
from evaluation.goldevidence.generator.fields import SETTINGS

#: Printed once, for the commands of all tables.
ESTIMATES = (
    "With --estimate a command answers a few rows with your model and prints the estimated total duration. For a "
    "server use --adapter openai_compatible --set base_url=URL instead of --adapter retrieval and its selectors; with "
    "its prices (--set price_in=…, --set price_out=…) the estimate includes the cost."
)
#: Seconds per question of a 7B model on a CPU: the reference's guess.
SECONDS = 30.0
MODEL = "MODEL.gguf"
#: Generator settings that a sweep takes as lists -> option.
_LISTED = {"steps": "--steps", "state_mode": "--state-modes", "distractor_profile": "--distractor-profiles"}


@dataclass(frozen=True, slots=True)
class HowToRun:
    commands: tuple[str, ...]
    questions: int
    words: int

    @property
    def script(self) -> str:
        return "\n".join(self.commands)

    @property
    def cost(self) -> str:
        asked = f"{number_of(self.questions, 'question')} over {self.words:,} words of evidence"
        return f"{asked}: {about(self.questions * SECONDS)} at {SECONDS:g} s a question."


@cache
def how_to_run(of: str) -> HowToRun | None:
    """Return the commands that reproduce the published table with id `of`, or None if it needs no language model."""
    [table] = [each for each in published() if each.id == of]
    runs = [table.run_of(row) for row in table.rows if table.of_model(row)]
    if not runs:
        return None
    seeds, config = _data(table, runs[0])
    systems = list(dict.fromkeys(str(table.here.get("system", run.system)) for run in runs))
    conditions = list(dict.fromkeys((run.k, run.order or "shuffle") for run in runs))
    asked = [_size(config, seeds, k, runs[0].gate) for k, _ in conditions]
    trained = [name for name in systems if name in TRAINED]
    typed = shlex.join(_sweep(table, runs, systems, seeds, config))
    times = len(systems) * len(_models(table))
    questions, words = (times * sum(sizes) for sizes in zip(*asked, strict=True))
    return HowToRun((*_training(trained), typed), questions, words)


def _models(table: PublishedTable) -> list[str]:
    """Return a placeholder file name for each model in the table; readers put in their own models."""
    if "model" not in table.columns[: table.labels]:
        return [MODEL]
    names = {row[table.columns.index("model")] for row in table.rows}
    return [f"MODEL-{number}.gguf" for number in range(1, len(names) + 1)]


def _data(table: PublishedTable, run: Run) -> tuple[int, GeneratorConfig]:
    dataset = DATASETS[run.data]
    steps = int(table.here.get("steps", dataset.config.steps))
    return int(table.here.get("seeds", dataset.seeds)), dataset.config.having(steps=steps)


@cache
def _size(config: GeneratorConfig, seeds: int, k: int, gate: bool) -> tuple[int, int]:
    view = View(Condition.from_json({"k": k}), gate)
    rows = [row for seed in range(seeds) for row in data_rows(_units(config, seed), view, "closed", seed)]
    return len(rows), words_shown(asked_rows(rows, view))


@cache
def _units(config: GeneratorConfig, seed: int) -> list[Unit]:
    return list(generate_units(config, seed))


def _training(systems: list[str]) -> Iterator[str]:
    """Yield the commands that train a linear selector as the reference's README does."""
    if not systems:
        return
    data, examples = "data/training.jsonl", "data/training_examples.jsonl"
    config = DATASETS[TRAINED[systems[0]][0]].config
    mode = [] if config.state_mode == "kv" else ["--state-mode", config.state_mode]
    yield shlex.join(["goldevidencebench", "generate", "--out", data, "--seed", "0", *mode])
    gold = ["--use-gold-support"] if TRAINED[systems[0]][1].use_gold_support else []
    yield shlex.join(
        ["goldevidencebench", "selector", "export", "--data", data, "--out", examples, "--k", "4", *gold]
    )
    yield shlex.join(
        ["goldevidencebench", "selector", "train", "--data", examples, "--out", "models/linear.json"]
    )


def _sweep(
    table: PublishedTable, runs: list[Run], systems: list[str], seeds: int, config: GeneratorConfig
) -> Iterator[str]:
    yield from ("goldevidencebench", "sweep", "run", "--out", f"runs/{table.id}")
    selectors = (
        "none" if name == LANGUAGE_MODEL else "linear" if name in TRAINED else name for name in systems
    )
    yield from ("--adapter", "retrieval", "--selectors", ",".join(selectors))
    models = _models(table)
    yield from ("--vary-set" if len(models) > 1 else "--set", f"model={','.join(models)}")
    if any(name in TRAINED for name in systems):
        yield from ("--set", "linear_model=models/linear.json")
    for option, values in (
        ("--k-list", [run.k for run in runs]),
        ("--orders", [run.order or "shuffle" for run in runs]),
    ):
        yield from (option, ",".join(map(str, dict.fromkeys(values))))
    if runs[0].gate:
        yield from ("--authority-filter", "on")
    yield from ("--seeds", str(seeds))
    yield from _settings(config)


def _settings(config: GeneratorConfig) -> Iterator[str]:
    for name, setting in SETTINGS.items():
        value, flag = getattr(config, name), "--" + name.replace("_", "-")
        if name in _LISTED:
            yield from (_LISTED[name], str(value))
        elif value == setting.default and name not in ("episodes", "keys", "chapters"):
            continue
        elif isinstance(value, bool):
            yield flag if value else f"--no-{flag[2:]}"
        else:
            yield from (flag, f"{value:g}" if isinstance(value, float) else str(value))
