"""One thread renders pages anew, each once however many readers wait for it."""

from __future__ import annotations

import logging
from threading import Event

import pytest

from leaderboard.ready_pages.renderer import Renderer

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
    assert "A page could not be rendered anew: /" in caplog.text
