"""Boards as files: what is a column of any row is a column of the file."""

from __future__ import annotations

import csv
import io

import pyarrow.parquet as pq
import pytest

from leaderboard.runs import services as runs


@pytest.fixture
def mixed(small, staff):
    """First the whole book only, without orders; then a system whose candidates came in two orders."""
    for executor, conditions in (("ledger", ["closed_book"]), ("naive", [])):
        run = runs.start(
            version=small, executor=executor, conditions=conditions, started_by=staff, wake_worker=False
        )
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
