"""Reads a sweep folder: `combined.json` (a list of runs), and one folder per run with rows and predictions.

A run is `{baseline, protocol, seed, steps, state_mode, distractor_profile, data: {path, n}, config, env, metrics,
metrics_raw, retrieval_stats}`. `data.path` is relative to the folder in which the sweep was started, or to the parent
of the sweep folder; `.gz` is allowed. The predictions are beside the rows as `preds.jsonl`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import orjson

from evaluation.core import jsonl
from evaluation.core.errors import FORM_FAULTS, BenchmarkError
from evaluation.goldevidence.records import CanonicalPrediction, EpisodeRow

Run = dict[str, Any]
COMBINED, PREDICTIONS = "combined.json", "preds.jsonl"
SWEEP = "sweep.json"  # not in the reference: the cells, and their provenance
SCHEMA_VERSION = "1.0"  # of a run, as the reference writes it
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
class RunFiles:
    rows: list[EpisodeRow]
    predictions: dict[Any, CanonicalPrediction]


def read_runs(combined: str | Path) -> list[Run]:
    """Read the runs of a sweep. Raises BenchmarkError if the file is not a sweep."""
    try:
        runs = orjson.loads(Path(combined).read_bytes())
    except orjson.JSONDecodeError as error:
        raise BenchmarkError(f"{combined}: not JSON: {error}") from error
    if not isinstance(runs, list) or not all(isinstance(run, dict) for run in runs):
        raise BenchmarkError(f"{combined}: a sweep is a JSON list of runs")
    return runs


def runs_of(combined: str | Path, runs: Sequence[Run] | None) -> Sequence[Run]:
    """Return `runs` if given, else read them from `combined`. Raises BenchmarkError if the file is not a sweep."""
    return read_runs(combined) if runs is None else runs


def run_files(combined: str | Path, run: Run) -> RunFiles:
    """Read the rows and predictions of a run. Raises BenchmarkError if a file is missing."""
    try:
        data = _data(Path(combined).resolve().parent, run["data"]["path"])
    except FORM_FAULTS as error:
        raise BenchmarkError(f"{combined}: a run has no data.path") from error
    predictions = cast(Iterator[CanonicalPrediction], jsonl.read(_existing(data.parent / PREDICTIONS)))
    by_id = {prediction["id"]: prediction for prediction in predictions if "id" in prediction}
    return RunFiles(list(cast(Iterator[EpisodeRow], jsonl.read(data))), by_id)


def _data(folder: Path, named: str) -> Path:
    """Find the data file `named` of a run, even if the sweep was moved. Raises BenchmarkError if it is missing."""
    beside, here = folder.joinpath(*Path(named).parts[-2:]), Path(named)
    for candidate in (folder.parent / named, beside, here):
        if candidate.is_file() or candidate.with_name(f"{candidate.name}.gz").is_file():
            return _existing(candidate)
    return _existing(folder.parent / named)


def _existing(path: Path) -> Path:
    for candidate in (path, path.with_name(f"{path.name}.gz")):
        if candidate.is_file():
            return candidate
    raise BenchmarkError(f"{path}: this file of the sweep is missing (also with .gz)")
