"""A figure equals the published one if it is the same in the published digits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.goldevidence.experiments.anchors import Cell, ComparedRow, Status, compare, counted

RATES = st.integers(0, 10_000).map(lambda number: number / 10_000)


def cell(published: str, ours: float | None, *, own: float | None = None) -> Cell:
    return Cell("value_acc", published, ours, own, ours is None)


@pytest.mark.parametrize(
    ("published", "ours", "same"),
    [
        ("0.938", 45 / 48, True),
        ("0.688", 33 / 48, True),
        ("0.062", 3 / 48, True),
        ("0.9375", 45 / 48, True),
        ("0.9375", 46 / 48, False),
        ("1", 1.0, True),
        ("1", 0.9979, False),
        ("0.55", 0.5521, False),
        ("3,574", 3574.4, True),
        ("3,574", 3092.0, False),
    ],
)
def test_figures_are_compared_in_the_digits_that_are_published(published, ours, same) -> None:
    assert cell(published, ours).is_same is same


@given(RATES)
def test_a_figure_is_the_same_as_itself_in_print(rate: float) -> None:
    assert cell(f"{rate:.4f}", rate).is_same
    assert cell(f"{rate:.4f}", rate).difference_text == "same"


@given(RATES, RATES)
def test_a_difference_has_a_sign_and_is_none_where_figures_agree(published: float, ours: float) -> None:
    one = cell(f"{published:.4f}", ours)
    assert (one.difference_text == "same") == bool(one.is_same)
    if not one.is_same:
        assert one.difference_text[0] == ("+" if ours > published else "−")


def test_ours_is_that_on_the_reference_data_where_there_are_any() -> None:
    assert cell("0.9375", 0.9375, own=0.9583).ours == 0.9375
    assert cell("0.9375", 0.9375, own=0.9583).own_text == "0.9583"
    assert cell("0.9375", None, own=0.9583).ours == 0.9583
    assert cell("0.9375", None, own=0.9583).own_text == ""


@pytest.mark.parametrize(
    ("figures", "expected", "status"),
    [
        ([("1.0000", 1.0), ("0.9750", None)], "reproduced", Status.REPRODUCED),
        ([("1.0000", 1.0), ("0.9750", 0.9)], "differs", Status.DIFFERS),
        ([("0.0000", None)], "needs_model", Status.NEEDS_MODEL),
        ([("0.8438", None)], "not_tried", Status.NOT_TRIED),
    ],
)
def test_a_row_has_the_status_of_what_was_measured_of_it(figures, expected, status) -> None:
    row = ComparedRow(("a",), tuple(cell(*figure) for figure in figures), Status(expected))
    assert row.status is status
    assert not row.fails


def test_a_row_that_should_reproduce_and_does_not_fails() -> None:
    assert ComparedRow((), (cell("1.0000", 0.5),), Status.REPRODUCED).fails
    assert ComparedRow((), (cell("1.0000", None),), Status.REPRODUCED).fails
    assert not ComparedRow((), (cell("1.0000", 0.5),), Status.DIFFERS).fails


def test_every_stored_row_has_the_status_that_is_said_of_it() -> None:
    for table in compare():
        for row in table.rows:
            assert row.status is row.expected, (table.table.id, row.labels)


def test_the_statuses_of_all_rows_are_counted() -> None:
    tables = compare()
    assert sum(counted(tables).values()) == sum(len(table.rows) for table in tables)
    assert set(counted(tables)) == set(Status)
    assert all(status.meaning.endswith(".") for status in Status)


def test_without_a_measurement_nothing_is_said_to_be_reproduced() -> None:
    assert set(counted(compare([]))) == {Status.NEEDS_MODEL, Status.NOT_TRIED}
