"""The tables of a sweep, beside its `combined.json`: summary (JSON and CSV), decomposition, recency."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from evaluation.goldevidence.experiments.summary import decompositions, flat_runs, summarize, to_csv


class Tables(NamedTuple):
    """What a sweep says as a whole: its summary, and its decomposition by run."""

    summary: dict[str, Any]
    decompositions: list[dict[str, Any]]


def tables_of(combined: str | Path) -> Tables:
    """The summary and the decomposition of a sweep. Raises BenchmarkError where it is none."""
    return Tables(summarize(combined), list(decompositions(combined)))


def write_tables(combined: str | Path) -> Tables:
    """Write all of them.

    Args:
        combined: The file that holds the runs.

    Returns:
        What was written.

    Raises:
        BenchmarkError: It is no sweep.
    """
    folder, known = Path(combined).parent, tables_of(combined)
    (folder / "summary.json").write_bytes(orjson.dumps(known.summary, option=orjson.OPT_INDENT_2))
    tables = {
        "summary.csv": flat_runs(combined),
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
