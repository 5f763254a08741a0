"""The conformance suite: ours passes, faults are found, in process and over HTTP."""

from __future__ import annotations

import threading

import httpx
import pytest

from evaluation.errors import RowError
from evaluation.statebench import run_conformance
from evaluation.statebench.conformance.checks import CHECKS
from evaluation.statebench.conformance.protocol import ours, over_http
from evaluation.statebench.conformance.server import make_server
from evaluation.statebench.conformance.suite import report
from evaluation.statebench.conformance.vectors import REQUIREMENTS, SHOWS, builtin, shows
from evaluation.statebench.conformance.writing import timeline
from tests.evaluation.statebench import reference_state


@pytest.fixture(scope="module")
def server():
    server = make_server("127.0.0.1", 0)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


def failures(verdicts):
    return {verdict.name: verdict.evidence for verdict in verdicts if not verdict.passed}


def test_our_implementation_passes_the_vectors_of_the_package():
    assert failures(run_conformance()) == {}


def test_our_implementation_passes_all_vectors_of_the_reference():
    verdicts = run_conformance(reference_state.rows("conformance/vectors.jsonl"))
    assert failures(verdicts) == {}
    assert len(verdicts) == 31


def test_an_implementation_behind_http_is_tested_alike(server):
    assert failures(run_conformance(implementation=over_http(server))) == {}


def test_the_server_refuses_what_it_cannot_read(server):
    assert httpx.post(server, content=b"{").status_code == 400
    assert httpx.post(server, json={"budget": 1}).status_code == 400


def test_an_implementation_that_is_not_there_fails_with_its_reason():
    verdicts = run_conformance(builtin()[:1], over_http("http://127.0.0.1:1/"))
    assert "did not answer" in verdicts[0].evidence


def test_a_leaking_implementation_fails_where_it_leaks():
    def leaking(request):
        answer = ours(request)
        dead = [str(fact["value"]) for fact in answer["facts"] if not fact["is_valid"]]
        answer["context"]["text"] += "\n".join(["", *dead])
        return answer

    failed = failures(run_conformance(implementation=leaking))
    assert "basic_supersession" in failed
    assert "approved" in failed["basic_supersession"]
    assert "authority_override" not in failed


@pytest.mark.parametrize("answer", [{}, {"context": {}, "facts": []}, {"context": {"text": ""}}])
def test_an_answer_outside_the_protocol_fails_and_does_not_break_the_run(answer):
    assert all(not verdict.passed for verdict in run_conformance(builtin()[:1], lambda request: answer))


def test_the_report_has_a_verdict_and_evidence_per_requirement():
    found = report(run_conformance())
    assert [row["id"] for row in found["requirements"]] == list(REQUIREMENTS)
    assert all(row["passed"] in (True, None) for row in found["requirements"])
    assert next(row for row in found["requirements"] if row["id"] == "T1")["vectors"] == [
        "basic_supersession"
    ]


def test_every_requirement_named_by_a_vector_exists():
    assert {requirement for names in SHOWS.values() for requirement in names} <= set(REQUIREMENTS)
    assert shows("budget_160") == SHOWS["budget"]
    assert shows("something else") == ()


def test_an_expectation_without_a_check_is_refused():
    vector = {"name": "v", "token_budget": 9, "timeline": timeline(query="?"), "expect": {"mood": "good"}}
    with pytest.raises(RowError, match="expects mood"):
        run_conformance([vector])
    assert "mood" not in CHECKS
