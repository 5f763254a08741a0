"""Columns with the same value for all systems are left out of the table of all figures, and named in a line."""

from __future__ import annotations

import csv
import io
from types import SimpleNamespace
from typing import Any

import pytest
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.suite import Column, get_suite
from leaderboard.boards.folding import folded
from leaderboard.submissions.models import System
from leaderboard.templatetags import scopes

NAMES = ("a", "b", "c", "d")
COLUMNS = [Column(name, name.upper(), "…") for name in NAMES]
HEADLINE = get_suite("goldevidence").version({}).headline()


def row(headline: float, *figures: float | None) -> Any:
    """A row of a board, with only the parts that are read."""
    cells = [(column, value, None) for column, value in zip(COLUMNS, figures, strict=True)]
    return SimpleNamespace(value=headline, span=None, cells=cells, headline=HEADLINE)


def test_columns_with_one_value_or_equal_to_another_are_left_out() -> None:
    rows = [row(0.9, 1.0, 0.4, 0.4, None), row(0.8, 1.0, 0.3, 0.3, None)]
    left_out = folded(rows, COLUMNS)
    assert left_out.constant == [(COLUMNS[0], 1.0, None)]
    assert left_out.equal == [(COLUMNS[2], COLUMNS[1])]
    assert left_out.unreported == [COLUMNS[3]]
    assert scopes.unfolded([("One", COLUMNS[:1]), ("Two", COLUMNS[1:])], left_out) == [("Two", [COLUMNS[1]])]


def test_a_column_that_equals_the_headline_is_left_out() -> None:
    rows = [row(0.9, 0.9, 1.0, 0.1, 0.3), row(0.8, 0.8, 0.0, 0.2, 0.1)]
    ((column, other),) = folded(rows, COLUMNS).equal
    assert column.name == "a"
    assert other.headline


def test_equal_values_with_other_intervals_stay() -> None:
    rows = [row(0.9, 0.5, 0.4, 0.1, 0.2), row(0.8, 0.5, 0.3, 0.2, 0.1)]
    rows[0].cells[0] = (COLUMNS[0], 0.5, (0.4, 0.6))
    assert not folded(rows, COLUMNS).names


@pytest.mark.parametrize("rows", [[], [row(1.0, 1.0, 1.0, None, 0.0)]])
def test_one_system_alone_is_shown_whole(rows: list[Any]) -> None:
    assert not folded(rows, COLUMNS).names


figures = st.sampled_from([None, 0.0, 0.5, 1.0])


@given(st.lists(st.tuples(st.sampled_from([0.1, 0.2]), *[figures] * len(NAMES)), min_size=2, max_size=6))
def test_what_stays_differs_between_rows_and_from_all_else_that_stays(table: list[Any]) -> None:
    left_out = folded([row(*line) for line in table], COLUMNS)
    series = {name: tuple(line[1 + at] for line in table) for at, name in enumerate(NAMES)}
    kept = [name for name in NAMES if name not in left_out.names]
    shown = [tuple(line[0] for line in table), *(series[name] for name in kept)]
    assert len(set(shown)) == len(shown)
    assert all(len(set(series[name])) > 1 for name in kept)
    for column, value, _ in left_out.constant:
        assert set(series[column.name]) == {value}
    for column, other in left_out.equal:
        assert other.headline or series[column.name] == series[other.name]


def test_the_page_says_what_its_table_leaves_out_and_the_export_keeps_it(
    client, version, system, user, submit
) -> None:
    submit(version, system)
    submit(version, System.objects.create(owner=user, name="Poor"), wrong=3)
    page = client.get(f"{version.get_board_url()}?view=figures").content.decode()
    table, _, below = page.partition('<table class="table figures-table"')[2].partition("</table>")
    left_out = " ".join(below.partition('<details class="more">')[0].split())
    assert "the same for every system shown:" in left_out
    assert "Answered 100.0% (at least" in left_out
    assert ">Answered</a>" not in table
    assert "Not reported by any system shown:" in left_out
    assert "Evidence chosen" in left_out
    assert ">Twin consistency</a>" in table
    assert "Metrics that are equal for every system shown:" in left_out
    assert "Value and Exact accuracy;" in left_out
    address = reverse("leaderboard:board_export", args=[version.benchmark.slug, version.slug, "csv"])
    header = next(csv.reader(io.StringIO(client.get(address).content.decode())))
    assert {"answered_rate", "selection_rate"} <= set(header)
