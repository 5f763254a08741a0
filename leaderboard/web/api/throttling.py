"""Rate limits per minute, by account or network; exact with Redis, approximate with the file cache."""

from __future__ import annotations

import time

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest
from ninja.throttling import BaseThrottle

from leaderboard.web.networks import network_of

PERIOD = 60  # seconds: `API_RATES` are requests a minute
#: Key in `request.META` for the headers (draft-ietf-httpapi-ratelimit-headers-10).
HEADERS = "leaderboard.rate_limit"


class Throttle(BaseThrottle):
    """Allows `settings.API_RATES[bucket]` requests per minute."""

    def __init__(self, bucket: str) -> None:
        self.bucket = bucket

    def allow_request(self, request: HttpRequest) -> bool:
        who = f"user{request.user.pk}" if request.user.is_authenticated else f"at{network_of(request)}"
        key = f"throttle:{self.bucket}:{who}:{int(time.time() // PERIOD)}"
        try:
            called = 1 if cache.add(key, 1, PERIOD) else int(cache.incr(key))
        except ValueError:  # the entry expired between the two calls
            called = 1
        most = settings.API_RATES[self.bucket]
        left = f'"{self.bucket}";r={max(0, most - called)};t={round(self.wait())}'
        policy = f'"{self.bucket}";q={most};w={PERIOD}'
        request.META[HEADERS] = {"RateLimit": left, "RateLimit-Policy": policy}
        return called <= most

    def wait(self) -> float:
        """Seconds until the next window of the rate limit."""
        return PERIOD - time.time() % PERIOD
