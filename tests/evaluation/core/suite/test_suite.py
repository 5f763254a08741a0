"""Some rows of a version are graded as in the whole version."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

from evaluation.core.records import JsonObject
from evaluation.core.report import Report
from evaluation.core.suite import Suite, get_suite
from tests.toy_suite.suite import SUITE as TOY

SMALL = {"generator": {"episodes": 3, "steps": 24, "queries": 3, "keys": 4, "chapters": 2, "twins": True}}
VERSIONS: dict[str, tuple[Callable[[], Suite], dict[str, Any], str]] = {
    "a book": (lambda: get_suite("goldevidence"), SMALL, "ledger"),
    "candidates": (
        lambda: get_suite("goldevidence"),
        SMALL | {"conditions": [{"k": 4, "order": order} for order in ("gold_first", "gold_last")]},
        "latest_step",
    ),
    "artifacts": (lambda: get_suite("goldevidence"), SMALL | {"protocol": "build"}, ""),
    "timelines": (lambda: get_suite("statebench"), {"count": 2}, "state_based"),
    "the toy suite": (lambda: TOY, {}, "first_four"),
}


class Graded:
    """A system's answers to a small version; grades any part of its rows."""

    def __init__(self, suite: Suite, settings: dict[str, Any], system: str) -> None:
        self.suite, self.version = suite, suite.version(settings)
        items = list(self.version.generate())
        self.records: Sequence[JsonObject] = [item.gold for item in items]
        name = system or next(iter(suite.systems()))
        built = suite.systems()[name].build()
        made = [built.predict(suite.public_row(row)) for item in items for row in item.rows]
        self.lines = [line for each in made for line in (each if isinstance(each, list) else [each])]
        self.ids = list(suite.expected(self.records).splits)

    def over(self, asked: Iterable[str]) -> Report:
        chosen = set(asked)
        parts = (self.suite.record_of_rows(record, chosen) for record in self.records)
        records = [part for part in parts if part is not None]
        lines = [line for line in self.lines if self.suite.row_id(line) in chosen | {None}]
        return self.version.grade(records, lines)


@pytest.fixture(scope="module", params=VERSIONS)
def graded(request: pytest.FixtureRequest) -> Graded:
    suite, settings, system = VERSIONS[request.param]
    return Graded(suite(), settings, system)


def test_a_part_has_the_verdicts_of_its_own_rows(graded: Graded) -> None:
    asked = graded.ids[::3]
    whole = {verdict["id"]: verdict.get("failure") for verdict in graded.over(graded.ids).rows}
    part = {verdict["id"]: verdict.get("failure") for verdict in graded.over(asked).rows}
    assert part == {row_id: whole[row_id] for row_id in asked}


def test_no_figure_of_a_part_counts_a_row_that_was_not_asked(graded: Graded) -> None:
    asked = graded.ids[::3]
    report = graded.over(asked)
    assert {len(figures) for figures in report.row_figures.values()} == {len(asked)}
    assert "missing" not in {verdict.get("failure") for verdict in report.rows}


def test_a_part_of_all_rows_is_the_whole(graded: Graded) -> None:
    whole = graded.version.grade(graded.records, graded.lines)
    part = graded.over(graded.ids)
    assert (part.metrics, part.intervals, part.groups) == (whole.metrics, whole.intervals, whole.groups)


def test_a_part_of_one_row_is_graded(graded: Graded) -> None:
    report = graded.over(graded.ids[-1:])
    assert [verdict["id"] for verdict in report.rows] == graded.ids[-1:]
