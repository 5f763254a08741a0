"""Files graded together have the figures that each has alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from evaluation.goldevidence.records import EpisodeRow
from evaluation.goldevidence.suite import SUITE
from evaluation.goldevidence.systems.registry import get_system

GENERATOR = {"episodes": 1, "steps": 40, "keys": 8, "queries": 2, "chapters": 2, "revision": 3}
SETTINGS = {
    "candidates": {
        "generator": GENERATOR,
        "protocol": "closed",
        "conditions": [{"k": 3, "order": order, "exact": True} for order in ("gold_at_1", "gold_at_3")],
    },
    "build": {"generator": GENERATOR | {"steps": 30}, "protocol": "build"},
    "ladder": {
        "generator": GENERATOR | {"episodes": 2, "twins": False, "steps": 30},
        "protocol": "open",
        "ladder": {"lengths": [2048]},
    },
}


def predictions_of(name: str, rows: Iterable[EpisodeRow]) -> list[Any]:
    """The predictions of a system, with its artifacts if it builds first."""
    told = map(get_system(name).build().predict, rows)
    return [line for each in told for line in (each if isinstance(each, list) else [each])]


@pytest.mark.parametrize("name", SETTINGS)
def test_files_that_are_graded_together_have_the_figures_of_each(name: str) -> None:
    version = SUITE.version(SETTINGS[name])
    items = list(version.generate())
    records, rows = [item.gold for item in items], [row for item in items for row in item.rows]
    files = [predictions_of(each, rows) for each in ("ledger", "naive")]
    files += [[line for line in files[0] if "id" in line]]  # without its artifacts
    for file, together in zip(files, version.grade_each(records, files), strict=True):
        alone = version.grade(records, file)
        assert (together.metrics, together.intervals, together.units) == (
            alone.metrics,
            alone.intervals,
            alone.units,
        )
        assert (together.cells, together.robustness) == (alone.cells, alone.robustness)
        assert list(alone.rows)
        assert not together.rows
