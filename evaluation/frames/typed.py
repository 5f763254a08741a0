"""Convert records to DataFrames with the dtypes of the schema, and back."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from evaluation.frames.schema import Field, Kind, Table

Record = Mapping[str, object]


def frame_of(records: Iterable[Record], table: Table) -> pd.DataFrame:
    """A DataFrame with one line per record and the dtypes of `table`. A missing value becomes null.

    Values are None, text, numbers, booleans, times or ISO 8601 texts. `table` must contain no families.
    """
    lines = list(records)
    columns = {each.name: typed([line.get(each.name) for line in lines], each.kind) for each in table}
    return pd.DataFrame(columns, columns=table.columns, index=pd.RangeIndex(len(lines)))


def tidy(lines: Iterable[Sequence[Any]], columns: Sequence[str]) -> pd.DataFrame:
    """A DataFrame of lines with the values of `columns` in order. Types are inferred; empty columns are numeric."""
    values = list(zip(*lines, strict=True)) or [()] * len(columns)
    arrays = {
        name: typed(each, field_of(name, each).kind) for name, each in zip(columns, values, strict=True)
    }
    return pd.DataFrame(arrays, copy=False)  # nothing else holds the arrays


def typed(values: Sequence[Any], kind: Kind) -> Any:
    """Values as a pandas array of the dtype of `kind`. Times may be ISO 8601 texts. None and NaN become null."""
    match kind:
        case Kind.CATEGORY:
            known = sorted({str(value) for value in values if value is not None})
            texts = [None if value is None else str(value) for value in values]
            return pd.Categorical(texts, categories=pd.Index(known, dtype="string"))
        case Kind.TIME:
            times = pd.to_datetime(pd.Series(values, dtype=object), utc=True, format="ISO8601")
            return times.astype("datetime64[us, UTC]").array
        case Kind.BOOLEAN:
            return pd.array([None if value is None else bool(value) for value in values], dtype="boolean")
        case Kind.INTEGER:
            return pd.array([None if value is None else int(value) for value in values], dtype="Int64")
        case Kind.NUMBER:
            return pd.array([_float(value) for value in values], dtype="Float64")
        case _:
            return pd.array([None if value is None else str(value) for value in values], dtype="string")


def _float(value: Any) -> float | None:
    return None if value is None or math.isnan(value) else float(value)


def records_of(frame: pd.DataFrame) -> list[dict[str, object]]:
    """The lines of a DataFrame as plain Python values: None for null, times as ISO 8601 texts."""
    columns = {str(name): plain(frame[name]) for name in frame.columns}
    return [dict(zip(columns, line, strict=True)) for line in zip(*columns.values(), strict=True)]


def plain(column: pd.Series) -> list[Any]:
    if isinstance(column.dtype, pd.DatetimeTZDtype):
        return [None if pd.isna(time) else time.to_pydatetime().isoformat() for time in column]
    values: list[Any] = column.to_numpy(dtype=object, na_value=None).tolist()
    return values


def field_of(name: str, values: Iterable[Any]) -> Field:
    """A field for a column that no table declares. Its kind is inferred from its values without None."""
    return Field(name, kind_of_values(value for value in values if value is not None), "")


def kind_of_values(values: Iterable[Any]) -> Kind:
    """The kind that fits all values. It is a number if there are no values."""
    kinds = {type(value) for value in values}
    if kinds <= {int, float}:
        return Kind.INTEGER if kinds == {int} else Kind.NUMBER
    return Kind.BOOLEAN if kinds == {bool} else Kind.TEXT
