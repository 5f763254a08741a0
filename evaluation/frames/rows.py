"""The questions of a benchmark as a DataFrame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pandas as pd

from evaluation.core import jsonl
from evaluation.core.files.documents.form import document_named
from evaluation.core.records import Row
from evaluation.core.suite import Suite
from evaluation.frames.schema import ROWS
from evaluation.frames.typed import frame_of


def rows_frame(rows: Iterable[Row], suite: Suite) -> pd.DataFrame:
    """One line a question; a row may ask several.

    Args:
        rows: Public rows, or rows with gold; those that name a document may be without its text.
        suite: Whose rows they are.

    Returns:
        The DataFrame `schema.ROWS` [questions].
    """
    return frame_of(_lines(rows, suite), ROWS)


def _lines(rows: Iterable[Row], suite: Suite) -> Iterator[dict[str, Any]]:
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
