"""Redis cache with a fallback: while Redis is unreachable, each process uses its own memory, also for rate limits."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

import redis
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.backoff import NoBackoff
from redis.retry import Retry

#: Timeouts of a connection and of an answer.
CONNECT_S, ANSWER_S = 0.2, 1.0
#: Pause after a failure, so that not every page waits for Redis.
PAUSE_S = 5.0
#: Maximum entries in a process's memory, per cache.
ENTRIES = 1000
AWAY = (redis.ConnectionError, redis.TimeoutError)
log = logging.getLogger(__name__)
#: Server -> end of its pause (monotonic clock), shared by the threads' caches.
_asked_again_at: dict[str, float] = {}


def _or_remembered(name: str) -> Callable[..., Any]:
    """Return a cache method of this name that uses the process's memory while Redis is unreachable."""

    def method(self: Cache, *args: Any, **kwargs: Any) -> Any:
        if time.monotonic() >= _asked_again_at.get(self.server, 0.0):
            try:
                found = getattr(RedisCache, name)(self, *args, **kwargs)
            except AWAY as error:
                self.leave_alone(error)
            else:
                self.is_back()
                return found
        return getattr(self.memory, name)(*args, **kwargs)

    return method


class Cache(RedisCache):
    """Django's Redis cache with a fallback in memory."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        bounds = {
            "socket_connect_timeout": CONNECT_S,
            "socket_timeout": ANSWER_S,
            "retry": Retry(NoBackoff(), 0),
        }
        super().__init__(server, params | {"OPTIONS": bounds})
        self.server = server
        in_memory = params | {"OPTIONS": {"MAX_ENTRIES": ENTRIES}}
        self.memory = LocMemCache(f"{server} {params.get('KEY_PREFIX', '')}", in_memory)

    def leave_alone(self, error: Exception) -> None:
        """Do not query the server for PAUSE_S, and use the process's memory instead."""
        if self.server not in _asked_again_at:
            log.warning("the cache is unreachable (%s): each process uses its own memory", error)
        _asked_again_at[self.server] = time.monotonic() + PAUSE_S

    def is_back(self) -> None:
        # Entries in memory would be stale the next time Redis is away.
        if _asked_again_at.pop(self.server, None) is not None:
            self.memory.clear()
            log.warning("the cache is reachable again")

    add = _or_remembered("add")
    get = _or_remembered("get")
    set = _or_remembered("set")
    touch = _or_remembered("touch")
    delete = _or_remembered("delete")
    get_many = _or_remembered("get_many")
    has_key = _or_remembered("has_key")
    incr = _or_remembered("incr")
    set_many = _or_remembered("set_many")
    delete_many = _or_remembered("delete_many")
    clear = _or_remembered("clear")
