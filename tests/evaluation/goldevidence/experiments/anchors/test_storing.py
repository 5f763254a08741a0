"""The stored figures equal those measured now, over the rows that the generator makes now."""

from __future__ import annotations

import json

import pytest

from evaluation.core.errors import BenchmarkError
from evaluation.goldevidence.experiments.anchors import (
    compare,
    fingerprints,
    is_current,
    measure,
    published,
    stored,
    write,
)
from evaluation.goldevidence.experiments.anchors.storing import stored_fingerprints
from tests.reference import reference_path

STALE = "`make anchors REFERENCE_DIR=…` measures anew"


@pytest.fixture(scope="module")
def measured():
    return tuple(measure())


def test_the_stored_figures_are_those_of_the_rows_that_the_generator_makes_now() -> None:
    assert stored_fingerprints() == fingerprints(), STALE


def test_the_stored_figures_are_those_measured_now(measured) -> None:
    assert measured == stored(), STALE
    assert is_current(measured)


def test_on_the_reference_data_too_the_stored_figures_are_those_measured_now() -> None:
    assert tuple(measure(reference_path())) == stored(), STALE


def test_every_row_that_needs_no_model_is_measured(measured) -> None:
    found = {(each.table, each.row): each for each in measured}
    for table in published():
        for number, row in enumerate(table.rows):
            asked = table.expected(number) != "not_tried" and len(table.of_model(row)) < len(table.figures)
            assert (found[table.id, number].own is not None) == asked, (table.id, number)


def test_what_is_written_is_read_again(measured, tmp_path) -> None:
    path = write(measured, tmp_path / "measured.json")
    document = json.loads(path.read_text())
    assert document["datasets"] == fingerprints()
    assert document["rows"] == [each._asdict() for each in measured]


def test_another_figure_is_noticed(measured) -> None:
    number = next(number for number, each in enumerate(measured) if each.own)
    other = [*measured]
    other[number] = other[number]._replace(own=dict.fromkeys(other[number].own, 0.123))
    assert not is_current(other)
    assert compare(other) != compare()


def test_a_folder_without_the_reference_data_is_refused(tmp_path) -> None:
    with pytest.raises(BenchmarkError, match=r"no gold/manifest\.json here"):
        list(measure(tmp_path))


def test_where_nothing_can_be_written_an_error_says_so(measured, tmp_path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BenchmarkError, match="cannot be written"):
        write(measured, tmp_path / "file" / "measured.json")
