"""Each fault once: nothing is lost, done twice or left half written, and readers are answered."""

from __future__ import annotations

import pytest

from tests.faults.scenarios import SCENARIOS, Scenario, outcome_of

pytestmark = [pytest.mark.worker, pytest.mark.xdist_group("live")]


@pytest.mark.parametrize(
    "scenario",
    [
        pytest.param(each, id=each.name, marks=[getattr(pytest.mark, marker) for marker in each.needs])
        for each in SCENARIOS
    ],
)
def test_a_fault_loses_doubles_and_tears_nothing(scenario: Scenario) -> None:
    outcome = outcome_of(scenario, rounds=1, seed=7)
    assert outcome.is_sound, outcome
    assert outcome.slowest_s < 20, outcome
