"""A board of questions of families can be narrowed to one of them."""

from __future__ import annotations

import pytest

from evaluation.core.report import Report
from evaluation.goldevidence.data.families import FAMILIES
from evaluation.goldevidence.presets import PRESETS
from evaluation.goldevidence.suite import SUITE
from evaluation.goldevidence.systems.registry import get_system
from leaderboard.boards.slices import BoardSlice


@pytest.fixture(scope="module")
def version():
    settings = PRESETS["deep_short"].as_json()
    settings["generator"] |= {"episodes": len(FAMILIES), "queries": 2}
    settings["ladder"] |= {"lengths": [2048, 4096]}
    return SUITE.version(settings)


@pytest.fixture(scope="module")
def report(version) -> Report:
    items, reader = list(version.generate()), get_system("window_2k").build()
    return version.grade(
        [item.gold for item in items], [reader.predict(row) for item in items for row in item.rows]
    )


def test_families_are_a_facet_of_versions_that_have_them(version) -> None:
    _, lengths, families = version.facets(["2k", "4k"])
    assert (lengths.name, [part for part, _ in lengths.choices]) == ("condition", ["2k", "4k"])
    assert (families.name, [part for part, _ in families.choices]) == ("family", list(FAMILIES))
    assert len(SUITE.version(PRESETS["ladder"].as_json()).facets(["2k", "4k"])) == 2


@pytest.mark.parametrize("family", FAMILIES)
def test_cells_of_a_family_add_up_to_its_group(version, report, family: str) -> None:
    rate, rows = rate_of(report, BoardSlice(tuple(version.facets(["2k", "4k"])), ("", "", family)))
    group = report.groups["family"][family]["metrics"]
    assert (rate, rows) == (pytest.approx(group["exact_acc"]), group["n"])


def test_a_family_and_a_length_are_narrowed_to_at_once(version, report) -> None:
    facets = tuple(version.facets(["2k", "4k"]))
    rate, rows = rate_of(report, BoardSlice(facets, ("", "4k", "chain")))
    assert rows == report.groups["length_family"]["4k|chain"]["metrics"]["n"]
    assert rate == pytest.approx(report.groups["length_family"]["4k|chain"]["metrics"]["exact_acc"])


def test_scores_of_before_families_were_a_facet_count_in_the_whole_and_in_no_family(version) -> None:
    facets, cells, sums = (
        tuple(version.facets(["2k", "4k"])),
        [["without", "2k"], ["without", "4k"]],
        [[1, 2], [0, 2]],
    )
    assert BoardSlice(facets, ("", "", "")).rate(cells, sums) == 0.25
    assert BoardSlice(facets, ("", "2k", "")).rate(cells, sums) == 0.5
    assert BoardSlice(facets, ("", "", "chain")).rate(cells, sums) is None


def rate_of(report: Report, part: BoardSlice) -> tuple[float | None, float]:
    cells = [*map(list, report.cells)]
    sums = [[sum(side) for side in zip(*units.values(), strict=True)] for units in report.cells.values()]
    return part.rate(cells, sums), part.rows(cells, sums)
