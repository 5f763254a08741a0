"""While Redis is away, each process caches by itself: nothing is refused, and limits still count."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from benchsite import redis_cache
from leaderboard.web.results_cache import cache
from tests.live import free_port, wait_for
from tests.services import listens, redis


@pytest.fixture
def use(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Makes the Redis at a port the cache of the site, by its settings."""

    def use(port: int) -> None:
        place = {"BACKEND": "benchsite.redis_cache.Cache", "LOCATION": f"redis://127.0.0.1:{port}/1"}
        settings.CACHES = {name: place | {"KEY_PREFIX": name} for name in ("default", "results")}

    monkeypatch.setattr(redis_cache, "PAUSE_S", 600.0)
    monkeypatch.setattr(redis_cache, "_asked_again_at", {})
    return use


def end_pause() -> None:
    """Let the time pass after which an unreachable Redis is tried again."""
    for server in redis_cache._asked_again_at:
        redis_cache._asked_again_at[server] = 0.0


def test_without_redis_every_operation_goes_on(use: Callable[[int], None]) -> None:
    use(free_port())
    assert cache.add("a", 1)
    assert not cache.add("a", 2), "who asks whether he is the first is told"
    assert cache.incr("a") == 2
    cache.set_many({"b": 3, "c": None})
    assert cache.get_many(["a", "b"]) == {"a": 2, "b": 3}
    assert cache.get_or_set("d", lambda: 4) == 4
    assert "c" in cache
    assert cache.touch("b")
    assert cache.delete("b")
    cache.delete_many(["c"])
    cache.clear()
    assert cache.get("a") is None


def test_two_caches_of_one_redis_stay_two(use: Callable[[int], None]) -> None:
    from django.core.cache import cache as limits

    use(free_port())
    cache.set("a", 1)
    assert limits.get("a") is None


@pytest.mark.timing
def test_a_redis_that_hangs_is_waited_for_once(use: Callable[[int], None]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        use(server.getsockname()[1])
        begun = time.monotonic()
        for _ in range(100):
            cache.get("a")
        assert time.monotonic() - begun < redis_cache.ANSWER_S + 1


def test_without_redis_pages_and_the_api_answer(db: None, use: Callable[[int], None]) -> None:
    use(free_port())
    for address in ("/", "/versions/", "/api/v1/versions", "/accounts/login/"):
        assert Client().get(address).status_code == 200, address


def test_without_redis_wrong_passwords_are_counted(user: Any, use: Callable[[int], None]) -> None:
    use(free_port())
    sent = {"login": user.username, "password": "wrong"}
    pages = [Client().post("/accounts/login/", sent).content.decode() for _ in range(7)]
    assert "Too many failed login attempts" not in pages[4]
    assert "Too many failed login attempts" in pages[6]


@pytest.mark.redis
def test_once_redis_is_back_it_is_used_and_local_entries_are_forgotten(
    use: Callable[[int], None], tmp_path: Path
) -> None:
    port = free_port()
    use(port)
    cache.set("a", "of before")
    with redis(tmp_path, port=port):
        wait_for(lambda: listens(port), seconds=10, what="Redis")
        assert cache.get("a") == "of before", "it is left alone for a while"
        end_pause()
        assert cache.get("a") is None
        cache.set("a", "in Redis")
        assert cache.get("a") == "in Redis"
    assert cache.get("a") is None, "it went away again"
