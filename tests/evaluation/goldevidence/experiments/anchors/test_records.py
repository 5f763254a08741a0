"""The published figures are those of the reference's tables; each row says how it was run."""

from __future__ import annotations

import json

import pytest

from evaluation.goldevidence.experiments.anchors import external, published
from evaluation.goldevidence.experiments.anchors.data import DATASETS, selector_of
from evaluation.goldevidence.experiments.anchors.records import LANGUAGE_MODEL, sources
from tests.reference import reference_path

TABLES = {table.id: table for table in published()}
ROWS = [(table, row) for table in published() for row in table.rows]


def test_every_table_of_the_reference_is_here_cell_by_cell() -> None:
    ours = {(table.section, table.caption): table for table in published()}
    tables = json.loads(reference_path("gold/published_tables.json").read_text())
    assert len(tables) == 9
    for theirs in tables:
        table = ours[theirs["section"], theirs["caption"]]
        assert list(table.columns) == theirs["columns"]
        assert [list(row) for row in table.rows] == theirs["rows"]


def test_what_is_published_elsewhere_is_here_too() -> None:
    first, middle, last, shuffled = TABLES["order-bias"].rows
    assert [row[1] for row in (first, middle, last, shuffled)] == ["0.0000", "0.0083", "1.0000", "0.4417"]
    assert [row[1] for row in TABLES["selector-training"].rows] == ["0.3125", "0.5000"]
    assert {
        "spoofing-rates",
        "spoofing-filter",
        "spoofing-orders",
        "answers-filter-on",
        "quick-evaluation",
    } <= set(TABLES)


@pytest.mark.parametrize(
    ("table", "row"), ROWS, ids=lambda value: getattr(value, "id", None) or "-".join(value)
)
def test_a_row_fits_its_columns_and_says_what_was_run(table, row) -> None:
    assert len(row) == len(table.columns)
    assert all(float(text.replace(",", "")) >= 0 for text in row[table.labels :])
    run = table.run_of(row)
    assert run.data in DATASETS
    if run.system != LANGUAGE_MODEL and not run.protocol:
        assert callable(selector_of(run.system))


@pytest.mark.parametrize("table", published(), ids=lambda table: table.id)
def test_a_table_names_its_source_and_why_rows_differ_or_were_not_tried(table) -> None:
    assert table.source in sources()
    assert isinstance(table.expect, str) or len(table.expect) == len(table.rows)
    said = {table.expected(number) for number in range(len(table.rows))}
    assert bool(table.why) == bool(said & {"differs", "not_tried"})
    assert bool(table.model) >= ("needs_model" in said or bool(table.model_columns))
    assert set(table.model_columns) <= set(table.figures)


def test_identifiers_are_unique() -> None:
    assert len(TABLES) == len(published())
    assert len({each.name for each in external()}) == len(external()) >= 10


def test_every_other_benchmark_says_all_of_it_and_where_that_is_from() -> None:
    for each in external():
        assert all((each.measures, each.unit, each.lengths, each.adds, each.title, each.authors)), each.name
        assert each.source.startswith(("https://arxiv.org/abs/", "https://github.com/")), each.name
        assert each.year is None or 2000 < each.year < 2100
        assert each.year or "github.com" in each.source, f"{each.name}: a paper has a year"
