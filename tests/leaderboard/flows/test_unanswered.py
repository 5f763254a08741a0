"""Lines without an answer are counted and reported before anything is stored or any quota used."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.accounts.models import ApiToken
from leaderboard.benchmarks.models import Version
from leaderboard.submissions import quotas
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission, System
from tests.leaderboard.callers import Caller

ADDRESS = "/submissions?version=goldevidencebench/tiny&system=Mine"


@pytest.fixture
def ada(user: Any) -> Caller:
    return Caller(ApiToken.objects.issue(user=user, name="script", scopes=["read", "submit"])[1])


@pytest.fixture
def data(version: Version, predictions: Any) -> bytes:
    """A predictions file in which three lines hold no answer."""
    lines = [json.loads(line) for line in predictions(version).read_bytes().splitlines()]
    lines[0] = {"id": lines[0]["id"], "output": "I cannot tell."}
    lines[1] = {"id": lines[1]["id"], "output": ""}
    lines[2] = {"id": lines[2]["id"], "state": "cut_off"}
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


@pytest.fixture
def warning(version: Version) -> str:
    return (
        f"3 of {version.row_count} lines hold no readable answer (1 empty, 1 cut off, 1 unreadable); "
        "they will count as wrong."
    )


def post(client: Client, version: Version, data: bytes, **more: str) -> Any:
    form = {"version": version.pk, "name": "Mine", "kind": "llm", "visibility": "public", **more}
    return client.post("/submit/", form | {"file": SimpleUploadedFile("p.jsonl", data)})


def test_the_page_asks_before_it_takes_them(
    client: Client, user: Any, version: Version, data: bytes, warning: str
) -> None:
    client.force_login(user)
    refused = post(client, version, data)
    page = refused.content.decode()
    assert refused.status_code == 422
    assert warning in page
    assert 'name="take_unanswered"' in page
    assert not Submission.objects.exists()
    assert not System.objects.exists()
    assert quotas.quota_for(user).left == quotas.quota_for(user).limit
    assert post(client, version, data, take_unanswered="on").status_code == 302
    assert Submission.objects.get().row_states == {
        "answered": version.row_count - 3, "empty": 1, "cut_off": 1, "unreadable": 1
    }  # fmt: skip


def test_a_file_without_such_lines_is_asked_nothing(
    client: Client, user: Any, version: Version, predictions: Any
) -> None:
    client.force_login(user)
    assert 'name="take_unanswered"' not in client.get("/submit/").content.decode()
    assert post(client, version, predictions(version).read_bytes()).status_code == 302
    assert set(Submission.objects.get().row_states) <= {"answered", "abstained"}


def test_the_api_counts_them_on_a_check(
    ada: Any,
    version: Version,
    data: bytes,
    warning: str,
) -> None:
    checked = ada("POST", "/versions/goldevidencebench/tiny/validate", data, kind="text/plain")
    assert checked.status_code == 200
    response = checked.json()
    assert (response["warning"], response["row_states"]["unreadable"]) == (warning, 1)
    assert not Submission.objects.exists()


def test_the_api_takes_them_and_says_so_unless_it_is_told_to_refuse(
    ada: Any, user: Any, version: Version, data: bytes, warning: str
) -> None:
    refused = ada("POST", f"{ADDRESS}&unanswered=refuse", data, kind="text/plain")
    problem = refused.json()
    assert (refused.status_code, problem["type"].rpartition(":")[2]) == (422, "unanswered-lines")
    assert problem["detail"].startswith(warning)
    assert problem["counts"]["cut_off"] == 1
    assert not Submission.objects.exists()
    assert quotas.quota_for(user).left == quotas.quota_for(user).limit
    taken = ada("POST", ADDRESS, data, kind="text/plain")
    assert (taken.status_code, taken.json()["row_states"]["cut_off"]) == (201, 1)


def test_a_graded_submission_says_how_many_and_which_rows(
    client: Client, ada: Any, version: Version, data: bytes, warning: str
) -> None:
    made = ada("POST", ADDRESS, data, kind="text/plain").json()
    assert submissions.grade(made["id"])
    page = client.get(f"/submissions/{made['id']}/").content.decode()
    assert warning.replace("will count", "count").replace("lines", "rows") in page
    assert f"/submissions/{made['id']}/rows/?failure=cut_off" in page
    rows = client.get(f"/submissions/{made['id']}/rows/?failure=cut_off").content.decode()
    assert "reached its token limit" in rows


def test_an_older_submission_says_nothing(client: Client, version: Version, system: Any, submit: Any) -> None:
    made = submit(version, system)
    Submission.objects.filter(pk=made.pk).update(row_states={})
    page = client.get(made.get_absolute_url())
    assert page.status_code == 200
    assert "no readable answer" not in page.content.decode()


def test_every_page_that_shows_the_score_says_how_many_are_unanswered(
    client: Client, user: Any, version: Version, system: System, submit: Any, anybody: Caller
) -> None:
    made, whole = submit(version, system), submit(version, System.objects.create(owner=user, name="Whole"))
    Submission.objects.filter(pk=made.pk).update(row_states={"answered": 468, "cut_off": 9, "empty": 3})
    board, name = version.get_board_url(), f"{version.benchmark.slug}/{version.slug}"
    note, link = "12 of 480 unanswered", f'href="{made.get_absolute_url()}#states"'
    client.force_login(user)
    for address in (
        board,
        f"{board}?view=figures",
        system.get_absolute_url(),
        f"/compare/?s={made.pk}&s={whole.pk}",
        "/history/",
        "/account/",
    ):
        page = client.get(address).content.decode()
        assert note in page, address
        assert link in page, address
        assert f"{whole.get_absolute_url()}#states" not in page
    page = client.get(made.get_absolute_url()).content.decode()
    assert 'id="states"' in page
    assert "<b>9</b> cut off" in page
    assert "token limit before it had answered" in page
    rows = anybody("GET", f"/leaderboard/{name}").json()["items"]
    told = {row["submission"]: row["row_states"] for row in rows}
    assert told[str(made.pk)] == {"answered": 468, "cut_off": 9, "empty": 3}
    assert told[str(whole.pk)] == {"answered": version.row_count}
