"""Estimates: how long a run takes, from measurements."""

from __future__ import annotations

from leaderboard.runs import estimates
from leaderboard.runs import services as runs


def test_an_estimate_is_unknown_until_something_was_measured(small, staff):
    plan = estimates.Plan(version=small.pk, executor="adapter:ledger", conditions=["k4-gold_last"])
    assert estimates.estimate_for(plan).state == "unknown"
    assert estimates.ask(plan).state == "asked"
    estimates.calibrate(plan)
    known = estimates.estimate_for(plan)
    assert known.state == "known"
    assert f"{small.conditions['k4-gold_last']} rows" in known.text


def test_an_estimate_follows_the_pace_of_an_earlier_run(small, staff):
    run = runs.start(version=small, executor="ledger", started_by=staff)
    runs.execute(str(run.pk))
    estimate = estimates.estimate_for(estimates.Plan(version=small.pk, executor="ledger", row_limit=3))
    assert "3 rows" in estimate.text
    assert "Small" in estimate.basis


def test_a_calibration_that_fails_says_why(small):
    plan = estimates.Plan(version=small.pk, executor="adapter:openai_compatible", settings={"base_url": "x"})
    estimates.calibrate(plan)
    assert estimates.estimate_for(plan).state == "failed"
    assert "base_url" in estimates.estimate_for(plan).text
