"""How often a caller may call: so many requests a minute by account, or by address for strangers.

The windows follow the clock, so that a throttle holds no state of its own and any process can answer
Retry-After. Counting lives in Django's cache: exact with Redis, close to it with the embedded file cache.
"""

from __future__ import annotations

import time

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest
from ninja.throttling import BaseThrottle

from leaderboard.web.networks import network_of

PERIOD = 60  # seconds: `API_RATES` are requests a minute


class Throttle(BaseThrottle):
    """Allows `settings.API_RATES[bucket]` requests a minute."""

    def __init__(self, bucket: str) -> None:
        self.bucket = bucket

    def allow_request(self, request: HttpRequest) -> bool:
        who = f"user{request.user.pk}" if request.user.is_authenticated else f"at{network_of(request)}"
        key = f"throttle:{self.bucket}:{who}:{int(time.time() // PERIOD)}"
        if cache.add(key, 1, PERIOD):
            return True
        try:
            return bool(cache.incr(key) <= settings.API_RATES[self.bucket])
        except ValueError:  # the window ended between the two calls
            return True

    def wait(self) -> float:
        """Seconds until the next window."""
        return PERIOD - time.time() % PERIOD
