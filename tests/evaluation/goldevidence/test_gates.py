"""Gates read a report's metrics."""

from __future__ import annotations

from evaluation.goldevidence.gates import judge


def states(metrics: dict[str, float | None]) -> dict[str, str]:
    return {gate.name: gate.state for gate in judge(metrics)}


def test_a_system_that_cites_notes_fails_the_authority_gate() -> None:
    assert states({"authority_violation_rate": 0.2, "entailment": 1.0}) == {
        "Authority": "fail",
        "Attribution": "pass",
    }


def test_citations_that_do_not_entail_fail_the_attribution_gate() -> None:
    assert states({"authority_violation_rate": 0.0, "entailment": 0.9})["Attribution"] == "fail"


def test_thresholds_themselves_pass() -> None:
    assert set(states({"authority_violation_rate": 0.01, "entailment": 0.95}).values()) == {"pass"}


def test_a_figure_that_is_not_reported_is_not_judged() -> None:
    assert states({"entailment": None}) == {"Authority": "none", "Attribution": "none"}


def test_the_help_tells_the_rate_and_its_interval() -> None:
    authority, _ = judge({"authority_violation_rate": 0.2}, {"authority_violation_rate": (0.1, 0.3)})
    assert "20.0% (95% interval 10.0% to 30.0%)" in authority.help


def test_a_gate_that_no_row_could_violate_is_not_tested() -> None:
    authority, _ = judge({"authority_violation_rate": 0.0, "note_rows": 0})
    assert authority.state == "none"
    assert "Not tested" in authority.help
    assert states({"authority_violation_rate": 0.0, "note_rows": 3})["Authority"] == "pass"


def test_a_violation_counts_whatever_rows_show() -> None:
    assert states({"authority_violation_rate": 0.2, "note_rows": 0})["Authority"] == "fail"


def test_a_gate_tells_its_rule_apart_from_what_was_measured() -> None:
    authority, attribution = judge({"authority_violation_rate": 0.2})
    assert "1 in 100" in authority.rule
    assert "20.0%" not in authority.rule
    assert "95 in 100" in attribution.rule


def test_a_rate_beside_its_bar_is_told_so_that_the_side_shows() -> None:
    authority, attribution = judge({"authority_violation_rate": 0.0104, "entailment": 0.94999})
    assert (authority.state, "1.04%" in authority.help) == ("fail", True)
    assert (attribution.state, "94.999%" in attribution.help) == ("fail", True)


def test_an_interval_without_spread_is_not_told_as_certainty() -> None:
    authority = judge(
        {"authority_violation_rate": 0.0, "note_rows": 4}, {"authority_violation_rate": (0.0, 0.0)}
    )[0]
    assert (authority.state, "interval" in authority.help) == ("pass", False)
