"""Facts in scopes: nothing dead, drafted or supposed is shown or current, whatever random timelines do."""

from __future__ import annotations

import pytest

from tests.evaluation.statebench.context.scoped_checks import leaks, misreadings
from tests.evaluation.statebench.context.scoped_timelines import scoped_timeline

SEEDS = range(300)


@pytest.mark.parametrize("start", range(0, len(SEEDS), 50))
def test_no_dead_drafted_or_supposed_value_is_in_any_context(start: int) -> None:
    rows = [scoped_timeline(seed) for seed in SEEDS[start : start + 50]]
    assert {row["id"]: item for row in rows if (item := leaks(row))} == {}


@pytest.mark.parametrize("start", range(0, len(SEEDS), 50))
def test_what_holds_is_read_as_an_independent_model_reads_it(start: int) -> None:
    rows = [scoped_timeline(seed) for seed in SEEDS[start : start + 50]]
    assert {row["id"]: item for row in rows if (item := misreadings(row))} == {}
