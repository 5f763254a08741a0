"""The texts that rows share as a table: as a DataFrame, and as Parquet that is written text by text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from evaluation.core.files.documents.reader import NO_TEXTS
from evaluation.core.records import JsonObject
from evaluation.frames.arrow import arrow_array, arrow_schema
from evaluation.frames.grouped_file import FORMAT
from evaluation.frames.schema import DOCUMENTS
from evaluation.frames.typed import frame_of

#: Characters of a row group at most, and at least one text: so much is in memory.
GROUP_CHARACTERS = 1 << 23
Line = dict[str, Any]


def documents_frame(documents: Iterable[JsonObject]) -> pd.DataFrame:
    """One line a text.

    Args:
        documents: The lines of a file of documents.

    Returns:
        The DataFrame `schema.DOCUMENTS` [texts].
    """
    return frame_of(_lines(documents), DOCUMENTS)


def write_document_file(documents: Iterable[JsonObject], out: str | Path | IO[bytes]) -> int:
    """Write the same as Parquet, with few texts in memory.

    Args:
        documents: The lines of a file of documents.
        out: A path, or a file that takes bytes.

    Returns:
        The number of texts.
    """
    schema, count = arrow_schema(DOCUMENTS), 0
    with pq.ParquetWriter(out, schema, **FORMAT, use_dictionary=["field"], write_statistics=["id"]) as writer:
        for group in _groups(_lines(documents)):
            arrays = [arrow_array([line[each.name] for line in group], each.kind) for each in DOCUMENTS]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
            count += len(group)
    return count


def _lines(documents: Iterable[JsonObject]) -> Iterator[Line]:
    for document in documents:
        for field, text in document.items():
            if field not in NO_TEXTS:
                yield {"id": document["id"], "field": field, "characters": len(text), "text": text}


def _groups(lines: Iterable[Line]) -> Iterator[list[Line]]:
    group, size = list[Line](), 0
    for line in lines:
        if group and size + line["characters"] > GROUP_CHARACTERS:
            yield group
            group, size = [], 0
        group.append(line)
        size += line["characters"]
    if group:
        yield group
