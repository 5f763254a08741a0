"""DataFrames as files: CSV, JSON, JSON lines and Parquet with the same columns, read back with the same types."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError, UnknownNameError
from evaluation.frames.arrow import about_of, arrow_array, arrow_schema, kind_of
from evaluation.frames.schema import Field, Kind, Table
from evaluation.frames.typed import field_of, frame_of, plain, records_of

About = Mapping[str, object]


def write_frame(
    frame: pd.DataFrame,
    table: Table,
    path: str | Path,
    *,
    about: About | None = None,
    sources: Iterable[str | Path] = (),
) -> None:
    """Write the columns of `table` in the format of the suffix: .csv, .json, .jsonl or .parquet.

    `about` is metadata, for Parquet only. Raises UnknownNameError for any other suffix, and BenchmarkError if `path` is
    one of the `sources`.
    """
    data = as_bytes(frame, table, kind_of_file(path), about=about)
    with jsonl.fresh(path, sources=sources) as out:
        out.write(data)


def kind_of_file(path: str | Path) -> str:
    """The format of a file, by its suffix. Raises UnknownNameError."""
    kind = Path(path).suffix.removeprefix(".").lower()
    if kind not in KINDS:
        raise UnknownNameError("kind of file", kind, KINDS)
    return kind


def as_bytes(frame: pd.DataFrame, table: Table, kind: str, *, about: About | None = None) -> bytes:
    """The file that `write_frame` writes, as bytes. `kind`: a format in `KINDS`. Equal DataFrames give equal bytes."""
    return KINDS[kind](frame, table, about or {})


def _csv(frame: pd.DataFrame, table: Table, about: About) -> bytes:
    texts = frame.copy(deep=False)
    for field in table:
        if field.kind == Kind.TIME:
            texts[field.name] = plain(frame[field.name])
    text: str = texts.to_csv(index=False, lineterminator="\r\n")
    return text.encode()


def _json(frame: pd.DataFrame, table: Table, about: About) -> bytes:
    return jsonl.dumps(records_of(frame))


def _jsonl(frame: pd.DataFrame, table: Table, about: About) -> bytes:
    return b"".join(jsonl.dumps(record) + b"\n" for record in records_of(frame))


def _parquet(frame: pd.DataFrame, table: Table, about: About) -> bytes:
    schema = arrow_schema(table, about)
    arrays = [arrow_array(_values(frame[field.name], field.kind), field.kind) for field in table]
    out = io.BytesIO()
    pq.write_table(pa.Table.from_arrays(arrays, schema=schema), out, compression="zstd")
    return out.getvalue()


def _values(column: pd.Series, kind: Kind) -> list[Any]:
    # pyarrow takes datetimes directly; everything else as plain values.
    if kind != Kind.TIME:
        return plain(column)
    return [None if pd.isna(time) else time.to_pydatetime() for time in column]


KINDS: dict[str, Callable[[pd.DataFrame, Table, About], bytes]] = {
    "csv": _csv,
    "json": _json,
    "jsonl": _jsonl,
    "parquet": _parquet,
}


def read_frame(path: str | Path, table: Table) -> pd.DataFrame:
    """Read a file written by `write_frame` or by a site, with the types of `table`. The suffix names the format.

    Types of family columns come from the file (Parquet), or from the values. Empty text in CSV is read as null.
    `attrs["about"]` is the metadata of a Parquet file. Raises BenchmarkError if the file does not parse as its format
    or table, and UnknownNameError for another suffix.
    """
    kind = kind_of_file(path)
    try:
        return _read_parquet(Path(path), table) if kind == "parquet" else _read_text(Path(path), kind, table)
    except (ValueError, KeyError, pa.ArrowException) as error:
        raise BenchmarkError(f"{path}: not a table of {table.name} ({error})") from error


def _read_parquet(path: Path, table: Table) -> pd.DataFrame:
    kept = pq.read_table(path)
    fields = [Field(each.name, kind_of(each.type), "") for each in kept.schema]
    frame = frame_of(kept.to_pylist(), table.with_fields(fields))
    frame.attrs["about"] = about_of(kept.schema.metadata)
    return frame


def _read_text(path: Path, kind: str, table: Table) -> pd.DataFrame:
    known = {field.name: field for field in table}
    if kind == "csv":
        with path.open(newline="", encoding="utf-8") as handle:
            heading, *rows = csv.reader(handle)
        columns = {name: [row[at] or None for row in rows] for at, name in enumerate(heading)}
        columns = {
            name: _from_texts(values, known.get(name, Field(name, _kind_of_texts(values), "")).kind)
            for name, values in columns.items()
        }
        lines = [dict(zip(columns, line, strict=True)) for line in zip(*columns.values(), strict=True)]
        names = heading
    else:
        lines = list(jsonl.read(path)) if kind == "jsonl" else jsonl.parse(path.read_bytes())
        names = list(dict.fromkeys(name for line in lines for name in line)) or table.columns
    fields = [known.get(name) or field_of(name, (line.get(name) for line in lines)) for name in names]
    return frame_of(lines, table.with_fields(fields))


def _from_texts(values: list[str | None], kind: Kind) -> list[Any]:
    read: dict[Kind, Callable[[str], Any]] = {
        Kind.INTEGER: int,
        Kind.NUMBER: float,
        Kind.BOOLEAN: {"True": True, "False": False}.__getitem__,
    }
    convert = read.get(kind, str)
    return [None if value is None else convert(value) for value in values]


def _kind_of_texts(values: list[str | None]) -> Kind:
    """The first of integer, number and boolean that fits all texts, else category. Without texts it is a number."""
    for kind in (Kind.INTEGER, Kind.NUMBER, Kind.BOOLEAN):
        try:
            _from_texts(values, kind)
        except (ValueError, KeyError):
            continue
        return Kind.NUMBER if not any(values) else kind
    return Kind.CATEGORY
