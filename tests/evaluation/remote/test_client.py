"""The client: retries if that is safe, follows pages, and reports errors."""

from __future__ import annotations

import socket
import ssl
from pathlib import Path
from typing import Any

import httpx2
import pytest

from evaluation.core.errors import BenchmarkError
from evaluation.remote import client as module
from evaluation.remote.client import Client, ClientError
from evaluation.remote.records import Page, Record, Submission, Token

URL = "http://site.example"


@pytest.fixture(autouse=True)
def waits(monkeypatch) -> list[float]:
    """Replace sleeping; the list of the seconds not waited."""
    collected: list[float] = []
    monkeypatch.setattr(module.time, "sleep", collected.append)
    return collected


def client(*answers: Any, token: str = "") -> tuple[Client, list[httpx2.Request]]:
    """A client of a site that gives these answers one after the other, and the requests it sent."""
    left, sent = list(answers), []

    def handle(request: httpx2.Request) -> httpx2.Response:
        request.read()
        sent.append(request)
        answer = left.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    return Client(URL, token, transport=httpx2.MockTransport(handle)), sent


def test_it_says_who_it_is_and_leaves_empty_parameters_out():
    site, sent = client(httpx2.Response(200, json={}), token="geb_x")
    site.get("/versions", Record, benchmark=None, q="", verified=False, limit=5)
    assert str(sent[0].url) == f"{URL}/api/v1/versions?limit=5"
    assert sent[0].headers["Authorization"] == "Bearer geb_x"
    assert sent[0].headers["User-Agent"].startswith("goldevidencebench/")


def test_the_line_end_of_a_token_that_was_read_from_a_file_is_dropped():
    site, sent = client(httpx2.Response(200, json={}), token="geb_x\r\n")
    site.get("/versions", Record)
    assert sent[0].headers["Authorization"] == "Bearer geb_x"


@pytest.mark.parametrize(
    ("cause", "why"),
    [
        (
            ssl.SSLCertVerificationError(1, "certificate verify failed"),
            "the server's certificate is not accepted",
        ),
        (socket.gaierror(socket.EAI_NONAME, "Name or service not known"), "there is no such host"),
    ],
)
def test_permanent_errors_are_not_tried_again(cause: Exception, why: str):
    error = httpx2.ConnectError("broken")
    error.__cause__ = cause
    site, sent = client(error)
    with pytest.raises(ClientError, match=f"cannot be reached: {why}"):
        site.get("/versions", Record)
    assert len(sent) == 1


@pytest.mark.parametrize("address", ["socks://127.0.0.1:1080/", "socks5h://127.0.0.1:1080/"])
def test_a_proxy_that_cannot_be_used_is_named(monkeypatch, address: str):
    monkeypatch.setenv("ALL_PROXY", address)
    with pytest.raises(BenchmarkError, match=r"^ALL_PROXY names a .*SOCKS|^ALL_PROXY names a .*socks5://"):
        Client(URL)
    Client("http://127.0.0.1:1")


def test_a_file_is_sent_again_from_its_start_under_the_same_key(tmp_path: Path):
    (tmp_path / "preds").write_bytes(b"lines")
    site, sent = client(httpx2.ReadError("broken"), httpx2.Response(201, json={"id": "x"}))
    assert site.post_file("/submissions", tmp_path / "preds", Record, key="k").raw == {"id": "x"}
    assert [request.content for request in sent] == [b"lines", b"lines"]
    assert {request.headers["Idempotency-Key"] for request in sent} == {"k"}


def test_it_gives_up_with_a_sentence():
    site, sent = client(*[httpx2.ConnectError("refused")] * 3)
    with pytest.raises(ClientError, match="cannot be reached: refused"):
        site.get("/versions", Record)
    assert len(sent) == 3


def test_it_waits_as_long_as_a_busy_site_asks_for(waits):
    site, _ = client(
        httpx2.Response(429, headers={"Retry-After": "7"}),
        httpx2.Response(200, json={"user": "a", "scopes": []}),
    )
    assert site.get("/tokens/current", Token).user == "a"
    assert waits == [7]


def test_it_does_not_wait_for_tomorrows_quota():
    problem = {"detail": "You have made 20 of 20 submissions."}
    site, sent = client(httpx2.Response(429, headers={"Retry-After": "86000"}, json=problem))
    with pytest.raises(ClientError, match="20 of 20"):
        site.get("/submissions", Record)
    assert len(sent) == 1


def test_an_error_speaks_in_the_words_of_the_site():
    problem = {"detail": "The file has 1 problem.", "problems": [{"line": 3}]}
    site, _ = client(httpx2.Response(422, json=problem))
    with pytest.raises(ClientError, match="The file has 1 problem") as error:
        site.get("/x", Record)
    assert (error.value.status, error.value.problem["problems"]) == (422, [{"line": 3}])


@pytest.mark.parametrize("answer", [httpx2.Response(502, text="<html>"), httpx2.Response(200, text="<html>")])
def test_an_answer_that_is_not_the_apis_is_reported(answer):
    site, _ = client(answer)
    with pytest.raises(ClientError, match=r"site\.example"):
        site.get("/versions", Record)


def test_a_list_is_followed_page_by_page_and_only_on_the_chosen_server():
    second = "http://elsewhere.example/api/v1/systems?cursor=abc"
    site, sent = client(
        httpx2.Response(200, json={"items": [{"n": 1}, {"n": 2}], "next": second}),
        httpx2.Response(200, json={"items": [{"n": 3}], "next": None}),
    )
    assert [item.raw["n"] for item in site.items("/systems", Record)] == [1, 2, 3]
    assert str(sent[1].url) == f"{URL}/api/v1/systems?cursor=abc"


def test_a_list_stops_at_the_number_asked_for():
    site, sent = client(
        httpx2.Response(200, json={"items": [{"n": 1}, {"n": 2}, {"n": 3}], "next": f"{URL}/more"})
    )
    assert [item.raw["n"] for item in site.items("/systems", Record, most=2)] == [1, 2]
    assert len(sent) == 1


@pytest.mark.parametrize("url", ["http://host:port", "no address", "ftp://host", "", "http://"])
def test_an_address_that_is_none_is_refused(url):
    with pytest.raises(ClientError, match="is not an address"):
        Client(url)


@pytest.mark.parametrize("answer", [{}, [], {"items": 5, "next": None}, {"items": [], "next": 5}, None, "x"])
def test_an_answer_of_another_form_is_a_sentence(answer):
    site, _ = client(httpx2.Response(200, json=answer))
    with pytest.raises(ClientError, match="is not from this API"):
        list(site.items("/versions", Record))


@pytest.mark.parametrize(
    ("answer", "fields"),
    [
        ({"id": "a", "status": "graded", "headline": None, "system": {"name": "s"}}, "version"),
        (
            {"id": "a", "version": "v", "status": "graded", "headline": {}, "system": {}},
            "headline.value, system.name",
        ),
        ({"id": 5, "version": "v", "status": "graded", "headline": None, "system": {"name": "s"}}, "id"),
    ],
)
def test_a_field_that_is_not_there_or_of_another_type_is_named(answer, fields):
    site, _ = client(httpx2.Response(200, json=answer))
    with pytest.raises(ClientError, match=f"Missing or malformed fields: {fields}"):
        site.get("/submissions/a", Submission)


def test_an_answer_that_is_no_object_is_a_sentence():
    site, _ = client(httpx2.Response(200, json=[]))
    with pytest.raises(ClientError, match="is not from this API"):
        site.get("/submissions/a", Submission)


def test_what_a_newer_site_adds_is_kept():
    site, _ = client(httpx2.Response(200, json={"user": "a", "scopes": ["read"], "since": {"year": 2027}}))
    assert site.get("/tokens/current", Token).raw["since"] == {"year": 2027}


def test_an_answer_that_cannot_be_unpacked_is_a_sentence():
    site, sent = client(
        httpx2.Response(200, headers={"Content-Encoding": "gzip"}, stream=httpx2.ByteStream(b"no gzip"))
    )
    with pytest.raises(ClientError, match="cannot be unpacked"):
        site.get("/versions", Record)
    assert len(sent) == 1


@pytest.mark.parametrize("token", ["geb_ü", "geb\nx", "two words", "“geb_x”", "\n"])
def test_a_token_that_can_be_none_is_a_sentence(token: str):
    with pytest.raises(ClientError, match="invalid characters"):
        client(token=token)


def test_an_unknown_version_is_answered_with_the_nearest_that_the_site_has() -> None:
    listed = {"id": "gold/ladder_short", "title": "", "status": "frozen", "rows": 1, "sha256": ""}

    def handle(request: httpx2.Request) -> httpx2.Response:
        if request.url.path.endswith("/versions"):
            return httpx2.Response(200, json={"items": [listed], "next": None})
        return httpx2.Response(404, json={"detail": "Not found."})

    client = Client("http://site.example", transport=httpx2.MockTransport(handle))
    with pytest.raises(ClientError, match="no version 'gold/laddr_short'; nearest: gold/ladder_short"):
        client.get("/leaderboard/gold/laddr_short", Page)
    with pytest.raises(ClientError, match="Not found"):
        client.get("/versions/gold/ladder_short/documents", Page)
