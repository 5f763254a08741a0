"""Boards as files: each column of any row is a column of the file."""

from __future__ import annotations

import csv
import io
from datetime import date

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evaluation.frames import read_frame
from evaluation.frames.schema import BOARD
from evaluation.frames.typed import plain
from leaderboard.runs import services as runs
from leaderboard.submissions.models import System
from leaderboard.submissions.models.card import CARD_FIELDS


@pytest.fixture
def mixed(small, staff):
    """A system on whole books without orders; then one whose candidates came in two orders."""
    for executor, splits in (("ledger", ["closed_book"]), ("naive", [])):
        run = runs.start(version=small, executor=executor, splits=splits, started_by=staff, wake_worker=False)
        assert runs.execute(str(run.pk), grade_now=True)
    return small


def export(client, version, kind):
    return client.get(f"{version.get_board_url()}export.{kind}")


def test_orders_that_the_first_row_does_not_report_are_columns_all_the_same(client, mixed):
    lines = list(csv.DictReader(io.StringIO(export(client, mixed, "csv").content.decode())))
    orders = [name for name in lines[0] if name.startswith("order_gold_")]
    assert orders
    assert [bool(line[orders[0]]) for line in lines] == [False, True]
    table = pq.read_table(io.BytesIO(export(client, mixed, "parquet").content))
    assert table.column_names == list(lines[0])
    assert [value is not None for value in table[orders[0]].to_pylist()] == [False, True]


@pytest.fixture
def read(client, mixed, tmp_path):
    """A board's file as a DataFrame."""

    def read_one(kind):
        path = tmp_path / f"board.{kind}"
        path.write_bytes(export(client, mixed, kind).content)
        return read_frame(path, BOARD)

    return read_one


def test_every_kind_of_file_holds_the_same_with_the_same_types(read):
    parquet = read("parquet")
    columns = parquet.columns.tolist()
    for kind in ("csv", "json"):
        other = read(kind)
        for name in columns:
            assert plain(other[name]) == plain(parquet[name]), (kind, name)
    fixed = {field.name: field.dtype for field in BOARD if field.name in columns}
    assert {name: str(parquet[name].dtype) for name in fixed} == fixed
    assert str(parquet["n"].dtype) == "Int64", "a number of rows"
    assert str(parquet["value_acc"].dtype) == "Float64"


def test_no_column_is_without_a_type_although_all_of_it_is_null(client, mixed):
    schema = pq.read_schema(io.BytesIO(export(client, mixed, "parquet").content))
    assert pa.null() not in schema.types
    assert str(schema.field("submitted").type) == "timestamp[us, tz=UTC]"


def test_a_file_says_which_version_it_is_of_behind_the_columns_that_it_had(client, mixed, read):
    frame = read("parquet")
    collected = {
        "benchmark": "goldevidencebench",
        "version": "small",
        "version_sha256": mixed.sha256,
        "grader": mixed.grader,
    }
    assert frame.attrs["about"] == collected
    added = ["repeats", "run_sd", "above_guessing", "meets_requirements", "requirements_not_met", "origin"]
    added += ["model", "reading", "harness", "system_slug", "system_url", "seen", *CARD_FIELDS]
    assert frame.columns[-len([*collected, *added]) :].tolist() == [*collected, *added]
    assert frame[list(collected)].iloc[0].to_dict() == collected
    first = next(csv.DictReader(io.StringIO(export(client, mixed, "csv").content.decode())))
    assert list(first)[:7] == [
        "rank",
        "rank_low",
        "rank_high",
        "tied_with_next",
        "not_ranked",
        "system",
        "owner",
    ]


def test_a_row_names_the_address_of_its_system_and_all_that_its_card_says(client, mixed, read):
    card = {"hub_id": "ada/tiny", "released": date(2026, 5, 1), "price_in": 0.0, "context": 8192}
    System.objects.update(**card)
    line = read("parquet").iloc[0]
    system = System.objects.get(slug=line["system_slug"])
    assert line["system_url"] == f"http://testserver{system.get_absolute_url()}"
    assert [line[name] for name in card] == ["ada/tiny", "2026-05-01", 0.0, 8192]
    assert line[["price_out", "licence"]].isna().all()


@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
def test_the_same_board_is_the_same_file(client, mixed, kind):
    assert export(client, mixed, kind).content == export(client, mixed, kind).content


@pytest.mark.parametrize("name", ["=1+1", "|calc", "+1", "\uff1d1"])
def test_a_name_that_a_spreadsheet_would_run_is_plain_text_in_csv_only(client, mixed, read, name):
    System.objects.update(name=name)
    assert set(read("csv")["system"]) == {f"'{name}"}
    assert set(read("json")["system"]) == {name}
