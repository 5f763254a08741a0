"""Questions, metrics and verdicts of a benchmark as DataFrames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

import pandas as pd

from evaluation.core import jsonl
from evaluation.core.files.documents.form import document_named
from evaluation.core.records import Figures, Row, Verdict
from evaluation.core.report import Report
from evaluation.core.suite import Suite
from evaluation.frames.files import kind_of_file, read_frame, write_frame
from evaluation.frames.schema import METRICS, ROWS, VERDICTS
from evaluation.frames.typed import frame_of, typed
from evaluation.frames.verdict_file import FIGURE, record_of, verdict_table, write_verdicts

#: Grouping and group of metrics over the whole report.
ALL = "all"


def rows_frame(rows: Iterable[Row], suite: Suite) -> pd.DataFrame:
    """A DataFrame in the form of `schema.ROWS`, one line per question. A row may have several questions.

    Rows may be public or have gold. They may lack the texts of the documents that they refer to.
    """
    return frame_of(_lines(rows, suite), ROWS)


def _lines(rows: Iterable[Row], suite: Suite) -> Iterator[dict[str, object]]:
    for number, row in enumerate(rows, 1):
        document = document_named(row)
        whole, splits = jsonl.dumps(row).decode(), suite.expected([row]).splits
        for preview in suite.row_previews(row):
            words = sum(len(text.split()) for _, text in preview.parts)
            yield {
                "id": preview.id,
                "line": number,
                "split": splits.get(preview.id),
                "question": preview.question,
                "document_id": document,
                "shown": words if document is None else None,
                "row": whole,
            }


def metrics_frame(report: Report) -> pd.DataFrame:
    """A DataFrame in the form of `schema.METRICS`: each metric with its interval, over all rows and over each group.

    Rates lie in [0, 1]. For a table of one grouping: `frame.pivot(index="group", columns="metric", values="value")`.
    """
    return frame_of(_figures(report), METRICS)


def _figures(report: Report) -> Iterator[dict[str, object]]:
    yield from _group_lines(ALL, ALL, {"metrics": report.metrics, "intervals": report.intervals})
    for grouping, groups in report.groups.items():
        for group, figures in groups.items():
            yield from _group_lines(grouping, group, figures)


def _group_lines(grouping: str, group: str, figures: Figures) -> Iterator[dict[str, object]]:
    intervals = figures.get("intervals") or {}
    for name, value in figures["metrics"].items():
        low, high = intervals.get(name) or (None, None)
        place = {"grouping": grouping, "group": group, "metric": name}
        yield place | {"value": value, "low": low, "high": high}


def verdicts_frame(report: Report) -> pd.DataFrame:
    """A DataFrame in the form of `schema.VERDICTS`, one line per row. Its metrics are the columns `figure_<metric>`."""
    frame = frame_of(map(record_of, report.rows), verdict_table())
    figures = {
        f"figure_{name}": typed(figure.tolist(), FIGURE.kind) for name, figure in report.row_figures.items()
    }
    complete = frame.pop("verdict")
    return pd.concat([frame, pd.DataFrame(figures, index=frame.index), complete], axis=1)


def read_verdicts(path: str | Path) -> pd.DataFrame:
    """Read verdicts as a DataFrame in the form of `schema.VERDICTS`.

    The file was written by `write_verdicts` or `write_frame`, or contains JSON lines (gzip or not). JSON lines contain
    complete verdicts, as `grade --rows-out` writes them and older sites stored them. They have no columns
    `figure_<metric>`. Raises BenchmarkError if the file has no verdicts.
    """
    if Path(path).suffix in (".gz", ".jsonl") and not _is_flat(path):
        verdicts = cast(Iterator[Verdict], jsonl.read(path))
        return frame_of(map(record_of, verdicts), verdict_table())
    return read_frame(path, VERDICTS)


def _is_flat(path: str | Path) -> bool:
    # JSON lines written from a frame hold the complete verdict as text.
    return isinstance(next(jsonl.read(path), {}).get("verdict"), str)


class ReportFiles:
    """Writes verdicts and metrics of a report to two files. A file with an empty name is not written.

    Create this object before grading, so that an unknown suffix is refused before the work is done.
    """

    def __init__(self, verdicts: str, metrics: str, *, sources: Sequence[str | Path] = ()) -> None:
        """Check the suffixes, and write nothing yet. `sources` may not be overwritten. Raises UnknownNameError."""
        self._verdicts, self._metrics, self._sources = verdicts, metrics, sources
        for path in filter(None, (verdicts, metrics)):
            kind_of_file(path)

    def write(self, report: Report) -> None:
        """Write the files. Raises BenchmarkError if a file is one of the sources."""
        if self._verdicts:
            self._write_verdicts(report, dict(report.settings))
        if self._metrics:
            write_frame(metrics_frame(report), METRICS, self._metrics, sources=self._sources)

    def _write_verdicts(self, report: Report, about: Mapping[str, object]) -> None:
        figures = list(report.row_figures)
        if kind_of_file(self._verdicts) != "parquet":
            table = verdict_table(figures)
            write_frame(verdicts_frame(report), table, self._verdicts, sources=self._sources)
            return
        with jsonl.fresh(self._verdicts, sources=self._sources) as out:
            write_verdicts(report, out, figures=figures, about=about)
