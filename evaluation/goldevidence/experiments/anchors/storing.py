"""Stores our measurements of the published figures in `measured.json`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError
from evaluation.goldevidence.experiments.anchors.data import DATASETS, fingerprint_of, reference_rows, rows_of
from evaluation.goldevidence.experiments.anchors.measuring import Figures, figures_of
from evaluation.goldevidence.experiments.anchors.records import PACKAGE, PublishedTable, Run, published
from evaluation.goldevidence.records import EpisodeRow

FILE = "measured.json"
DIGITS = 6  # digits stored: more than any table publishes


class Measured(NamedTuple):
    """Our measurement of one published row. Figures are None if not measured, or not part of the reference's data."""

    table: str
    row: int  # from 0
    reference: Figures | None  # our code on the reference's data
    own: Figures | None  # our code on our generator's data


def measure(reference_dir: str | Path | None = None) -> Iterator[Measured]:
    """Measure every published row that needs no language model. Raises BenchmarkError if the folder has no data.

    Without `reference_dir` the figures on the reference's data are the stored figures, not measured again.
    """
    at_hand = reference_rows(reference_dir) if reference_dir else None
    known = {(each.table, each.row): each.reference for each in stored()} if at_hand is None else {}
    for table in published():
        for number, row in enumerate(table.rows):
            asked = _asked(table, number)
            if not asked:
                yield Measured(table.id, number, None, None)
                continue
            run = table.run_of(row)
            own = _kept(figures_of(run, rows_of(run.data)), asked)
            theirs = known.get((table.id, number)) if at_hand is None else _on(run, at_hand, asked)
            yield Measured(table.id, number, theirs, own)


def _asked(table: PublishedTable, number: int) -> list[str]:
    """Return the names of the figures in row `number` that can be measured without a language model."""
    if table.expected(number) == "not_tried":
        return []
    return [name for name in table.figures if name not in table.of_model(table.rows[number])]


def _on(run: Run, rows: Mapping[str, Sequence[EpisodeRow]], asked: Iterable[str]) -> Figures | None:
    return _kept(figures_of(run, rows[run.data]), asked) if run.data in rows else None


def _kept(figures: Figures, names: Iterable[str]) -> Figures:
    return {name: round(figures[name], DIGITS) for name in names if name in figures}


def fingerprints() -> dict[str, str]:
    """Return the SHA-256 of each data set's rows, as the current generator makes them."""
    return {name: fingerprint_of(name) for name in DATASETS}


def stored() -> tuple[Measured, ...]:
    """Return the stored measurements; empty if the file has none yet."""
    return tuple(Measured(**each) for each in _document()["rows"])


def stored_fingerprints() -> dict[str, str]:
    """Return the SHA-256 of the rows on which the stored figures were measured, by data set."""
    return dict(_document()["datasets"])


def is_current(measured: Sequence[Measured]) -> bool:
    """True if the stored measurements equal `measured`, and the generator still makes the rows behind them."""
    return tuple(measured) == stored() and fingerprints() == stored_fingerprints()


def write(measured: Iterable[Measured], path: str | Path | None = None) -> Path:
    """Store measurements, by default in the package. Raises BenchmarkError if the folder is not writable."""
    target = Path(path) if path else Path(str(files(PACKAGE).joinpath(FILE)))
    document = {
        "written_by": "make anchors",
        "datasets": fingerprints(),
        "rows": [each._asdict() for each in measured],
    }
    try:
        with jsonl.fresh(target) as out:
            out.write(f"{json.dumps(document, indent=1)}\n".encode())
    except OSError as error:
        raise BenchmarkError(
            f"{target}: cannot be written ({error.strerror}); run this in a checkout"
        ) from error
    return target


def _document() -> Any:
    file = files(PACKAGE).joinpath(FILE)
    if not file.is_file():
        return {"datasets": {}, "rows": []}
    return json.loads(file.read_text(encoding="utf-8"))
