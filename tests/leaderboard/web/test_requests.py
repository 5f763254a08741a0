"""Requests that no link of the site makes: answered like any other, and never with a server error."""

from __future__ import annotations

import gzip
import hashlib
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from leaderboard.submissions.models import Submission, System

LONG = "9" * 5000


@pytest.mark.parametrize("asked", ["-1", "0", "3000", LONG, "x"])
@pytest.mark.parametrize("page", ["/history/", "/systems/", "own"])
def test_the_length_of_a_list_is_the_sites_own(
    client: Any, version: Any, user: Any, system: Any, submit: Any, page: str, asked: str
) -> None:
    if page == "/systems/":
        for number in range(3):
            submit(version, System.objects.create(owner=user, name=f"S{number}"))
    made = submit(version, system)
    Submission.objects.bulk_create(
        Submission(
            system=system,
            version=version,
            submitter=user,
            status="failed",
            file_sha256=made.file_sha256,
            row_count=1,
            visibility="public",
        )
        for _ in range(60)
    )
    address = system.get_absolute_url() if page == "own" else page
    plain = client.get(address).context["table"]
    table = client.get(address, {"per_page": asked}).context["table"]
    assert len(table.paginated_rows) == len(plain.paginated_rows)
    assert table.paginator.per_page == plain.paginator.per_page


@pytest.mark.parametrize("asked", ["0", "-1", "999", LONG, "x", ""])
def test_a_page_that_does_not_exist_is_the_nearest_one(client: Any, db: None, asked: str) -> None:
    assert client.get("/history/", {"page": asked}).status_code == 200


@pytest.mark.parametrize("name", ["revision", "page"])
@pytest.mark.parametrize("text", [LONG, "9" * 20, "٣", "-1", "x"])
def test_a_number_of_any_length_in_an_address_causes_no_server_error(
    client: Any, version: Any, system: Any, submit: Any, staff: Any, name: str, text: str
) -> None:
    made = submit(version, system)
    for address in (made.get_absolute_url(), f"{made.get_absolute_url()}rows/"):
        assert client.get(address, {name: text}).status_code == 200
    client.force_login(staff)
    assert client.get("/runs/new/", {"version": text}).status_code == 200
    assert client.get("/submit/sample/", {"version": text}).status_code == 200
    assert client.post("/submit/", {"version": text}).status_code == 422


@pytest.mark.parametrize("spec", [f"bytes={LONG}-", f"bytes=0-{LONG}", f"bytes=-{LONG}", "bytes=٣-"])
def test_a_range_of_any_length_causes_no_server_error(client: Any, version: Any, spec: str) -> None:
    for address in ("/versions/{}/rows.jsonl.gz", "/api/v1/versions/{}/rows"):
        answer = client.get(address.format("goldevidencebench/tiny"), headers={"range": spec})
        assert answer.status_code == 200
        answer.close()


@pytest.mark.parametrize("address", ["/submit/", "/conformance/upload/", "/account/tokens/", "/account/"])
def test_head_answers_as_get_without_a_body(client: Any, user: Any, version: Any, address: str) -> None:
    client.force_login(user)
    answer = client.head(address)
    assert answer.status_code == client.get(address).status_code == 200
    assert answer.content == b""


def test_many_systems_take_no_more_queries_and_come_in_pages(client: Any, user: Any, version: Any) -> None:
    client.force_login(user)

    def queries() -> int:
        with CaptureQueriesContext(connection) as result:
            client.get("/account/")
        return len(result)

    System.objects.create(owner=user, name="first")
    before = queries()
    System.objects.bulk_create(System(owner=user, name=f"s{n}", slug=f"s{n}") for n in range(60))
    assert queries() <= before
    pages = [client.get("/account/", {"systems": n}).context["systems"] for n in ("1", "3", LONG)]
    assert [len(page.object_list) for page in pages] == [25, 11, 25]
    assert "of 61" in client.get("/account/").content.decode()


def test_a_predictions_file_goes_on_where_it_broke_off(
    client: Any, user: Any, version: Any, system: Any, submit: Any
) -> None:
    made = submit(version, system)
    client.force_login(user)
    address = f"{made.get_absolute_url()}predictions.jsonl.gz"
    whole = client.get(address)
    data = b"".join(whole)
    assert hashlib.sha256(gzip.decompress(data)).hexdigest() == whole["X-Content-SHA256"]
    assert whole["ETag"] == f'"{made.file_sha256}"'
    assert whole["Cache-Control"] == "private, no-cache"
    part = client.get(address, headers={"range": "bytes=5-9", "if-range": whole["ETag"]})
    assert (part.status_code, b"".join(part)) == (206, data[5:10])
    assert client.get(address, headers={"if-none-match": whole["ETag"]}).status_code == 304
    made.predictions_public = False
    made.save()
    client.logout()
    assert client.get(address, headers={"if-none-match": whole["ETag"]}).status_code == 403


@pytest.mark.parametrize("cost", ["1e308", "1e13", "nan", "-1"])
def test_tokens_per_query_stay_within_reason(
    client: Any, user: Any, version: Any, predictions: Any, cost: str
) -> None:
    client.force_login(user)
    with open(predictions(version), "rb") as file:
        sent = {"version": version.pk, "name": "New", "visibility": "public", "kind": "llm", "file": file}
        page = client.post("/submit/", sent | {"tokens_per_query": cost})
    assert page.status_code == 422
    assert "tokens_per_query" in page.context["form"].errors
