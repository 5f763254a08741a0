"""Errors as problem+json, pages by cursor, throttling."""

from __future__ import annotations

import json
import re

import pytest
from django.contrib.auth import get_user_model

from leaderboard.submissions.models import Submission, System
from tests.leaderboard.callers import ROOT


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nowhere", 404),
        ("GET", "/versions/goldevidencebench/none", 404),
        ("GET", "/submissions/not-a-uuid", 404),
        ("DELETE", "/versions", 405),
        ("OPTIONS", "/versions", 405),
        ("GET", "/submissions?limit=0", 422),
        ("GET", "/submissions?cursor=invented", 422),
        ("GET", "/submissions?status=unheard", 422),
        ("GET", "/systems?q=%00", 422),
        ("GET", "/versions/goldevidencebench/%00", 422),
        ("GET", "/tokens", 401),
    ],
)
def test_every_error_is_a_problem(anybody, db, method, path, status):
    response = anybody(method, path)
    answered = response.json()
    assert response["Content-Type"] == "application/problem+json"
    assert response.status_code == answered["status"] == status
    assert answered["title"]
    assert answered["detail"]


def test_a_wrong_method_says_which_one_would_do(anybody, db):
    assert "GET" in anybody("DELETE", "/versions")["Allow"]


def test_a_fault_of_the_site_is_a_problem_without_its_insides(client, db, monkeypatch):
    monkeypatch.setattr("leaderboard.benchmarks.api.benchmarks._shown", lambda benchmark: 1 / 0)
    client.raise_request_exception = False
    response = client.get(f"{ROOT}/benchmarks")
    assert (response.status_code, response["Content-Type"]) == (500, "application/problem+json")
    assert "ZeroDivision" not in response.content.decode()


def test_a_damaged_form_is_a_problem(ada, version):
    response = ada("POST", "/submissions", b"not a form", kind="multipart/form-data; boundary=x")
    assert response.status_code in {400, 422}
    assert response["Content-Type"] == "application/problem+json"


def test_json_that_is_none_is_a_problem(client, user):
    client.force_login(user)
    response = client.post(f"{ROOT}/tokens", b"{", content_type="application/json")
    assert (response.status_code, response["Content-Type"]) == (400, "application/problem+json")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b'{"name": ' + b"[" * 500 + b"]" * 500 + b"}", "nested too deeply"),
        (b"[" * 2_000_000, "too many values"),
        (b"{" + b",".join(b'"%x":1' % n for n in range(100_000)) + b"}", "too many values"),
    ],
)
def test_json_that_nests_or_holds_too_much_is_refused_before_it_is_read(
    client, user, monkeypatch, body, reason
):
    client.force_login(user)
    monkeypatch.setattr("ninja.parser.Parser.parse_body", lambda *_: pytest.fail("it was read"))
    response = client.post(f"{ROOT}/tokens", body, content_type="application/json")
    assert response.status_code == 400
    assert reason in json.loads(response.content)["detail"]


def test_the_pages_of_a_list_hold_every_item_once_while_new_ones_arrive(anybody, version, system, submit):
    made = [submit(version, system, grade=False).pk for _ in range(5)]
    seen, following = [], "/submissions?limit=2"
    while following:
        page = anybody("GET", following).json()
        seen += [one["id"] for one in page["items"]]
        following = page["next"]
        submit(version, system, grade=False)
    assert seen == [str(pk) for pk in reversed(made)]


def test_equal_times_do_not_lose_anything_between_pages(anybody, version, system, submit):
    for _ in range(4):
        submit(version, system, grade=False)
    Submission.objects.update(created_at=Submission.objects.first().created_at)
    first = anybody("GET", "/submissions?limit=3").json()
    second = anybody("GET", first["next"]).json()
    assert len({one["id"] for one in first["items"] + second["items"]}) == 4
    assert second["next"] is None


def test_verdicts_come_in_pages_under_a_filter(ada, version, system, submit):
    made = submit(version, system, wrong=5)
    seen, following = [], f"/submissions/{made.pk}/rows?failure=any&limit=2"
    while following:
        page = ada("GET", following).json()
        seen += [one["id"] for one in page["items"]]
        following = page["next"]
    assert len(seen) == len(set(seen)) == 5


def test_the_verdicts_of_a_track_are_asked_for_by_that_word_too(ada, make_version, system, submit):
    version = make_version("statebench", "state", tracks=["supersession", "causality"], count=2)
    rows = f"/submissions/{submit(version, system, executor='no_memory').pk}/rows"
    answered = ada("GET", f"{rows}?track=causality").json()
    assert {row["condition"] for row in answered["items"]} == {"causality"}
    assert ada("GET", f"{rows}?condition=causality").json() == answered
    assert len(ada("GET", f"{rows}?limit=100").json()["items"]) > len(answered["items"])
    refused = ada("GET", f"{rows}?track=causality&condition=supersession")
    assert (refused.status_code, refused.json()["parameters"][0]["name"]) == (422, "track")


def test_a_cursor_of_one_list_is_no_cursor_of_another(anybody, version, system, submit):
    submit(version, system, grade=False)
    submit(version, system, grade=False)
    cursor = anybody("GET", "/submissions?limit=1").json()["next"].partition("cursor=")[2]
    assert anybody("GET", f"/systems?cursor={cursor}").status_code == 422


def test_lists_can_be_filtered(ada, version, system, submit):
    submit(version, system)
    for query, count in {
        "version=goldevidencebench/tiny": 1,
        "version=goldevidencebench/none": 0,
        "system=ada/ledger-reader": 1,
        "system=ben/ledger-reader": 0,
        "status=graded": 1,
        "status=queued": 0,
        "mine=true": 1,
    }.items():
        assert len(ada("GET", f"/submissions?{query}").json()["items"]) == count, query
    assert len(ada("GET", "/systems?q=LEDGER&mine=true").json()["items"]) == 1


def test_too_many_requests_are_told_when_to_come_back(anybody, ada, version, settings):
    settings.API_RATES = {"read": 2, "upload": 1}
    assert [anybody("GET", "/versions").status_code for _ in range(3)] == [200, 200, 429]
    refused = anybody("GET", "/versions")
    assert 0 < int(refused["Retry-After"]) <= 60
    assert refused.json()["retry_after"] == int(refused["Retry-After"])
    assert ada("GET", "/versions").status_code == 200, "an account has an allowance of its own"


def test_callers_read_what_is_left_before_they_are_refused(anybody, version, settings):
    settings.API_RATES = {"read": 2, "upload": 1}
    first, second, refused = (anybody("GET", "/versions") for _ in range(3))
    assert first["RateLimit-Policy"] == '"read";q=2;w=60'
    assert [re.sub("t=[0-9]+", "t=…", each["RateLimit"]) for each in (first, second, refused)] == [
        '"read";r=1;t=…',
        '"read";r=0;t=…',
        '"read";r=0;t=…',
    ]


def test_a_list_names_its_next_page_in_a_header_too(ada, version):
    for name in ("One", "Two"):
        System.objects.create(
            owner=get_user_model().objects.get(username="ada"), name=name, slug=name.lower()
        )
    page = ada("GET", "/systems?limit=1")
    assert page["Link"] == f'<{page.json()["next"]}>; rel="next"'
    assert "Link" not in ada("GET", "/systems?limit=100")


def test_a_page_of_another_site_reads_what_strangers_may(anybody, ada, version):
    assert anybody("GET", "/versions")["Access-Control-Allow-Origin"] == "*"
    assert "RateLimit" in anybody("GET", "/versions")["Access-Control-Expose-Headers"]
    assert "Access-Control-Allow-Origin" not in ada("GET", "/versions")
    assert "Access-Control-Allow-Origin" not in anybody("DELETE", "/versions")


def test_uploads_have_an_allowance_of_their_own(ada, version, settings):
    settings.API_RATES = {"read": 100, "upload": 1}
    path = "/versions/goldevidencebench/tiny/validate"
    assert [ada("POST", path, b"{}", kind="text/plain").status_code for _ in range(2)] == [422, 429]


def test_a_forwarded_address_is_not_believed_without_a_proxy(anybody, db, settings):
    settings.API_RATES = {"read": 1, "upload": 1}
    statuses = [anybody("GET", "/versions", X_Forwarded_For=f"10.0.0.{n}").status_code for n in range(2)]
    assert statuses == [200, 429]


@pytest.mark.parametrize("field", ["system", "note", "parameters"])
@pytest.mark.parametrize("text", ["a%08b", "a%0cb", "a%7fb", "a%C2%85b"])
def test_a_control_character_is_refused_by_the_name_of_its_parameter(ada, version, field, text):
    query = {"version": "goldevidencebench/tiny", "system": "New"} | {field: text}
    address = "/submissions?" + "&".join(f"{name}={value}" for name, value in query.items())
    answer = ada("POST", address, b"{}", kind="application/x-ndjson")
    assert answer.status_code == 422
    assert [one["name"] for one in answer.json()["parameters"]] == [field]
