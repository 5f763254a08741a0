"""Every route crossed with every kind of caller. A route that is not in the table fails the test."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from leaderboard.accounts.models import ApiToken
from leaderboard.api import api
from leaderboard.benchmarks.models import Version
from leaderboard.conformance.models import ConformanceReport
from leaderboard.notices.models import Webhook
from leaderboard.runs import services as runs
from leaderboard.runs.benches import services as benches
from leaderboard.runs.benches.models import Bench
from leaderboard.runs.models import Run
from leaderboard.submissions.models import System
from tests.leaderboard.callers import ROOT

ROLES = ("anybody", "other", "owner", "staff", "reader", "submitter", "expired", "revoked")
#: Public data. A token that may not read is told so.
PUBLIC = "200 200 200 200 200 403 401 401"
#: A private submission, or a system with private submissions only: not there for others.
OWN = "404 404 200 200 200 403 401 401"
STAFF = "401 403 403 200 403 403 401 401"
STAFF_CHANGE = "401 403 403 202 403 403 401 401"
#: Of a version that is not retired: not found for any role.
NOT_YET = "404 404 404 404 404 403 401 401"
CHANGE = "401 404 200 200 403 200 401 401"
#: Status by role, for a private submission of the owner.
TABLE = {
    "GET /benchmarks": PUBLIC,
    "GET /benchmarks/{benchmark}": PUBLIC,
    "GET /versions": PUBLIC,
    "GET /versions/{benchmark}/{version}": PUBLIC,
    "GET /versions/{benchmark}/{version}/rows": PUBLIC,
    #: The rows of this version hold their texts.
    "GET /versions/{benchmark}/{version}/documents": NOT_YET,
    "POST /versions/{benchmark}/{version}/validate": "401 200 200 200 200 403 401 401",
    "GET /versions/{benchmark}/{version}/gold": NOT_YET,
    "GET /versions/{benchmark}/{version}/predictions": PUBLIC,
    "GET /submissions": PUBLIC,
    "POST /submissions": "401 201 201 201 403 201 401 401",
    "GET /submissions/{id}": OWN,
    "GET /submissions/{id}/metrics": OWN,
    "GET /submissions/{id}/rows": OWN,
    "GET /submissions/{id}/artifacts": OWN,
    "GET /submissions/{id}/reproduction": OWN,
    #: Of a site without a key.
    "GET /submissions/{id}/receipt": NOT_YET,
    "GET /submissions/{id}/events": OWN,
    #: Of an upload, which has none; who reads those of a run: tests/leaderboard/submissions/test_transcripts.py.
    "GET /submissions/{id}/transcript": NOT_YET,
    "POST /submissions/{id}/withdraw": CHANGE,
    "POST /submissions/{id}/publish": CHANGE,
    "POST /submissions/{id}/unpublish": CHANGE,
    "POST /submissions/{id}/share-predictions": CHANGE,
    "POST /submissions/{id}/approve": STAFF,
    "POST /submissions/{id}/refuse": STAFF,
    "POST /submissions/{id}/regrade": "401 403 403 202 403 403 401 401",
    "GET /systems": PUBLIC,
    "GET /systems/{owner}/{slug}": OWN,
    "PATCH /systems/{owner}/{slug}": CHANGE,
    "GET /leaderboard/{benchmark}/{version}": PUBLIC,
    "GET /leaderboard/{benchmark}/{version}/measures": PUBLIC,
    "GET /leaderboard/{benchmark}/{version}/marks": PUBLIC,
    "GET /conformance": PUBLIC,
    "GET /conformance/{id}": PUBLIC,
    "POST /conformance": "401 201 201 201 403 201 401 401",
    "GET /runs": STAFF,
    "POST /runs": STAFF_CHANGE,
    "GET /runs/{id}": STAFF,
    "POST /runs/{id}/cancel": STAFF_CHANGE,
    "POST /runs/{id}/resume": STAFF_CHANGE,
    "POST /runs/{id}/go-on": "401 403 403 409 403 403 401 401",
    "GET /benches": STAFF,
    "POST /benches": STAFF_CHANGE,
    "GET /benches/{id}": STAFF,
    "POST /benches/{id}/cancel": STAFF_CHANGE,
    "POST /benches/{id}/resume": STAFF_CHANGE,
    "POST /benches/{id}/go-on": "401 403 403 409 403 403 401 401",
    "GET /tokens": "401 200 200 200 200 403 401 401",
    "GET /tokens/current": "401 200 200 200 200 403 401 401",
    "POST /tokens": "401 403 403 403 403 403 401 401",
    "DELETE /tokens/current": "401 204 204 204 204 403 401 401",
    "GET /webhooks": "401 200 200 200 200 403 401 401",
    "POST /webhooks": "401 201 201 201 403 201 401 401",
    "POST /webhooks/{id}/test": "401 404 202 404 403 202 401 401",
    "DELETE /webhooks/{id}": "401 404 204 404 403 204 401 401",
    "DELETE /tokens/{id}": "401 404 403 404 403 403 401 401",
}
MAY_SEE_SECRETS = {"owner", "staff", "reader"}


def routes() -> list[str]:
    paths = api.get_openapi_schema(path_prefix="/")["paths"]
    return [f"{method.upper()} {path}" for path, methods in paths.items() for method in methods]


def test_every_route_is_in_the_table():
    assert sorted(routes()) == sorted(TABLE)


#: Of an open demo, whose answers can be generated; a reproduction says what the file of them hashes to.
SHOWS_GOLD = {"GET /submissions/{id}/rows", "GET /submissions/{id}/reproduction"}


@pytest.fixture
def callers(caller, user, other, staff):
    return {
        "anybody": caller(),
        "other": caller(other),
        "owner": caller(user),
        "staff": caller(staff, "read", "submit", "staff"),
        "reader": caller(user, "read"),
        "submitter": caller(user, "submit"),
        "expired": caller(user, "read", "submit", "staff", days=-1),
        "revoked": caller(user, "read", "submit", "staff", revoked=True),
    }


@pytest.fixture
def private(version, user, system, submit):
    """A private submission of a system with nothing public, beside a public one of another system."""
    submit(version, system)
    run = runs.start(version=version, executor="naive", started_by=user)
    runs.cancel(run)
    asked = {"suite": "goldevidence", "executor": "ledger", "size": "smoke"}
    benches.cancel(benches.start(**asked, started_by=user))
    ConformanceReport.objects.create(system=system, implementation="mine")
    secret = System.objects.create(owner=user, name="Clandestine")
    return submit(version, secret, wrong=3, visibility="private", note="clandestine note")


def call(call: Any, route: str, private: Any, predictions: Any) -> Any:
    method, path = route.split()
    token = ApiToken.objects.filter(user=private.submitter).latest("pk")
    report = ConformanceReport.objects.values_list("pk", flat=True).first()
    run = Run.objects.values_list("pk", flat=True).first()
    bench = Bench.objects.values_list("pk", flat=True).first()
    hook = Webhook.objects.get_or_create(user=private.submitter, url="https://1.1.1.1/")[0].pk
    ids = {"/webhooks": hook, "/tokens": token.pk, "/runs": run, "/benches": bench, "/conformance": report}
    given = {
        "benchmark": private.version.benchmark.slug,
        "version": private.version.slug,
        "owner": private.system.owner.username,
        "slug": private.system.slug,
        "id": next((pk for start, pk in ids.items() if path.startswith(start)), private.pk),
    }
    if path.endswith("/validate") or route == "POST /submissions":
        query = (
            f"?version={given['benchmark']}/{given['version']}&system=Mine" if path == "/submissions" else ""
        )
        data = predictions(private.version).read_bytes()
        return call(method, path.format(**given) + query, data, kind="application/x-ndjson")
    if route == "POST /runs":
        expected_figures = {"version": f"{given['benchmark']}/{given['version']}", "executor": "ledger"}
        return call(method, path, expected_figures, kind="application/json")
    if route == "POST /benches":
        return call(method, path, {"executor": "ledger", "size": "smoke"}, kind="application/json")
    if route == "POST /conformance":
        data = {"implementation": "mine", "vectors": [{"name": "budget_9", "passed": True}]}
        return call(method, f"{path}?system=Mine", data, kind="application/json")
    if route.startswith("PATCH /systems"):
        return call(method, path.format(**given), {"description": "new"}, kind="application/json")
    if path.endswith("/refuse"):
        return call(method, path.format(**given), {"reason": "Not of this model."}, kind="application/json")
    if route == "POST /webhooks":
        asked = {"url": "https://1.1.1.1/", "events": ["submission.graded"]}
        return call(method, path, asked, kind="application/json")
    if route == "POST /tokens":
        return call(method, path, {"name": "more"}, kind="application/json")
    query = "?row=any" if path.endswith("/transcript") else ""
    return call(method, path.format(**given) + query)


def content(response: Any) -> bytes:
    return gzip.decompress(b"".join(response.streaming_content)) if response.streaming else response.content


@pytest.mark.parametrize("route", TABLE)
def test_each_role_gets_what_it_may_have_and_nothing_else(route, callers, private, predictions):
    expected = dict(zip(ROLES, map(int, TABLE[route].split()), strict=True))
    collected = {}
    for role in ROLES:
        with transaction.atomic():
            response = call(callers[role], route, private, predictions)
            collected[role] = response.status_code
            text = content(response)
            transaction.set_rollback(True)
        if route.startswith("GET") or response.status_code >= 400:
            assert b'"gold"' not in text or route in SHOWS_GOLD, f"{role} sees gold"
            secret = b"landestine" in text or str(private.pk).encode() in text
            assert not secret or role in MAY_SEE_SECRETS, f"{role} sees a private submission"
        if response.status_code >= 400:
            assert response["Content-Type"] == "application/problem+json"
    assert collected == expected


def test_others_see_which_rows_of_a_public_submission_failed_but_no_answer_that_tells_the_gold(
    make_version, system, submit, caller, user, other
):
    sealed = make_version(sealed=True)
    Version.objects.filter(pk=sealed.pk).update(
        figure_step=0
    )  # of before figures were rounded: it shows verdicts
    public = submit(Version.objects.get(pk=sealed.pk), system, wrong=2)
    path = f"/submissions/{public.pk}/rows?questions=true"
    for one in (caller(), caller(other)):
        rows = json.loads(one("GET", path).content)["items"]
        assert [row["failure"] is not None for row in rows].count(True) == 2
        right = [row for row in rows if row["failure"] is None]
        assert not {"value", "cited", "gold"} & set().union(*right)
        wrong = [row for row in rows if row["failure"] is not None]
        assert {row["value"] for row in wrong} == {"spoilt"}
        assert not {"cited", "gold"} & set().union(*wrong)  # what they cite are gold lines
        assert all("gold" not in row["row"] for row in rows)
    assert {"value", "cited"} < json.loads(caller(user)("GET", path).content)["items"][0].keys()


def test_public_gold_is_shown_to_all_readers(make_version, system, submit, anybody):
    public = submit(make_version(public_gold=True), system)
    assert "gold" in json.loads(anybody("GET", f"/submissions/{public.pk}/rows").content)["items"][0]


def test_a_token_of_staff_without_the_scope_staff_sees_no_more_than_a_visitor(caller, staff, private):
    assert caller(staff, "read", "submit")("GET", f"/submissions/{private.pk}").status_code == 404


def test_the_scope_staff_is_worth_nothing_once_its_owner_is_no_longer_staff(caller, user, private):
    assert caller(user, "read", "staff")("POST", f"/submissions/{private.pk}/regrade").status_code == 403


def test_an_inactive_account_cannot_use_its_tokens(ada, user):
    user.is_active = False
    user.save()
    assert ada("GET", "/submissions").status_code == 401


def test_a_credential_of_another_kind_is_refused_instead_of_ignored(client, db):
    response = client.get(f"{ROOT}/versions", headers={"Authorization": "Basic YWRhOnNlY3JldA=="})
    assert response.status_code == 401
    assert "Bearer" in response["WWW-Authenticate"]


def test_a_session_reads_and_needs_a_csrf_token_to_write(user, private):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(user)
    assert browser.get(f"{ROOT}/submissions/{private.pk}").status_code == 200
    refused = browser.post(f"{ROOT}/submissions/{private.pk}/withdraw")
    assert (refused.status_code, refused.json()["type"]) == (403, "urn:goldevidencebench:problem:csrf")
    browser.get("/account/tokens/")
    given = {"X-CSRFToken": browser.cookies["csrftoken"].value}
    assert browser.post(f"{ROOT}/submissions/{private.pk}/withdraw", headers=given).status_code == 200


def test_a_session_without_staff_rights_cannot_regrade(client, user, private):
    client.force_login(user)
    assert client.post(f"{ROOT}/submissions/{private.pk}/regrade").status_code == 403


def test_another_origin_reads_what_everyone_may_and_never_by_a_session(client, user):
    elsewhere = {"Origin": "https://elsewhere.example"}
    public = client.get(f"{ROOT}/versions", headers=elsewhere)
    assert public["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in public
    client.force_login(user)
    signed_in = client.get(f"{ROOT}/versions", headers=elsewhere)
    assert not [name for name in signed_in.headers if name.lower().startswith("access-control")]


def test_wrong_tokens_are_counted_by_address_and_a_right_one_passes(user: Any, settings: Any) -> None:
    settings.API_RATES = settings.API_RATES | {"wrong_token": 5}
    wrong = [
        Client().get(f"{ROOT}/versions", headers={"Authorization": f"Bearer geb_{number}"}).status_code
        for number in range(12)
    ]
    assert wrong == [401] * 5 + [429] * 7 or wrong.count(429) >= 1  # a minute may end meanwhile
    refused = Client().get(
        f"{ROOT}/versions", headers={"Authorization": "Bearer geb_x"}, REMOTE_ADDR="10.0.0.9"
    )
    assert refused.status_code == 401
    _, secret = ApiToken.objects.issue(user=user, name="script", scopes=["read"])
    token = {"Authorization": f"Bearer {secret}"}
    assert Client().get(f"{ROOT}/versions", headers=token).status_code == 200
