"""A worker renders changed pages ahead, so that the first reader after a write finds them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import clear_script_prefix, set_script_prefix
from django.utils import timezone

from leaderboard.boards import pages_ahead
from leaderboard.boards.placements import ahead as placements_ahead
from leaderboard.jobs import dispatch
from leaderboard.models import ContentChange, DelayedTask, DuePlacements, RenderedPage
from leaderboard.ready_pages import ahead
from leaderboard.ready_pages.middleware import AS_OF, keep_ahead
from leaderboard.ready_pages.store import pages
from leaderboard.submissions.models import Submission, System
from leaderboard.templatetags import marks

BOARD = "/boards/goldevidencebench/tiny/"
LATER = dispatch.enqueue_later  # the real one: the shared cast silences it
STATE = "SELECT COUNT(*), MAX(id), SUM(id), MAX(token) FROM leaderboard_contentchange"


@pytest.fixture
def shown(version: Any, system: System, submit: Callable[..., Submission], settings: Any) -> Submission:
    """One public submission, on the board of a site with the test client's address."""
    settings.SITE_URL = "http://testserver"
    submission: Submission = submit(version, system, executor="ledger")
    DuePlacements.objects.all().delete()
    return submission


def render() -> int:
    """Render as a worker, then forget the pages in memory: web processes have not got them."""
    rendered = pages_ahead.render()
    pages.clear()
    return rendered


def statements(address: str) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        assert Client().get(address).status_code == 200
    return [query["sql"] for query in captured]


def test_the_first_reader_gets_what_a_worker_rendered(shown: Submission) -> None:
    assert render() >= 6
    for path in pages_ahead.paths():
        asked = statements(path)
        assert len(asked) == 2, path
        assert asked[0] == STATE
        assert "leaderboard_renderedpage" in asked[1]


def test_a_page_rendered_ahead_is_byte_by_byte_what_a_reader_without_a_session_gets(
    shown: Submission,
) -> None:
    paths = list(pages_ahead.paths())
    rendered = {}
    for path in paths:
        pages.clear()
        rendered[path] = Client().get(path)
    assert render() == len(paths)
    for path in paths:
        ahead_of = Client().get(path)
        there, then = (AS_OF.sub(b"", page.content) for page in (ahead_of, rendered[path]))
        assert there == then, path
        own = {"X-Request-ID": ""}
        assert {**ahead_of.headers, **own} == {**rendered[path].headers, **own}, path
        assert not ahead_of.cookies
        assert b"csrfmiddlewaretoken" not in ahead_of.content
        packed = Client().get(path, headers={"Accept-Encoding": "gzip"})
        assert packed["ETag"] == rendered[path]["ETag"]


def test_the_next_request_after_a_write_never_gets_a_page_rendered_before_it(shown: Submission) -> None:
    render()
    System.objects.filter(pk=shown.system_id).update(name="Another name")
    assert "Another name" in Client().get(BOARD).content.decode()
    assert render() > 0
    assert len(statements(BOARD)) == 2
    assert "Another name" in Client().get(BOARD).content.decode()


def test_another_release_renders_its_own_pages(shown: Submission, monkeypatch: pytest.MonkeyPatch) -> None:
    render()
    monkeypatch.setattr(ahead, "release", lambda: "another")
    assert len(statements(BOARD)) > 2


def test_a_page_is_kept_for_minutes_only(shown: Submission) -> None:
    render()
    assert not RenderedPage.objects.filter(good_until__gt=timezone.now() + ahead.KEEP).exists()
    RenderedPage.objects.update(good_until=timezone.now())
    assert pages_ahead.plan_overdue()
    assert len(statements(BOARD)) > 2


def test_a_page_is_for_the_host_that_it_was_rendered_for(shown: Submission, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["testserver", "other.test"]
    render()
    page = Client().get("/versions/goldevidencebench/tiny/", headers={"Host": "other.test"})
    assert b"other.test" in page.content
    assert b"testserver" not in page.content


def test_without_an_address_in_the_settings_nothing_is_rendered_ahead_whatever_readers_ask_for(
    shown: Submission, settings: Any
) -> None:
    settings.SITE_URL = ""
    Client().get(BOARD)
    assert ahead.origin() == ""
    assert render() == 0
    assert not pages_ahead.plan_overdue()


def test_a_page_under_a_path_is_rendered_and_stored_with_the_path(shown: Submission, settings: Any) -> None:
    settings.SITE_URL, settings.FORCE_SCRIPT_NAME = "http://testserver/bench", "/bench"
    set_script_prefix("/bench")
    try:
        assert render() >= 6
        page = Client().get("/versions/")
        assert b'href="/bench/boards/' in page.content
        assert set(RenderedPage.objects.values_list("address", flat=True)) >= {
            "http://testserver/bench/versions/"
        }
    finally:
        clear_script_prefix()


@pytest.mark.parametrize(
    ("ago", "seconds"),
    [
        (timedelta(seconds=5), 60),
        (timedelta(minutes=5), 60),
        (timedelta(hours=3, minutes=58), 120),
        (timedelta(hours=3, minutes=5), 600),
        (timedelta(days=2, hours=23, minutes=57), 180),
        (timedelta(days=40), 600),
    ],
)
def test_a_page_is_good_until_a_time_on_it_reads_otherwise(ago: timedelta, seconds: int) -> None:
    now = timezone.now()
    if ago.days >= 3:  # a date: the same one throughout, though it is just past midnight
        ago += timedelta(hours=now.hour - 12)
    content = str(marks.when(now - ago)).encode()
    good_for = ahead.good_for(content, now)
    assert good_for == timedelta(seconds=seconds)
    assert ahead.good_for(b"", now) == ahead.KEEP
    if seconds > 60:
        assert marks.ago(timezone.now() - ago) == marks.ago(timezone.now() - ago - good_for * 0.95)


def test_what_is_no_public_page_is_not_stored(shown: Submission) -> None:
    handler = pages_ahead._handler()
    assert not keep_ahead(handler, "http://testserver/accounts/login/")
    assert not keep_ahead(handler, "http://testserver/no/such/page/")
    assert keep_ahead(handler, f"http://testserver{BOARD}?sort=-value")
    assert keep_ahead(handler, f"http://testserver{shown.system.get_absolute_url()}")


def test_a_second_round_renders_nothing_that_is_there(shown: Submission) -> None:
    assert render() > 0
    assert render() == 0
    assert not pages_ahead.plan_overdue()
    System.objects.update(description="written by hand")
    assert pages_ahead.plan_overdue()


def test_pages_of_addresses_that_are_gone_are_forgotten(shown: Submission) -> None:
    RenderedPage.objects.create(
        pk="old",
        address="http://testserver/old/",
        packed=b"",
        headers=[],
        state="",
        good_until=timezone.now(),
    )
    render()
    assert not RenderedPage.objects.filter(pk="old").exists()


def test_rendering_changes_no_state(shown: Submission) -> None:
    marks = list(ContentChange.objects.values_list())
    render()
    assert list(ContentChange.objects.values_list()) == marks


def test_a_thousand_new_results_are_one_task(
    shown: Submission, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    monkeypatch.setattr(dispatch, "enqueue_later", LATER)
    with django_capture_on_commit_callbacks(execute=True):
        for _ in range(1000):
            pages_ahead.plan()
    assert list(DelayedTask.objects.values_list("task", flat=True)) == [pages_ahead.TASK]
    render()
    assert not DelayedTask.objects.exists()
    with django_capture_on_commit_callbacks(execute=True):
        pages_ahead.plan()
    assert DelayedTask.objects.count() == 1, "what lands after a round has begun asks for another"


def test_a_round_waits_for_placements_but_not_for_ever(
    shown: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    placements_ahead.mark(shown.version_id)
    assert render() == 0
    later = pages_ahead.time.time() + pages_ahead.PATIENCE_S
    monkeypatch.setattr(pages_ahead.time, "time", lambda: later)
    assert render() > 0


def test_a_cache_that_is_away_harms_no_reader(
    shown: Submission, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise ConnectionError("away")

    monkeypatch.setattr(type(caches["results"]), "set", fail)
    assert Client().get("/versions/goldevidencebench/tiny/changes/").status_code == 200
