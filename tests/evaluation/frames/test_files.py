"""DataFrames come back from every kind of file with the types they had."""

from __future__ import annotations

import io

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings

from evaluation.core.errors import BenchmarkError, UnknownNameError
from evaluation.frames.files import KINDS, as_bytes, read_frame, write_frame
from evaluation.frames.schema import BOARD, DTYPES, Kind
from evaluation.frames.typed import frame_of
from tests.evaluation.frames.tables import EVERY_KIND, RECORDS

many = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("kind", KINDS)
@many
@given(RECORDS)
def test_every_type_comes_back_from_every_kind_of_file(kind, tmp_path, records):
    frame = frame_of(records, EVERY_KIND)
    write_frame(frame, EVERY_KIND, tmp_path / f"a.{kind}")
    pd.testing.assert_frame_equal(read_frame(tmp_path / f"a.{kind}", EVERY_KIND), frame)


@many
@given(RECORDS)
def test_null_is_no_value_and_a_value_is_never_null(records):
    frame = frame_of(records, EVERY_KIND)
    for kind in Kind:
        assert frame[kind].isna().tolist() == [record[kind] is None for record in records]


def test_columns_have_the_types_of_the_schema_even_where_all_is_null():
    frame = frame_of([dict.fromkeys(Kind)], EVERY_KIND)
    assert {kind: str(frame[kind].dtype) for kind in Kind} == DTYPES
    types = pq.read_schema(io.BytesIO(as_bytes(frame, EVERY_KIND, "parquet"))).types
    assert pa.null() not in types


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_frame_is_the_same_bytes(kind):
    frames = [
        frame_of([{Kind.TEXT: "a", Kind.CATEGORY: "b", Kind.NUMBER: 0.1}], EVERY_KIND) for _ in range(2)
    ]
    assert as_bytes(frames[0], EVERY_KIND, kind) == as_bytes(frames[1], EVERY_KIND, kind)


def test_a_parquet_file_says_what_it_is_about_and_what_its_columns_mean(tmp_path):
    write_frame(frame_of([], EVERY_KIND), EVERY_KIND, tmp_path / "a.parquet", about={"version": "smoke"})
    assert read_frame(tmp_path / "a.parquet", EVERY_KIND).attrs["about"] == {"version": "smoke"}
    board = BOARD.with_fields([BOARD.field("tokens_per_query")])
    schema = pq.read_schema(io.BytesIO(as_bytes(frame_of([], board), board, "parquet")))
    assert schema.field(0).metadata == {
        b"description": b"Tokens per question, as reported.",
        b"unit": b"tokens",
    }


def test_a_name_without_a_kind_is_refused(tmp_path):
    with pytest.raises(UnknownNameError, match="kind of file 'xlsx'"):
        write_frame(frame_of([], EVERY_KIND), EVERY_KIND, tmp_path / "a.xlsx")


def test_what_is_no_such_file_is_named(tmp_path):
    (tmp_path / "a.parquet").write_bytes(b"no Parquet")
    (tmp_path / "a.csv").write_text("integer\nmany\n")
    for name in ("a.parquet", "a.csv"):
        with pytest.raises(BenchmarkError, match=f"{name}: not a table of kinds"):
            read_frame(tmp_path / name, EVERY_KIND)
