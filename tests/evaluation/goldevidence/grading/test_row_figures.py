"""The figures of verdicts add up to the figures of the report."""

from __future__ import annotations

import math

import pytest

from evaluation.goldevidence.data.case import CLOSED_BOOK
from evaluation.goldevidence.grading.metrics import DECOMPOSITION
from evaluation.goldevidence.grading.row_figures import FIELDS
from evaluation.goldevidence.suite import SUITE
from evaluation.goldevidence.systems.registry import get_system

SYSTEMS = ("naive", "note_citing", "latest_step", "positional_last", "prefer_set_latest", "latest_step+gate")
CONDITIONS = [
    {"k": 4, "order": "gold_first", "drop_prob": 0.4},
    {"k": 4, "order": "shuffle", "spoof_rate": 0.5},
]


@pytest.fixture(scope="module")
def settings():
    generator = {
        "episodes": 4,
        "steps": 60,
        "queries": 6,
        "keys": 6,
        "chapters": 2,
        "state_mode": "kv_commentary",
        "distractor_profile": "instruction_suite",
    }
    return SUITE.settings.checked({"generator": generator, "conditions": CONDITIONS})


@pytest.fixture(scope="module")
def items(settings):
    return list(SUITE.version(settings).generate())


def graded(name, items, settings, *, leaving_out=0):
    system = get_system(name).build()
    rows = [SUITE.public_row(row) for item in items for row in item.rows]
    kept = [row for at, row in enumerate(rows) if not leaving_out or at % leaving_out]
    return SUITE.version(settings).grade([item.gold for item in items], map(system.predict, kept))


def rows_of(name, report):
    """The verdicts that a figure covers, as the report defines it."""
    if name == "authority_violation_rate":
        return report.rows
    by_condition = name in {metric.name for metric in DECOMPOSITION}
    return [row for row in report.rows if (row["condition"] != CLOSED_BOOK) == by_condition]


def mean(field, rows):
    """The mean of a field over the rows that have it; NaN of none."""
    values = [row[field] for row in rows if row.get(field) is not None]
    return sum(values) / len(values) if values else math.nan


@pytest.mark.parametrize("leaving_out", [0, 5])
@pytest.mark.parametrize("name", SYSTEMS)
def test_the_mean_of_a_field_is_the_figure_that_it_is_of(items, settings, name, leaving_out) -> None:
    report = graded(name, items, settings, leaving_out=leaving_out)
    for field, metric in FIELDS.items():
        reported = report.metrics.get(
            metric
        )  # one of its own retrieval is left out where nothing is said of that
        expected = math.nan if reported is None else reported
        assert mean(field, rows_of(metric, report)) == pytest.approx(expected, nan_ok=True), field


def test_every_figure_with_a_field_is_reported_by_one_of_these_systems(items, settings) -> None:
    collected = {
        name for system in SYSTEMS for name, value in figures(system, items, settings) if value is not None
    }
    assert set(FIELDS.values()) <= collected


def test_rows_are_joined_alike_one_by_one_and_all_together(items, settings) -> None:
    rows = graded("latest_step+gate", items, settings).rows
    assert list(rows) == [rows[place] for place in range(len(rows))] == rows[:]


def figures(system, items, settings):
    return graded(system, items, settings).metrics.items()


def test_a_field_is_left_out_where_its_question_does_not_arise(items, settings) -> None:
    report = graded("latest_step", items, settings)
    book = [row for row in report.rows if row["condition"] == CLOSED_BOOK]
    assert not any("gold_present" in row or "agrees" in row for row in book)
    missing = [row for row in report.rows if row.get("gold_present") is False]
    assert missing
    assert not any("picks_gold" in row for row in missing)
