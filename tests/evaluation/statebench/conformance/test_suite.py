"""The conformance suite: ours passes, faults are found, in process and over HTTP."""

from __future__ import annotations

import json
import re

import pytest

from evaluation.core.errors import RowError
from evaluation.statebench import run_conformance
from evaluation.statebench.conformance.checks import EXPECTATIONS
from evaluation.statebench.conformance.checks.properties import PROPERTIES
from evaluation.statebench.conformance.checks.reading import FIELDS
from evaluation.statebench.conformance.protocol import ours
from evaluation.statebench.conformance.requirements import (
    CHECKLIST,
    PARTS,
    REQUIREMENTS,
    SHOWN_BY,
    SHOWS,
    bears_on,
    credit,
    judge,
    shows,
)
from evaluation.statebench.conformance.suite import fingerprint, report, request_for
from evaluation.statebench.conformance.vectors import builtin
from tests.evaluation.statebench import reference_state
from tests.evaluation.statebench.writing import timeline
from tests.live import ROOT

CHECKLIST_FILE = "docs/4_spec_checklist.md"


def failures(verdicts):
    return {verdict.name: verdict.evidence for verdict in verdicts if not verdict.passed}


def test_our_implementation_passes_every_vector_and_property():
    assert failures(run_conformance()) == {}


def test_our_implementation_fulfils_every_requirement():
    result = report(run_conformance())
    assert {row["id"]: row["passed"] for row in result["requirements"]} == dict.fromkeys(REQUIREMENTS, True)


def test_our_implementation_passes_all_vectors_of_the_reference():
    verdicts = run_conformance(reference_state.rows("conformance/vectors.jsonl"))
    assert failures(verdicts) == {}
    assert len(verdicts) == 31 + len(PROPERTIES)


def test_every_line_of_the_checklist_is_a_requirement():
    lines = reference_state.path(CHECKLIST_FILE).read_text().splitlines()
    listed = [line.split("|")[1].strip() for line in lines if line.startswith("| ") and "---" not in line]
    names = {"T1", "T2", "T3"} | {name for name in listed if name not in ("#", "T1-3")}
    assert names <= set(REQUIREMENTS)
    assert set(REQUIREMENTS) - names == {"C2", "P1", "SC2", "SP1"}


def test_every_requirement_is_shown_by_a_vector_or_is_the_sum_of_some():
    shown = {one for verdict in run_conformance() for one in verdict.requirements}
    assert shown == set(REQUIREMENTS) - {CHECKLIST}
    assert set(PARTS.values()) <= shown


def test_a_leaking_implementation_fails_where_it_leaks():
    def leaking(request):
        answer = ours(request)
        dead = [str(fact["value"]) for fact in answer["facts"] if not fact["is_valid"]]
        answer["context"]["text"] += "\n".join(["", *dead])
        return answer

    failed = failures(run_conformance(implementation=leaking))
    assert "basic_supersession" in failed
    assert "approved" in failed["basic_supersession"]
    assert "property_superseded_never_included" in failed
    assert "authority_override" not in failed


def test_an_implementation_that_reports_no_superseded_fact_does_not_pass_by_silence():
    def silent(request):
        answer = ours(request)
        return answer | {"facts": [fact for fact in answer["facts"] if fact["is_valid"]]}

    failed = failures(run_conformance(implementation=silent))
    assert "nothing could be judged" in failed["property_superseded_never_included"]


@pytest.mark.parametrize(
    "answer", [{}, None, [], 3, {"context": {}, "facts": []}, {"context": {"text": ""}}, {"facts": [None]}]
)
def test_an_answer_outside_the_protocol_fails_and_does_not_break_the_run(answer):
    verdicts = run_conformance(builtin()[:1], lambda request: answer)
    assert not verdicts[0].passed
    assert verdicts[0].failed == verdicts[0].requirements


def test_an_implementation_that_raises_gets_its_exception_as_the_reason():
    def raising(request):
        raise LookupError("no such shelf")

    assert "raised LookupError: no such shelf" in run_conformance(builtin()[:1], raising)[0].evidence
    unwritable = run_conformance(builtin()[:1], lambda request: {"context": {1, 2}})[0]
    assert "cannot be written as JSON" in unwritable.evidence


def test_the_report_has_a_verdict_and_evidence_per_requirement():
    result = report(run_conformance(), vectors_sha256=fingerprint(builtin()))
    assert [row["id"] for row in result["requirements"]] == list(REQUIREMENTS)
    assert all(row["evidence"] for row in result["requirements"])
    assert next(row for row in result["requirements"] if row["id"] == "T1")["vectors"] == [
        "basic_supersession"
    ]
    json.dumps(result)


def test_a_requirement_says_how_many_of_its_vectors_passed():
    rows = [
        {"name": name, "requirements": ["S2", "S3"], "failed": failed, "evidence": "no"}
        for name, failed in (("a", []), ("b", ["S2"]), ("c", []))
    ]
    judged = {row["id"]: row for row in judge(rows)}
    assert (judged["S2"]["passed"], credit(judged["S2"])) == (False, "2 of 3")
    assert (judged["S3"]["passed"], credit(judged["S3"])) == (True, "3 of 3")
    assert credit(judged["L1"]) == credit(judged[CHECKLIST]) == ""
    older = {name: value for name, value in judged["S2"].items() if name != "vectors_passed"}
    assert credit(older) == ""


def test_verdicts_are_seen_as_they_come():
    seen = []
    verdicts = run_conformance(builtin()[:3], watch=seen.append)
    assert seen == verdicts


def test_what_no_vector_shows_is_not_run_and_the_checklist_with_it():
    judged = {row["id"]: row["passed"] for row in judge([])}
    assert judged == dict.fromkeys(REQUIREMENTS)
    row = {"name": "v", "requirements": ["S2"], "failed": ["S2"], "evidence": "no"}
    judged = {row["id"]: row["passed"] for row in judge([row])}
    assert judged["S2"] is False
    assert judged[CHECKLIST] is False
    assert judged["L1"] is None


def test_every_requirement_named_by_a_vector_exists():
    assert {requirement for names in SHOWS.values() for requirement in names} <= set(REQUIREMENTS)
    assert shows("budget_160") == SHOWS["budget"]
    assert shows("something else") == ()
    assert set(SHOWN_BY) <= set(REQUIREMENTS)
    assert {one for names in SHOWN_BY.values() for one in names} <= set(EXPECTATIONS) | {
        one.of for one in PROPERTIES
    }


def test_no_expectation_of_the_package_is_beside_the_point():
    for vector in builtin():
        shown = shows(vector["name"])
        for name in vector["expect"]:
            assert any(bears_on(one, name) for one in shown), (vector["name"], name)


def test_a_failure_that_bears_on_none_of_a_vectors_requirements_tells_against_all():
    vector = dict(builtin()[0]) | {"expect": {"context_contains": ["cancelled"], "turn_scope": {"Hm.": "x"}}}
    verdict = run_conformance([vector])[0]
    assert verdict.failed == verdict.requirements == ("T1", "S3", "W1")


def test_the_answer_in_the_docs_has_every_field_of_the_protocol():
    text = (ROOT / "docs" / "statebench.md").read_text()
    blocks = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", text, re.DOTALL)]
    asked = next(block for block in blocks if "lookup" in block)
    answer = next(block for block in blocks if "facts" in block)
    vector = dict(builtin()[0]) | {"fact_share": 0.5, "constraint_share": 0.3}
    assert list(asked) == list(request_for(vector))
    assert set(answer) == set(ours(request_for(builtin()[0])))
    assert set(answer["facts"][0]) == set(FIELDS)


def test_an_expectation_without_a_check_is_refused():
    vector = {"name": "v", "token_budget": 9, "timeline": timeline(query="?"), "expect": {"mood": "good"}}
    with pytest.raises(RowError, match="unknown expectations: mood"):
        run_conformance([vector])
    assert "mood" not in EXPECTATIONS
