"""Redis as a cache that may be away: until it is back each process remembers by itself, within bounds.

So pages are computed rather than refused, and limits of sign-in and of the API go on counting, each process for itself.
"""

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

#: How long a reader may wait for it: for a connection, and for an answer.
CONNECT_S, ANSWER_S = 0.2, 1.0
#: One that did not answer is left alone for so long, so that not each page waits for it.
PAUSE_S = 5.0
#: Entries that a process remembers meanwhile, of one cache.
ENTRIES = 1000
AWAY = (redis.ConnectionError, redis.TimeoutError)
log = logging.getLogger(__name__)
#: Server -> when it may be asked again, by the monotonic clock. Each thread has a cache of its own; they share this.
_asked_again_at: dict[str, float] = {}


def _or_remembered(name: str) -> Callable[..., Any]:
    """The method of that name, of the cache in this process's memory while Redis is away."""

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
    """Django's cache in Redis, which answers while Redis does not."""

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
        """Do not ask for a while."""
        if self.server not in _asked_again_at:
            log.warning("the cache is away (%s): each process remembers by itself", error)
        _asked_again_at[self.server] = time.monotonic() + PAUSE_S

    def is_back(self) -> None:
        """Forget what was remembered meanwhile: the next time that Redis is away it would be old."""
        if _asked_again_at.pop(self.server, None) is not None:
            self.memory.clear()
            log.warning("the cache is back")

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
