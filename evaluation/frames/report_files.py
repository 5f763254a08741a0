"""The DataFrames of a report as files of whatever kind their names say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluation.core import jsonl
from evaluation.core.report import Report
from evaluation.frames.files import kind_of_file, write_frame
from evaluation.frames.metrics import metrics_frame
from evaluation.frames.schema import METRICS
from evaluation.frames.verdict_file import verdict_table, write_verdicts
from evaluation.frames.verdicts import verdicts_frame


class ReportFiles:
    """Where to write verdicts and figures; an empty name writes nothing.

    Made before the grading, so that a name without a kind is refused before the work: raises UnknownNameError.
    """

    def __init__(self, verdicts: str, metrics: str, *, sources: Sequence[str | Path] = ()) -> None:
        """Nothing is written yet.

        Args:
            verdicts: The name of the file of verdicts; empty for none.
            metrics: The name of the file of figures; empty for none.
            sources: Files that must not be written over.

        Raises:
            UnknownNameError: A name does not end in a kind of file.
        """
        self._verdicts, self._metrics, self._sources = verdicts, metrics, sources
        for path in filter(None, (verdicts, metrics)):
            kind_of_file(path)

    def write(self, report: Report) -> None:
        """Write the files. Raises BenchmarkError where one is a source."""
        if self._verdicts:
            self._write_verdicts(report, dict(report.settings))
        if self._metrics:
            write_frame(metrics_frame(report), METRICS, self._metrics, sources=self._sources)

    def _write_verdicts(self, report: Report, about: Mapping[str, Any]) -> None:
        figures = list(report.row_figures)
        if kind_of_file(self._verdicts) != "parquet":
            table = verdict_table(figures)
            write_frame(verdicts_frame(report), table, self._verdicts, sources=self._sources)
            return
        with jsonl.fresh(self._verdicts, sources=self._sources) as out:
            write_verdicts(report, out, figures=figures, about=about)
