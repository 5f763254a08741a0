"""Results as DataFrames, CSV, JSON and Parquet, with the columns of `schema.TABLES`.

Needs the extra `frames` (pandas and pyarrow). Grading works without the extra: the engine then writes JSON, JSON lines
and CSV with the standard library.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from evaluation.core.errors import MissingExtraError

if TYPE_CHECKING:
    from evaluation.frames.board import board_frame, board_table
    from evaluation.frames.files import read_frame, write_frame
    from evaluation.frames.grouped_file import documents_frame, write_document_file
    from evaluation.frames.results import metrics_frame, read_verdicts, rows_frame, verdicts_frame
    from evaluation.frames.sweeps import runs_frame, summary_frame
    from evaluation.frames.typed import plain, tidy
    from evaluation.frames.verdict_file import VerdictFile, Where, write_verdicts

__all__ = [
    "VerdictFile",
    "Where",
    "board_frame",
    "board_table",
    "documents_frame",
    "metrics_frame",
    "plain",
    "read_frame",
    "read_verdicts",
    "rows_frame",
    "runs_frame",
    "summary_frame",
    "tidy",
    "verdicts_frame",
    "write_document_file",
    "write_frame",
    "write_verdicts",
]

#: Module -> its names here, imported on first use: pandas takes half a second, and paging does not need it.
_NAMES = {
    "board": "board_frame board_table",
    "files": "read_frame write_frame",
    "grouped_file": "documents_frame write_document_file",
    "results": "metrics_frame read_verdicts rows_frame verdicts_frame",
    "sweeps": "runs_frame summary_frame",
    "typed": "plain tidy",
    "verdict_file": "VerdictFile Where write_verdicts",
}
DOORS = {name: module for module, names in _NAMES.items() for name in names.split()}

if lacking := [name for name in ("pandas", "pyarrow") if find_spec(name) is None]:
    raise MissingExtraError("DataFrames, CSV with types and Parquet", "frames", lacking)


def __getattr__(name: str) -> Any:
    if name not in DOORS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{DOORS[name]}"), name)
