"""Convert the schema to pyarrow. Reading and writing Parquet needs no pandas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from evaluation.core import jsonl
from evaluation.frames.schema import Field, Kind, Table

#: Key of the Parquet metadata: name of the table.
TABLE_KEY = b"goldevidencebench.table"
#: Key of the Parquet metadata: benchmark, version, SHA-256, grader.
ABOUT_KEY = b"goldevidencebench.about"

TYPES: dict[Kind, Any] = {
    Kind.TEXT: pa.string(),
    Kind.CATEGORY: pa.dictionary(pa.int32(), pa.string()),
    Kind.INTEGER: pa.int64(),
    Kind.NUMBER: pa.float64(),
    Kind.BOOLEAN: pa.bool_(),
    Kind.TIME: pa.timestamp("us", tz="UTC"),
    Kind.JSON: pa.string(),
}


def arrow_schema(table: Table, about: Mapping[str, object] | None = None) -> Any:
    """The `pyarrow.Schema` of a Parquet file; each column carries its meaning and unit.

    `table` must contain no families of columns, only single columns. `about` is metadata of the file, to store as JSON.
    """
    metadata = {TABLE_KEY: table.name.encode(), ABOUT_KEY: jsonl.canonical(dict(about or {}))}
    return pa.schema([_arrow_field(field) for field in table], metadata=metadata)


def _arrow_field(field: Field) -> Any:
    meaning = {"description": field.help} | ({"unit": field.unit} if field.unit else {})
    return pa.field(field.name, TYPES[field.kind], metadata=meaning)


def arrow_array(values: Iterable[Any], kind: Kind) -> Any:
    """Values as a `pyarrow.Array`; None and NaN become null."""
    listed = values if isinstance(values, list) else list(values)
    if kind == Kind.CATEGORY:  # in order of appearance, so that the same values are the same bytes
        return pa.array(listed, pa.string()).dictionary_encode()
    return pa.array(listed, TYPES[kind], from_pandas=True)


def kind_of(arrow_type: Any) -> Kind:
    """The kind of a Parquet column. Raises KeyError for an Arrow type that no table uses."""
    return {each: kind for kind, each in reversed(TYPES.items())}[arrow_type]


def about_of(metadata: Mapping[bytes, bytes] | None) -> dict[str, object]:
    """The metadata stored by `arrow_schema`. Empty if a file has no such metadata."""
    about: dict[str, object] = jsonl.parse((metadata or {}).get(ABOUT_KEY, b"{}"))
    return about
