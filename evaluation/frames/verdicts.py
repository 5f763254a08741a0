"""The verdicts of a report, or of a file, as a DataFrame."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pandas as pd

from evaluation.core import jsonl
from evaluation.core.records import Verdict
from evaluation.core.report import Report
from evaluation.frames.files import read_frame
from evaluation.frames.schema import VERDICTS
from evaluation.frames.typed import frame_of, typed
from evaluation.frames.verdict_file import FIGURE, record_of, verdict_table


def verdicts_frame(report: Report) -> pd.DataFrame:
    """What came of each question, with the figure of the row by every metric.

    Args:
        report: What a suite's `grade` returns; its `row_figures` are in the order of its `rows`.

    Returns:
        The DataFrame `schema.VERDICTS` [rows], a column `figure_<metric>` for each of `report.row_figures`.
    """
    frame = frame_of(map(record_of, report.rows), verdict_table())
    figures = {
        f"figure_{name}": typed(figure.tolist(), FIGURE.kind) for name, figure in report.row_figures.items()
    }
    complete = frame.pop("verdict")
    return pd.concat([frame, pd.DataFrame(figures, index=frame.index), complete], axis=1)


def read_verdicts(path: str | Path) -> pd.DataFrame:
    """Verdicts as `verdicts_frame` has them.

    Args:
        path: A file of `write_verdicts` or `write_frame`; or JSON lines of complete verdicts, as `grade --rows-out`
            writes them and sites kept them (gzip or not), which have no columns of figures.

    Returns:
        The DataFrame `schema.VERDICTS` [rows].

    Raises:
        BenchmarkError: The file holds no verdicts.
    """
    if Path(path).suffix in (".gz", ".jsonl") and not _is_flat(path):
        verdicts = cast(Iterator[Verdict], jsonl.read(path))
        return frame_of(map(record_of, verdicts), verdict_table())
    return read_frame(path, VERDICTS)


def _is_flat(path: str | Path) -> bool:
    """Whether JSON lines are those of a frame, which have the complete verdict as a text."""
    return isinstance(next(jsonl.read(path), {}).get("verdict"), str)
