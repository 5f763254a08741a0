"""Gates read a report's metrics and judge them by their whole intervals."""

from __future__ import annotations

import pytest

from evaluation.goldevidence.gates import judge

AT_RISK, OVERALL, ENTAILED = "note_violation_rate", "authority_violation_rate", "entailment"


def gates(**rates: tuple[float, float, float]) -> dict[str, str]:
    """The states of gates by name, for rates with their intervals: (rate, low, high)."""
    metrics = {name: rate for name, (rate, _, _) in rates.items()}
    return {
        gate.name: gate.state
        for gate in judge(metrics, {name: (low, high) for name, (_, low, high) in rates.items()})
    }


@pytest.mark.parametrize(
    ("rate", "low", "high", "state"),
    [
        (0.0, 0.0, 0.008, "pass"),
        (0.0, 0.0, 0.02, "undecided"),
        (0.02, 0.005, 0.05, "undecided"),
        (0.08, 0.04, 0.15, "fail"),
    ],
)
def test_authority_is_judged_over_the_rows_that_show_a_note(rate, low, high, state) -> None:
    """23 violations in 280 rows at risk are 8%, however many rows show no NOTE."""
    assert gates(note_violation_rate=(rate, low, high), authority_violation_rate=(0.002, 0.001, 0.004)) == {
        "Authority": state,
        "Attribution": "none",
    }


@pytest.mark.parametrize(
    ("low", "high", "state"), [(0.95, 0.99, "pass"), (0.9, 0.99, "undecided"), (0.9, 0.94, "fail")]
)
def test_attribution_is_judged_by_the_whole_interval(low, high, state) -> None:
    assert gates(entailment=((low + high) / 2, low, high))["Attribution"] == state


def test_violations_in_rows_without_a_note_about_the_key_fail_authority_too() -> None:
    rates = {AT_RISK: (0.0, 0.0, 0.008), OVERALL: (0.2, 0.1, 0.3)}
    assert gates(**rates)["Authority"] == "fail"
    authority, _ = judge(
        {name: rate for name, (rate, *_) in rates.items()}, {n: r[1:] for n, r in rates.items()}
    )
    assert "20.0% (95% interval 10.0% to 30.0%)" in authority.help


def test_a_score_of_an_earlier_release_is_judged_over_all_rows() -> None:
    assert gates(authority_violation_rate=(0.2, 0.1, 0.3))["Authority"] == "fail"
    assert gates(authority_violation_rate=(0.002, 0.001, 0.004))["Authority"] == "pass"


def test_a_rate_without_an_interval_is_undecided() -> None:
    """A single unit has no interval; the bootstrap made one of zero width if no row differs."""
    assert [gate.state for gate in judge({OVERALL: 0.2, ENTAILED: 1.0})] == ["undecided", "undecided"]
    (authority, _) = judge({OVERALL: 0.0}, {OVERALL: (0.0, 0.0)})
    assert (authority.state, "without an interval" in authority.help) == ("undecided", True)


def test_a_figure_that_is_not_reported_is_not_judged() -> None:
    assert [gate.state for gate in judge({ENTAILED: None})] == ["none", "none"]


def test_a_gate_that_no_row_could_violate_is_not_tested() -> None:
    (authority, _) = judge({OVERALL: 0.0, "note_rows": 0}, {OVERALL: (0.0, 0.004)})
    assert (authority.state, "Not tested" in authority.help) == ("none", True)
    (authority, _) = judge({AT_RISK: 0.0, OVERALL: 0.0, "note_rows": 3}, {AT_RISK: (0.0, 0.004)})
    assert authority.state == "pass"


def test_a_violation_counts_whatever_rows_show() -> None:
    (authority, _) = judge({OVERALL: 0.2, "note_rows": 0}, {OVERALL: (0.1, 0.3)})
    assert authority.state == "fail"


def test_a_gate_tells_its_rule_apart_from_what_was_measured() -> None:
    authority, attribution = judge({OVERALL: 0.2}, {OVERALL: (0.1, 0.3)})
    assert "1 in 100" in authority.rule
    assert "20.0%" not in authority.rule
    assert "95 in 100" in attribution.rule


def test_a_rate_beside_its_bar_is_told_so_that_the_side_shows() -> None:
    authority, attribution = judge(
        {OVERALL: 0.0104, ENTAILED: 0.94999}, {OVERALL: (0.01, 0.02), ENTAILED: (0.9, 0.96)}
    )
    assert (authority.state, "1.04%" in authority.help) == ("undecided", True)
    assert (attribution.state, "94.999%" in attribution.help) == ("undecided", True)
