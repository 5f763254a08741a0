"""Generated timelines of any seed find every fault of the second implementation."""

from __future__ import annotations

import pytest

from evaluation.core.errors import AdapterError
from evaluation.statebench.conformance.model.running import TIMELINES, failures
from tests.evaluation.statebench.conformance.second import second
from tests.evaluation.statebench.conformance.second_mutants import FAULTS, mutant

SEEDS = (1, 2, 3)


def is_found(name: str, seed: int) -> bool:
    """Whether a run with the default number of timelines fails."""
    try:
        return next(failures(mutant(name), seed=seed, timelines=TIMELINES), None) is not None
    except AdapterError:  # the fault breaks it, which is a verdict as well
        return True


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found_by_generated_timelines(name: str) -> None:
    assert [seed for seed in SEEDS if not is_found(name, seed)] == []


def test_without_a_fault_nothing_is_found() -> None:
    assert list(failures(second, seed=SEEDS[0], timelines=100)) == []
