"""Submitting: one call in many forms, once per key, within the quota; and its refusals."""

from __future__ import annotations

import gzip
import json

import pytest

from evaluation.core import statistics
from leaderboard.runs import services as runs
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission, System

ADDRESS = "/submissions?version=goldevidencebench/tiny&system=My+reader"


@pytest.fixture
def data(version, predictions) -> bytes:
    return predictions(version).read_bytes()


@pytest.mark.parametrize("kind", ["application/x-ndjson", "application/x-www-form-urlencoded", "text/plain"])
def test_the_body_is_the_file_whatever_its_type_is_called(ada, data, kind):
    response = ada("POST", ADDRESS, data, kind=kind)
    assert response.status_code == 201
    assert response.json()["status"] == "queued"
    assert response["Location"] == f"/api/v1/submissions/{response.json()['id']}"


def test_gzip_and_plain_are_the_same_submission(ada, data):
    ada("POST", ADDRESS, data, kind="text/plain")
    ada("POST", ADDRESS, gzip.compress(data), kind="application/gzip")
    assert Submission.objects.values("file_sha256").distinct().count() == 1


def test_a_multipart_form_carries_file_and_fields(ada, predictions, version):
    fields = {
        "version": "goldevidencebench/tiny",
        "system": "Formal",
        "kind": "selector",
        "note": "from a form",
    }
    with open(predictions(version), "rb") as file:
        response = ada("POST", "/submissions", {"file": file, **fields, "visibility": "private"})
    content = response.json()
    assert (response.status_code, content["note"], content["visibility"]) == (201, "from a form", "private")
    assert System.objects.get(name="Formal").kind == "selector"


def test_a_system_is_found_by_slug_or_name_and_made_once(ada, data, system):
    for name in ("ledger-reader", "Ledger reader", "Another one", "Another one"):
        ada("POST", f"/submissions?version=goldevidencebench/tiny&system={name}", data, kind="text/plain")
    assert list(System.objects.values_list("slug", flat=True)) == ["another-one", "ledger-reader"]


def test_one_model_under_two_harnesses_is_two_systems(ada, data):
    long = "x" * 90
    for harness in (
        "reads the whole text",
        "BM25 finds 8 lines",
        f"{long} one",
        f"{long} two",
        "BM25 finds 8 lines",
    ):
        ada("POST", f"{ADDRESS}&harness={harness.replace(' ', '+')}", data, kind="text/plain")
    assert len(set(System.objects.values_list("name", flat=True))) == System.objects.count() == 4
    assert set(System.objects.values_list("model", flat=True)) == {"My reader"}


def test_a_new_system_keeps_a_link_and_no_script(ada, data):
    sent = [
        ada("POST", f"{ADDRESS}&url={url}", data, kind="text/plain").status_code
        for url in ("javascript:alert(1)", "https://example.org/paper")
    ]
    assert sent == [422, 201]
    assert System.objects.get().url == "https://example.org/paper"


def test_a_system_of_another_account_with_the_same_name_stays_unchanged(caller, other, data, system):
    response = caller(other)(
        "POST", "/submissions?version=goldevidencebench/tiny&system=ledger-reader", data, kind="text/plain"
    )
    assert response.json()["system"]["owner"] == "ben"


def test_the_command_line_is_recognised(ada, data):
    sent = ada("POST", ADDRESS, data, kind="text/plain", User_Agent="goldevidencebench/0.1.0")
    assert sent.json()["source"] == "cli"


def test_a_grading_can_be_followed_to_its_figures(ada, data):
    sent = ada("POST", ADDRESS, data, kind="text/plain").json()
    early = ada("GET", f"/submissions/{sent['id']}/metrics")
    assert (early.status_code, early.json()["type"].rpartition(":")[2]) == (409, "not-graded")
    assert submissions.grade(sent["id"])
    content = ada("GET", f"/submissions/{sent['id']}").json()
    assert (content["status"], content["progress"], content["headline"]["value"]) == ("graded", 100, 1.0)
    metrics = {one["name"]: one for one in ada("GET", f"/submissions/{sent['id']}/metrics").json()["metrics"]}
    assert metrics["exact_acc"]["value"] == 1.0
    low, high = metrics["exact_acc"]["low"], metrics["exact_acc"]["high"]
    assert (0.4 < low < 0.9, high) == (True, 1), "where every episode is right, the interval is a bound"
    assert content["statistics"] == statistics.VERSION
    kinds = [one["kind"] for one in ada("GET", f"/submissions/{sent['id']}/events").json()]
    assert kinds == ["received", "queued", "graded"]


def test_an_earlier_revision_stays_readable_and_one_that_never_was_is_not_there(ada, version, system, submit):
    made = submit(version, system)
    assert ada("GET", f"/submissions/{made.pk}/metrics?revision=1").json()["revision"] == 1
    assert ada("GET", f"/submissions/{made.pk}/metrics?revision=2").status_code == 404


def test_the_same_key_makes_one_submission(ada, data):
    first = ada("POST", ADDRESS, data, kind="text/plain", Idempotency_Key="k")
    again = ada("POST", ADDRESS, gzip.compress(data), kind="text/plain", Idempotency_Key="k")
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["id"] == again.json()["id"]
    assert Submission.objects.count() == 1


def test_a_key_is_its_accounts_own(ada, caller, other, data):
    ada("POST", ADDRESS, data, kind="text/plain", Idempotency_Key="k")
    assert caller(other)("POST", ADDRESS, data, kind="text/plain", Idempotency_Key="k").status_code == 201


def test_the_same_key_for_something_else_is_a_conflict(ada, version, predictions):
    ada("POST", ADDRESS, predictions(version).read_bytes(), kind="text/plain", Idempotency_Key="k")
    other = predictions(version, wrong=1).read_bytes()
    response = ada("POST", ADDRESS, other, kind="text/plain", Idempotency_Key="k")
    assert (response.status_code, response.json()["type"].rpartition(":")[2]) == (
        409,
        "idempotency-key-reused",
    )


def test_a_replay_costs_no_quota_and_a_new_one_beyond_it_says_when_to_come_back(ada, data, settings):
    settings.SUBMISSIONS_PER_VERSION_PER_DAY = 1
    assert ada("POST", ADDRESS, data, kind="text/plain", Idempotency_Key="k").status_code == 201
    assert ada("POST", ADDRESS, data, kind="text/plain", Idempotency_Key="k").status_code == 200
    refused = ada("POST", ADDRESS, data, kind="text/plain")
    assert (refused.status_code, refused.json()["type"].rpartition(":")[2]) == (429, "quota-used-up")
    assert 86_000 < int(refused["Retry-After"]) <= 86_400
    assert refused.json()["retry_after"] == int(refused["Retry-After"])


def test_a_rejected_file_leaves_nothing_behind_and_costs_nothing(ada, version, user):
    response = ada("POST", ADDRESS, b"", kind="text/plain")
    assert response.json()["problems"][0]["code"] == "empty_file"
    assert not user.submissions.exists()
    assert not user.systems.exists()


@pytest.mark.parametrize("form", [False, True])
def test_a_file_over_the_limit_is_413(ada, version, predictions, settings, form):
    settings.UPLOAD_MAX_BYTES = 100
    with open(predictions(version), "rb") as file:
        sent = {"file": file} if form else file.read()
        response = ada("POST", ADDRESS, sent, **({} if form else {"kind": "text/plain"}))
    assert (response.status_code, response["Content-Type"]) == (413, "application/problem+json")


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", {"version", "system"}),
        ("version=goldevidencebench/tiny", {"system"}),
        ("version=tiny&system=x", {"version"}),
        ("version=goldevidencebench/tiny&system=x&visibility=secret", {"visibility"}),
        ("version=goldevidencebench/tiny&system=%00", {"system"}),
        ("version=goldevidencebench/tiny&system=x&tokens_per_query=nan", {"tokens_per_query"}),
    ],
)
def test_a_wrong_parameter_is_named(ada, data, query, names):
    response = ada("POST", f"/submissions?{query}", data, kind="text/plain")
    assert response.status_code == 422
    assert {one["name"] for one in response.json()["parameters"]} == names


def test_a_multipart_body_without_the_file_says_which_field_is_missing(ada, version):
    response = ada("POST", ADDRESS, {"other": "field"})
    assert (response.status_code, response.json()["type"].rpartition(":")[2]) == (422, "no-file")


def test_withdrawn_and_unpublished_submissions_leave_the_board(ada, version, system, submit):
    made = submit(version, system)
    board = "/leaderboard/goldevidencebench/tiny"
    assert ada("GET", board).json()["total"] == 1
    assert ada("POST", f"/submissions/{made.pk}/unpublish").json()["visibility"] == "private"
    assert ada("GET", board).json()["total"] == 0
    assert ada("POST", f"/submissions/{made.pk}/publish").json()["shown"]
    assert ada("POST", f"/submissions/{made.pk}/withdraw").json()["status"] == "withdrawn"
    assert ada("GET", board).json()["total"] == 0
    assert ada("GET", "/systems/ada/ledger-reader").json()["attempts"] == [
        {"version": "goldevidencebench/tiny", "graded": 1, "withdrawn": 1}
    ]


def test_a_trial_is_not_published(caller, staff, version):
    run = runs.start(version=version, executor="ledger", started_by=staff, row_limit=2, wake_worker=False)
    assert runs.execute(str(run.pk), grade_now=True)
    trial = staff.submissions.get()
    response = caller(staff)("POST", f"/submissions/{trial.pk}/publish")
    assert (response.status_code, response.json()["type"].rpartition(":")[2]) == (409, "trial-run")
    assert "Run all rows" in response.json()["detail"]


def test_staff_grade_again(caller, staff, version, system, submit):
    made = submit(version, system)
    response = caller(staff, "read", "staff")("POST", f"/submissions/{made.pk}/regrade")
    assert (response.status_code, response.json()["status"]) == (202, "queued")
    assert submissions.grade(str(made.pk))


@pytest.mark.parametrize(("query", "shown"), [("", 40), ("&tokens_per_query=7", 7)])
def test_tokens_that_every_line_reports_are_tokens_per_query_unless_the_call_says_them(
    ada, make_version, predictions, query, shown
):
    timelines = make_version("statebench", "state", tracks=["supersession"], count=1)
    rows = [json.loads(line) for line in predictions(timelines, "no_memory").read_bytes().splitlines()]
    data = b"".join(json.dumps(row | {"tokens_used": 40}).encode() + b"\n" for row in rows)
    sent = ada("POST", f"/submissions?version=statebench/state&system=Mine{query}", data, kind="text/plain")
    assert (sent.status_code, sent.json()["tokens_per_query"]) == (201, shown)
