"""One thread renders pages anew, each once for any number of readers."""

from __future__ import annotations

import logging
import time
from pathlib import Path
from threading import Event, Thread

import httpx2
import pytest

from leaderboard.ready_pages.middleware import AS_OF
from leaderboard.ready_pages.renderer import Renderer
from tests.live import LiveSite, wait_for

KEY, OTHER = ("http", "bench.test", "/"), ("http", "bench.test", "/systems/")


def test_a_page_is_rendered_once_for_all_who_ask_meanwhile() -> None:
    renderer, go, done, rendered = Renderer(), Event(), Event(), []

    def render() -> None:
        assert go.wait(10)
        rendered.append("page")

    for _ in range(5):
        renderer.take(KEY, render)
    renderer.take(OTHER, done.set)
    go.set()
    assert done.wait(10)
    assert rendered == ["page"]


def test_a_failure_is_logged_and_the_page_can_be_taken_again(caplog: pytest.LogCaptureFixture) -> None:
    renderer, first, again = Renderer(), Event(), Event()

    def fail() -> None:
        raise ValueError("no such page")

    with caplog.at_level(logging.ERROR, "leaderboard.ready_pages.renderer"):
        renderer.take(KEY, fail)
        renderer.take(OTHER, first.set)
        assert first.wait(10)
        renderer.take(KEY, again.set)
        assert again.wait(10)
    assert "A page could not be rendered again: /" in caplog.text


@pytest.mark.timing
@pytest.mark.xdist_group("live")
def test_a_real_site_renders_anew_within_seconds_of_a_write_while_readers_wait_for_nothing(
    tmp_path: Path,
) -> None:
    write = "from leaderboard.models import Benchmark; Benchmark.objects.update(summary='Something else.')"
    waits: list[float] = []
    with (
        LiveSite(tmp_path, READY_PAGES_STALE_SECONDS="5") as site,
        httpx2.Client(base_url=site.url) as reader,
    ):

        def as_of() -> bytes:
            started = time.monotonic()
            page = reader.get("/versions/")
            waits.append(time.monotonic() - started)
            return AS_OF.findall(page.content)[0]

        site.start_web("--workers", "1")
        before = as_of()
        waits.clear()
        writer = Thread(target=site.shell, args=(write,))
        writer.start()
        wait_for(lambda: as_of() != before, seconds=40, what="the page as of after the write")
        writer.join()
    assert max(waits) < 1
