"""The tables of a sweep, beside its `combined.json`: summary (JSON and CSV), decomposition, recency."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from evaluation.goldevidence.experiments.summary import flat_runs, summary_and_decompositions, to_csv
from evaluation.goldevidence.experiments.sweep_folder import Run, runs_of


class Tables(NamedTuple):
    """What a sweep says as a whole: its summary, and its decomposition by run."""

    summary: dict[str, Any]
    decompositions: list[dict[str, Any]]


def tables_of(combined: str | Path, runs: Sequence[Run] | None = None) -> Tables:
    """The summary and the decomposition of a sweep.

    Args:
        combined: The file that holds the runs.
        runs: Those, where they are at hand.

    Raises:
        BenchmarkError: It is no sweep.
    """
    return Tables(*summary_and_decompositions(combined, runs_of(combined, runs)))


def write_tables(combined: str | Path, runs: Sequence[Run] | None = None) -> Tables:
    """Write all of them.

    Args:
        combined: The file that holds the runs.
        runs: Those, where they are at hand.

    Returns:
        What was written.

    Raises:
        BenchmarkError: It is no sweep.
    """
    folder, runs = Path(combined).parent, runs_of(combined, runs)
    known = tables_of(combined, runs)
    (folder / "summary.json").write_bytes(orjson.dumps(known.summary, option=orjson.OPT_INDENT_2))
    tables = {
        "summary.csv": flat_runs(combined, runs),
        "decomposition.csv": known.decompositions,
        "recency.csv": recency_lines(known.summary),
    }
    for name, lines in tables.items():
        (folder / name).write_text(to_csv(lines), encoding="utf-8")
    return known


def recency_lines(summary: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """One line a bucket: what is measured, the bucket, its rows and accuracies."""
    for measure, buckets in summary["recency"].items():
        for bucket in buckets:
            yield {"measure": measure, **bucket}
