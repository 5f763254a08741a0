"""Writes the files of a cell (one combination of a sweep's settings): its rows and its graded run."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from evaluation.adapters.transcripts.record import Keep
from evaluation.core.files import flat
from evaluation.goldevidence.experiments.sweep.answering import Answers
from evaluation.goldevidence.experiments.sweep.grid import Cell, Grid
from evaluation.goldevidence.experiments.sweep.record import run_of
from evaluation.goldevidence.experiments.sweep_folder import Run
from evaluation.goldevidence.records import EpisodeRow

DATA, RESULTS = "data.jsonl", "results.json"


class Place(NamedTuple):
    folder: Path
    prefix: str  # of `data.path`
    env: Mapping[str, str | None]
    go_on: bool
    keep: Keep


def prepared(
    cell: Cell, rows: Sequence[EpisodeRow], place: Place, written: dict[tuple[str, ...], Path]
) -> Path:
    """Create the folder of a cell with its rows. Cells with equal rows share one file, which `written` records."""
    folder, shared = place.folder / cell.folder, tuple(cell.view.parts)
    folder.mkdir(parents=True, exist_ok=True)
    data = folder / DATA
    if (other := written.setdefault(shared, data)) != data and _linked(other, data):
        return folder
    flat.write(data, rows)
    return folder


def _linked(other: Path, path: Path) -> bool:
    path.unlink(missing_ok=True)
    try:
        os.link(other, path)
    except OSError:
        return False
    return True


def finished(grid: Grid, cell: Cell, rows: Sequence[EpisodeRow], answers: Answers, place: Place) -> Run:
    """Grade a cell, and write the run's file, whose presence marks the cell as done."""
    path = f"{place.prefix}/{cell.folder}" if place.prefix != "." else cell.folder
    run = run_of(grid, cell, path, rows, answers, place.env)
    write_json(place.folder / cell.folder / RESULTS, run)
    return run


def write_json(path: Path, content: Any) -> None:
    """Write a JSON file atomically."""
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(orjson.dumps(content, option=orjson.OPT_INDENT_2))
    part.replace(path)
