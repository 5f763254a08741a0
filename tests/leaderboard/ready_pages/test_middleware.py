"""Readers without a session get stored bytes, and never a page that is older than a write."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from time import sleep
from typing import Any

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.db import OperationalError, connection
from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory, override_settings
from django.test.utils import CaptureQueriesContext

from leaderboard.benchmarks.models import Version
from leaderboard.models import Benchmark, Event, Score
from leaderboard.ready_pages import middleware
from leaderboard.ready_pages.store import Store, pages
from leaderboard.submissions.models import Submission, System

BOARD = "/boards/goldevidencebench/tiny/"


@pytest.fixture
def shown(version: Version, system: System, submit: Callable[..., Submission]) -> Submission:
    """One public submission, on the board."""
    return submit(version, system, executor="ledger")


def addresses(shown: Submission) -> list[str]:
    return [
        "/",
        BOARD,
        f"{BOARD}?sort=-value",
        "/versions/",
        "/versions/goldevidencebench/tiny/",
        "/versions/goldevidencebench/tiny/changes/",
        "/systems/",
        shown.system.get_absolute_url(),
        "/history/",
        "/conformance/",
    ]


def timeless(page: bytes) -> bytes:
    """A page without the time of its rendering."""
    return middleware.AS_OF.sub(b"", page)


def queries(client: Client, address: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(address).status_code == 200
    return len(captured)


def test_a_second_reader_costs_one_question_to_the_database(shown: Submission) -> None:
    for address in addresses(shown):
        first = Client().get(address)
        with CaptureQueriesContext(connection) as captured:
            second = Client().get(address)
        assert [query["sql"] for query in captured] == [
            "SELECT COUNT(*), MAX(id), SUM(id), MAX(token) FROM leaderboard_contentchange"
        ], address
        assert second.content == first.content
        own = "X-Request-ID"
        assert second.headers[own] != first.headers[own]
        assert {**second.headers, own: ""} == {**first.headers, own: ""}


def test_a_reader_who_has_the_page_is_told_so(shown: Submission) -> None:
    first = Client().get(BOARD)
    again = Client().get(BOARD, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    assert again["Cache-Control"] == "public, no-cache"
    assert Client().get(BOARD, headers={"If-None-Match": 'W/"another"'}).status_code == 200


def test_bytes_are_compressed_for_clients_that_accept_it(shown: Submission) -> None:
    plain = Client().get(BOARD)
    packed = Client().get(BOARD, headers={"Accept-Encoding": "gzip, br"})
    assert "Content-Encoding" not in plain
    assert packed["Content-Encoding"] == "gzip"
    assert int(packed["Content-Length"]) == len(packed.content) < len(plain.content)
    assert gzip.decompress(packed.content) == plain.content
    assert {"Accept-Encoding", "Cookie"} <= set(packed["Vary"].replace(" ", "").split(","))


WRITES: dict[str, Callable[[Submission], Any]] = {
    "a row is saved": lambda shown: shown.save(update_fields=["note"]),
    "rows are updated together": lambda shown: System.objects.update(description=F("name")),
    "rows are made together": lambda shown: Event.objects.bulk_create(
        [Event(submission=shown, kind="published", detail=str(number)) for number in range(3)]
    ),
    "rows are updated by a list": lambda shown: Benchmark.objects.bulk_update(
        Benchmark.objects.all(), ["title"]
    ),
    "a score changes": lambda shown: Score.objects.update(headline=0.25),
    "an account gets another name": lambda shown: type(shown.submitter).objects.update(username="ada2"),
    "a submission goes": lambda shown: Submission.objects.filter(pk=shown.pk).update(visibility="private"),
    "a shell writes": lambda shown: connection.cursor().execute(
        "UPDATE leaderboard_version SET title = 'By hand'"
    ),
}


@pytest.mark.parametrize("write", WRITES)
def test_the_next_request_after_a_write_is_rendered_anew(shown: Submission, write: str) -> None:
    client = Client()
    client.get(BOARD)
    assert queries(client, BOARD) == 1
    WRITES[write](shown)
    assert queries(client, BOARD) > 1
    assert queries(client, BOARD) == 1


def test_what_a_job_writes_while_it_works_makes_no_page_old(shown: Submission) -> None:
    client = Client()
    client.get(BOARD)
    Submission.objects.update(progress_done=3, progress_total=9, lease_holder="a worker", attempts=1)
    assert queries(client, BOARD) == 1


def test_a_new_name_stands_on_the_page_at_once(shown: Submission) -> None:
    client = Client()
    assert "Another name" not in client.get(BOARD).content.decode()
    System.objects.filter(pk=shown.system_id).update(name="Another name")
    assert "Another name" in client.get(BOARD).content.decode()


def test_signed_in_readers_get_their_own_page_which_is_not_stored(shown: Submission) -> None:
    Client().get(BOARD)
    mine = Client()
    mine.force_login(shown.submitter)
    page = mine.get(BOARD)
    assert "My systems and submissions" in page.content.decode()
    assert page["Cache-Control"] == "private, no-store"
    assert "My systems and submissions" not in Client().get(BOARD).content.decode()


def test_pages_differ_by_host_and_query(shown: Submission) -> None:
    with override_settings(ALLOWED_HOSTS=["one.test", "two.test"]):
        addresses = ("/versions/goldevidencebench/tiny/",)
        for address in addresses:
            one, two = (Client().get(address, headers={"Host": f"{name}.test"}) for name in ("one", "two"))
            assert b"one.test" in one.content
            assert b"one.test" not in two.content
    by_name, by_value = (Client().get(f"{BOARD}?sort={by}").content for by in ("system", "-value"))
    assert by_name != by_value


@pytest.mark.parametrize("prefix", ["/systems", "/versions/goldevidencebench"])
def test_a_prefix_that_a_header_names_is_none_of_the_site(shown: Submission, prefix: str) -> None:
    address = f"{prefix}/"
    pages.clear()
    true = Client().get(address).content
    pages.clear()
    Client().get("/", SCRIPT_NAME=prefix)
    assert timeless(Client().get(address).content) == timeless(true)


def test_a_port_that_the_site_is_not_served_at_is_answered_and_not_kept(
    shown: Submission, settings: Any
) -> None:
    settings.ALLOWED_HOSTS = ["bench.test"]
    pages.clear()
    assert Client().get(BOARD, headers={"Host": "bench.test:6666"}).status_code == 200
    assert len(pages) == 0
    settings.SITE_URL = "http://bench.test:6666"
    for host in ("bench.test:6666", "bench.test", "bench.test:80"):
        Client().get(BOARD, headers={"Host": host})
    assert len(pages) == 3


@pytest.mark.parametrize("name", ["export.csv", "export.json", ""])
def test_what_is_made_for_a_signed_in_reader_stays_in_no_cache(shown: Submission, name: str) -> None:
    mine = Client()
    mine.force_login(shown.submitter)
    response = mine.get(f"{BOARD}{name}")
    assert response.status_code == 200
    assert response["Cache-Control"] == "private, no-store"


@pytest.mark.parametrize(
    ("address", "headers"),
    [
        ("/accounts/login/", {}),
        ("/no/such/page/", {}),
        (f"{BOARD}export.csv", {}),
        ("/submit/", {}),
        (BOARD, {"Authorization": "Bearer geb_x"}),
        (BOARD, {"HX-Request": "true"}),
        (f"{BOARD}?{'x' * 501}", {}),
    ],
)
def test_nothing_else_is_stored(shown: Submission, address: str, headers: dict[str, str]) -> None:
    pages.clear()
    Client().get(address, headers=headers)
    assert len(pages) == 0


def test_no_stored_page_holds_a_token(shown: Submission) -> None:
    pages.clear()
    for address in addresses(shown):
        page = Client().get(address)
        assert not page.cookies, address
        assert b"csrfmiddlewaretoken" not in page.content
        assert b"nonce" not in page.content
    assert len(pages) == len(addresses(shown)), "all of them are stored"


def test_times_grow_old(shown: Submission, monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client()
    client.get(BOARD)
    later = middleware.time.monotonic() + middleware.KEEP_SECONDS
    monkeypatch.setattr(middleware.time, "monotonic", lambda: later)
    assert queries(client, BOARD) > 1


def test_while_the_database_is_away_readers_get_the_last_page_or_are_told_when_to_ask_again(
    shown: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages.clear()
    there = Client().get(BOARD).content

    def away() -> str:
        raise OperationalError("connection refused")

    monkeypatch.setattr(middleware, "fingerprint", away)
    reader = Client(raise_request_exception=False)
    assert reader.get(BOARD).content == there
    missing = reader.get("/versions/")
    assert (missing.status_code, missing["Retry-After"]) == (503, "10")
    assert "database is not responding" in missing.content.decode()


class Later:
    """In place of the thread: renderings wait until the test runs them."""

    def __init__(self) -> None:
        self.taken: dict[Any, Callable[[], object]] = {}

    def take(self, key: Any, render: Callable[[], object]) -> None:
        self.taken.setdefault(key, render)

    def go_on(self) -> None:
        for key in list(self.taken):
            self.taken.pop(key)()


@pytest.fixture
def later(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Later:
    """A site that sends older pages for five seconds, and starts to render as soon as a page is older."""
    settings.READY_PAGES_STALE_SECONDS = 5
    later = Later()
    monkeypatch.setattr(middleware, "renderer", later)
    monkeypatch.setattr(middleware, "PAUSE_SECONDS", 0)
    pages.clear()
    return later


def rename(shown: Submission, name: str) -> None:
    System.objects.filter(pk=shown.system_id).update(name=name)


def test_after_a_write_the_older_page_is_sent_at_once_and_the_new_one_when_it_is_rendered(
    shown: Submission, later: Later
) -> None:
    before = Client().get(BOARD)
    rename(shown, "Another name")
    with CaptureQueriesContext(connection) as captured:
        for _ in range(3):
            assert Client().get(BOARD).content == before.content
        known = Client().get(BOARD, headers={"If-None-Match": before["ETag"]})
    assert len(captured) == 4
    assert (known.status_code, len(later.taken)) == (304, 1)
    later.go_on()
    after = Client().get(BOARD, headers={"If-None-Match": before["ETag"]})
    assert "Another name" in after.content.decode()
    assert not later.taken


def test_an_older_page_is_sent_for_a_few_seconds_only(
    shown: Submission, later: Later, monkeypatch: pytest.MonkeyPatch
) -> None:
    Client().get(BOARD)
    rename(shown, "Another name")
    now = middleware.time.monotonic()
    monkeypatch.setattr(middleware.time, "monotonic", lambda: now + 5)
    assert "Another name" in Client().get(BOARD).content.decode()


def test_however_often_is_written_a_page_is_rendered_every_two_seconds_at_most(
    shown: Submission, later: Later, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(middleware, "renderer", later)
    Client().get(BOARD)
    rename(shown, "Another name")
    Client().get(BOARD)
    assert not later.taken
    now = middleware.time.monotonic()
    monkeypatch.setattr(middleware.time, "monotonic", lambda: now + 2)
    Client().get(BOARD)
    assert len(later.taken) == 1


@pytest.mark.parametrize(("seconds", "most"), [(5, 2), (0, 3)])
def test_readers_waiting_for_a_rendering_take_it_whatever_is_written_meanwhile(
    settings: Any, monkeypatch: pytest.MonkeyPatch, seconds: int, most: int
) -> None:
    """Eight readers at once of a page that is not stored, and a write before each question to the database."""
    settings.READY_PAGES_STALE_SECONDS = seconds
    renderings: list[HttpRequest] = []
    states = count()

    def render(request: HttpRequest) -> HttpResponse:
        renderings.append(request)
        sleep(0.2)  # the others have asked by then
        return HttpResponse("page")

    monkeypatch.setattr(middleware, "fingerprint", lambda: f"state {next(states)}")
    monkeypatch.setattr(middleware.ahead, "read", lambda key, state: None)
    ready = middleware.ReadyPageMiddleware(render, Store())
    with ThreadPoolExecutor(8) as readers:
        answers = list(readers.map(lambda _: ready(RequestFactory().get(BOARD)), range(8)))
    assert {answer.status_code for answer in answers} == {200}
    assert len(renderings) <= most


def test_a_page_with_more_to_come_is_kept_for_two_seconds_and_no_cache_keeps_it(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A board whose ranks are late, as during uploads: otherwise its readers would render it one after the other."""
    settings.READY_PAGES_STALE_SECONDS = 5
    later, rendered = Later(), count(1)
    monkeypatch.setattr(middleware, "renderer", later)
    monkeypatch.setattr(middleware, "fingerprint", lambda: "state")
    monkeypatch.setattr(middleware.ahead, "read", lambda key, state: None)

    def render(request: HttpRequest) -> HttpResponse:
        return HttpResponse(f"page {next(rendered)}", headers={"Cache-Control": "no-store"})

    ready = middleware.ReadyPageMiddleware(render, Store())
    answers = [ready(RequestFactory().get(BOARD)) for _ in range(2)]
    assert [(answer.content, answer["Cache-Control"]) for answer in answers] == [(b"page 1", "no-store")] * 2
    now = middleware.time.monotonic()
    monkeypatch.setattr(middleware.time, "monotonic", lambda: now + 2)
    assert ready(RequestFactory().get(BOARD)).content == b"page 1"
    later.go_on()
    assert ready(RequestFactory().get(BOARD)).content == b"page 2"


def test_a_writer_never_reads_an_older_page(shown: Submission, later: Later) -> None:
    mine = Client()
    mine.force_login(shown.submitter)
    Client().get(BOARD)
    rename(shown, "Another name")
    assert "Another name" in mine.get(BOARD).content.decode()
    assert "Another name" in Client().get(BOARD, headers={"Authorization": "Bearer x"}).content.decode()
    assert "Another name" not in Client().get(BOARD).content.decode()
    signed_out = mine.post("/accounts/logout/")
    assert signed_out.cookies["wrote"]["max-age"] == 5
    del mine.cookies["messages"]  # shown by then
    assert "Another name" in mine.get(BOARD).content.decode()


def test_a_page_under_any_address_can_be_rendered_anew(shown: Submission, later: Later) -> None:
    for address in (*addresses(shown), f"{BOARD}?q=%C3%A9%20%2B"):
        Client().get(address)
        rename(shown, f"After {address}")
        Client().get(address)
        assert len(later.taken) == 1, address
        later.go_on()
        assert queries(Client(), address) == 1


def test_rendering_ahead_never_takes_the_older_page_for_the_new_one(
    shown: Submission, later: Later, settings: Any
) -> None:
    settings.SITE_URL = "http://testserver"
    handler = WSGIHandler()
    for name in ("One name", "Another name"):
        rename(shown, name)
        assert middleware.keep_ahead(handler, f"http://testserver{BOARD}")
    assert not later.taken
    assert "Another name" in Client().get(BOARD).content.decode()


def test_a_page_says_as_of_when_it_is_and_keeps_its_tag_while_nothing_else_changes(shown: Submission) -> None:
    foot = re.compile(
        rb'As of <time class="as-of" datetime="[^"]+">\d+ [A-Z][a-z]+ \d{4}, \d\d:\d\d UTC</time>'
    )
    for address in addresses(shown):
        assert foot.search(Client().get(address).content), address
    one = Client().get(BOARD)
    page = middleware.HttpResponse(foot.sub(b'As of <time class="as-of" datetime="x">x</time>', one.content))
    assert middleware._packed(page).etag == one["ETag"]
