"""Tables of predictions: CSV with the standard library, Parquet with the extra `frames`."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from evaluation.core import jsonl
from evaluation.core.errors import MissingExtraError

PARQUET = b"PAR1"
ZIP = b"PK\x03\x04"


def read_table(path: Path) -> list[dict[str, Any]]:
    """The rows of a table as column -> value; an empty cell of a CSV is None."""
    with jsonl.open_binary(path) as file:
        if file.peek(4)[:4] != PARQUET:
            text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
            return [{name: value or None for name, value in row.items()} for row in csv.DictReader(text)]
    try:
        import pyarrow.parquet as parquet
    except ImportError as error:
        raise MissingExtraError("Parquet", "frames", ["pyarrow"]) from error
    rows: list[dict[str, Any]] = parquet.read_table(path, use_threads=False).to_pylist()
    return rows
