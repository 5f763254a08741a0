"""A fault of each kind once: nothing is lost, doubled or half written. `make faults` causes all of them."""

from __future__ import annotations

import pytest

from tests.faults.scenarios import SCENARIOS, Scenario, outcome_of

pytestmark = [pytest.mark.worker, pytest.mark.xdist_group("live")]
#: Killed work, a part that is away, and hostile files. Workers killed in mid-run are in tests/flows/test_runs.py.
ONE_OF_EACH_KIND = {
    "workers killed in mid-grade",
    "PostgreSQL stopped for 1 to 3 s",
    "files made to stop the site",
}


def test_the_kinds_are_among_the_scenarios() -> None:
    assert {each.name for each in SCENARIOS} >= ONE_OF_EACH_KIND


@pytest.mark.parametrize(
    "scenario",
    [
        pytest.param(each, id=each.name, marks=[getattr(pytest.mark, marker) for marker in each.needs])
        for each in SCENARIOS
        if each.name in ONE_OF_EACH_KIND
    ],
)
def test_a_fault_loses_doubles_and_tears_nothing(scenario: Scenario) -> None:
    outcome = outcome_of(scenario, rounds=1, seed=7)
    assert outcome.is_sound, outcome
    assert outcome.slowest_s < 20, outcome
