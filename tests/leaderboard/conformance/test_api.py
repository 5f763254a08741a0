"""Conformance reports over the API: sent once, refused with reasons, readable for all."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from evaluation.statebench import run_conformance
from evaluation.statebench.conformance.suite import fingerprint, report
from evaluation.statebench.conformance.vectors import builtin
from leaderboard.conformance import services as conformance
from leaderboard.conformance.models import ConformanceReport
from leaderboard.submissions.models import System

ADDRESS = "/conformance?system=My+store"


@pytest.fixture(scope="module")
def whole() -> bytes:
    """The report of the command line on our own implementation."""
    result = report(run_conformance(), implementation="my store", vectors_sha256=fingerprint(builtin()))
    return json.dumps(result).encode()


def vectors(*rows: dict[str, object]) -> bytes:
    return json.dumps({"implementation": "my store", "vectors": rows}).encode()


def test_a_report_is_sent_and_read(ada, anybody, whole):
    sent = ada("POST", ADDRESS, whole, kind="application/json")
    assert sent.status_code == 201
    response = sent.json()
    assert sent["Location"] == f"/api/v1/conformance/{response['id']}"
    assert (response["conforms"], response["verified"], response["failed"], response["not_run"]) == (
        True,
        False,
        [],
        [],
    )
    assert response["system"] == {"owner": "ada", "slug": "my-store", "name": "My store"}
    assert anybody("GET", f"/conformance/{response['id']}").json() == response
    assert all(row["passed"] and row["evidence"] for row in response["requirements"])
    shown = [row for row in response["requirements"] if row["id"] != "K"]
    assert all(row["vectors_passed"] == row["vectors_total"] > 0 for row in shown)
    listed = anybody("GET", "/conformance?system=ada/my-store").json()["items"]
    assert [one["id"] for one in listed] == [response["id"]]
    assert "requirements" not in listed[0]


def test_a_report_that_leaves_vectors_out_does_not_conform_and_names_them(ada, whole):
    report = json.loads(whole)
    left_out = [row["name"] for row in report["vectors"] if row["name"].startswith("budget")]
    report["vectors"] = [row for row in report["vectors"] if row["name"] not in left_out]
    sent = ada("POST", ADDRESS, json.dumps(report).encode(), kind="application/json").json()
    assert not sent["conforms"]
    assert sent["vectors_missing"] == left_out
    assert sent["vectors_expected"] == sent["vectors_total"] + len(left_out)
    assert {"Q2", "Q3", "Q5", "K"} <= set(sent["not_run"])
    assert sent["requirements_passed"] == sent["requirements_total"] - len(sent["not_run"])
    (q3,) = (row for row in sent["requirements"] if row["id"] == "Q3")
    assert q3["missing"] == left_out
    assert q3["evidence"].startswith(f"0 of {len(left_out)} vectors were run, not budget")


def test_the_same_again_is_the_first_report(ada, whole):
    first = ada("POST", ADDRESS, whole, kind="application/json").json()
    again = ada("POST", "/conformance?system=my-store", whole, kind="application/json")
    assert (again.status_code, again.json()) == (200, first)
    assert ConformanceReport.objects.count() == System.objects.count() == 1


def test_a_file_of_a_form_does_as_well(ada, whole):
    sent = ada("POST", ADDRESS, {"file": SimpleUploadedFile("report.json", whole)})
    assert sent.status_code == 201


def test_a_system_of_another_account_with_the_same_name_stays_unchanged(caller, ada, other, whole):
    ada("POST", ADDRESS, whole, kind="application/json")
    sent = caller(other)("POST", ADDRESS, whole, kind="application/json")
    assert sent.json()["system"]["owner"] == "ben"


def test_a_failure_is_listed_and_filters_hold(ada, anybody, staff):
    failed = {"name": "restricted_hidden", "passed": False, "failed": ["P1"], "evidence": "it told"}
    response = ada("POST", ADDRESS, vectors(failed), kind="application/json").json()
    assert response["failed"] == ["P1"]
    assert "L1" in response["not_run"]
    own = conformance.run()
    assert [one["id"] for one in anybody("GET", "/conformance").json()["items"]] == [own.pk, response["id"]]
    assert [one["id"] for one in anybody("GET", "/conformance?verified=true").json()["items"]] == [own.pk]
    assert [one["id"] for one in ada("GET", "/conformance?mine=true").json()["items"]] == [response["id"]]
    first = anybody("GET", "/conformance?limit=1").json()
    assert [one["id"] for one in anybody("GET", first["next"]).json()["items"]] == [response["id"]]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not a report: "),
        (b"{", "not a report: not JSON"),
        (b"[]", "not a report: a line must be a JSON object"),
        (b"{}", "implementation: Field required. vectors: Field required."),
        (vectors(), "vectors: List should have at least 1 item"),
        (
            vectors({"name": "a"}, {"name": "b", "passed": 1}),
            "vectors.0.passed: Field required. vectors.1.passed:",
        ),
        (
            vectors({"name": "a", "passed": True, "failed": ["Q1"]}),
            "a is reported as passed, but fails Q1",
        ),
        (vectors(*[{"name": "a", "passed": True}] * 2), "these vectors occur more than once: a"),
        (vectors(*[{"name": "", "passed": True}] * 9), "And 4 more."),
    ],
)
def test_what_is_no_report_is_refused_with_each_reason(ada, data, reason):
    refused = ada("POST", ADDRESS, data, kind="application/json")
    problem = refused.json()
    assert (refused.status_code, problem["type"].rpartition(":")[2]) == (422, "rejected-report")
    assert reason in problem["detail"]
    assert problem["detail"].endswith("Nothing was stored.")
    assert problem["problems"][0]["code"] == "invalid_report"
    assert not System.objects.exists()


def test_a_report_needs_a_system_and_a_file(ada, whole):
    assert ada("POST", "/conformance", whole, kind="application/json").status_code == 422
    assert ada("POST", "/conformance?system=", whole, kind="application/json").status_code == 422
    assert ada("POST", ADDRESS, {"note": "no file"}).json()["type"].endswith("no-file")


def test_a_report_is_bounded(ada, monkeypatch, whole):
    monkeypatch.setattr("leaderboard.conformance.intake.MAX_BYTES", 1 << 10)
    for data, kind in ((whole, "application/json"), ({"file": SimpleUploadedFile("r.json", whole)}, "")):
        refused = ada("POST", ADDRESS, data, kind=kind)
        assert (refused.status_code, refused.json()["type"].rpartition(":")[2]) == (413, "too-large")


def test_reports_are_throttled_and_counted(ada, settings, monkeypatch, whole):
    monkeypatch.setattr("leaderboard.conformance.services.REPORTS_PER_DAY", 1)
    one = {"name": "restricted_hidden", "passed": True}
    assert ada("POST", ADDRESS, whole, kind="application/json").status_code == 201
    full = ada("POST", ADDRESS, vectors(one), kind="application/json")
    assert (full.status_code, full.json()["type"].rpartition(":")[2]) == (429, "quota-used-up")
    assert int(full["Retry-After"]) > 80_000
    settings.API_RATES = {"read": 100, "upload": 0}
    busy = ada("POST", ADDRESS, whole, kind="application/json")
    assert (busy.status_code, busy.json()["type"].rpartition(":")[2]) == (429, "too-many-requests")
