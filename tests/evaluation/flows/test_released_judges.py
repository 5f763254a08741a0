"""Rubrics 1.0 and 2.0 against the reference: every response set, every unit case, to 1e-9."""

from __future__ import annotations

import json

import pytest

from evaluation.statebench.grading import decisions, permission, phrases, verdict
from evaluation.statebench.grading.grade import StateReport, grade_files
from tests.evaluation.statebench import reference_state
from tests.reference import ROOT

SETS = sorted(file.stem for file in (ROOT / "state/responses").glob("*.jsonl")) or ["absent"]
RUBRICS = {"1.0": "v1", "2.0": "v2"}
CORE = ("sfrr", "decision_accuracy", "must_mention_rate", "must_not_mention_violation_rate")
KINDS = ("leakage_rate", "fabrication_rate", "false_supersession_rate")
CYCLE = ("low", "medium", "high", "critical")


def near(expected: float):
    return pytest.approx(expected, abs=1e-9)


@pytest.fixture(scope="module")
def graded():
    """Reports by (set, rubric), each made once."""
    made: dict[tuple[str, str], StateReport] = {}

    def report(name: str, rubric: str) -> StateReport:
        responses = reference_state.path(f"responses/{name}.jsonl")
        if (name, rubric) not in made:
            made[name, rubric] = grade_files(reference_state.path("data/dev.jsonl"), responses, rubric=rubric)
        return made[name, rubric]

    return report


def expected(name: str, rubric: str) -> dict:
    return json.loads(reference_state.path(f"expected/{name}.{RUBRICS[rubric]}.json").read_text())


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("rubric", RUBRICS)
class TestEveryResponseSet:
    def test_overall_figures_equal_the_reference(self, graded, name, rubric):
        report, expected_figures = graded(name, rubric), expected(name, rubric)["metrics"]
        names = CORE if rubric == "1.0" else (*CORE, *KINDS)
        assert {n: report.metrics[n] for n in names} == {
            n: near(expected_figures[f"overall_{n}"]) for n in names
        }
        over_constrained = expected_figures["derived"]["sfrr_over_constrained_queries"]
        assert report.metrics["sfrr_over_constrained_queries"] == near(over_constrained)
        assert report.metrics["avg_tokens"] == near(expected_figures["avg_tokens_per_query"])

    def test_tracks_equal_the_reference(self, graded, name, rubric):
        report, expected_figures = graded(name, rubric), expected(name, rubric)["metrics"]["tracks"]
        assert set(report.tracks) == set(expected_figures)
        for track, figures in expected_figures.items():
            shared = set(figures) & set(report.tracks[track])
            assert set(CORE) <= shared
            assert {n: report.tracks[track][n] for n in shared} == {n: near(figures[n]) for n in shared}

    def test_every_query_equals_the_reference(self, graded, name, rubric):
        expected_figures = reference_state.rows(f"expected_per_query/{name}.{RUBRICS[rubric]}.jsonl")
        result = graded(name, rubric).queries
        assert [
            {n: row[n] for n in want} for row, want in zip(result, expected_figures, strict=True)
        ] == expected_figures

    def test_permission_and_cost_equal_the_reference(self, graded, name, rubric):
        report, expected_figures = graded(name, rubric), expected(name, rubric)
        track = expected_figures["track4"]
        assert report.metrics["permission_leakage_rate"] == near(track["leakage_rate"])
        assert report.metrics["false_refusal_rate"] == near(track["false_refusal_rate"])
        assert report.metrics["permission_violation_score"] == near(track["permission_violation_score"])
        assert [list(leak) for leak in report.permission.leaks] == track["leakage_instances"]
        assert [list(refusal) for refusal in report.permission.false_refusals] == track["false_refusals"]
        plain, cycled = (
            expected_figures[f"cost_weighted_{which}_severity"] for which in ("ground_truth", "cycled")
        )
        assert report.cost_weighted.score == near(plain["cost_weighted_score"])
        severities = [CYCLE[n % 4] for n in range(len(report.verdicts))]
        assert verdict.cost_weighted_score(report.verdicts, severities).score == near(
            cycled["cost_weighted_score"]
        )
        assert report.metrics["detection_f1"] == near(expected_figures["detection"]["avg_f1"])


def test_phrases_are_matched_as_both_judges_do():
    for case in reference_state.rows("unit/contains_phrase.jsonl"):
        response = phrases.released_form(case["response"])
        assert phrases.substring_matcher(case["phrase"])(response) is case["v1"], case
        assert phrases.bounded_matcher(case["phrase"])(response) is case["v2"], case


def test_decisions_are_extracted_as_both_judges_do():
    for case in reference_state.rows("unit/extract_decision.jsonl"):
        response, expected_figures = (phrases.released_form(case[name]) for name in ("response", "expected"))
        assert decisions.decide_released(response, expected_figures) == tuple(case["v1"].values()), case
        assert decisions.decide_bounded(response, expected_figures) == tuple(case["v2"].values()), case


FUNCTIONS = {
    "leak_severity": lambda case: permission.leak_severity(case["term"]),
    "refusal_type": lambda case: permission.refusal_type(case["response"]),
}


def test_the_small_scorers_equal_the_reference():
    for case in reference_state.rows("unit/misc.jsonl"):
        if case["fn"] in FUNCTIONS:  # the others are of measures that are not ours
            assert FUNCTIONS[case["fn"]](case) == case["expected"], case
