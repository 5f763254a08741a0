"""The outermost middleware: assigns request ids, measures requests, and answers probes for any `Host`."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest
from django.urls import Resolver404, resolve
from prometheus_client import Counter, Histogram

from leaderboard.watch import probes
from leaderboard.web import request_ids

REQUESTS = Counter("bench_requests", "Requests answered.", ["method", "view", "status"])
REQUEST_SECONDS = Histogram(
    "bench_request_seconds",
    "Seconds from a thread's start on a request to the head of the response.",
    ["view"],
    buckets=(0.01, 0.03, 0.1, 0.3, 1, 3, 10),
)
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class WatchMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> Any:
        began = time.perf_counter()
        # Kept until the thread's next request: Django logs responses after all middleware.
        request_ids.current.set(request_ids.accept(request.headers.get(request_ids.HEADER, "")))
        if probe := probes.BY_PATH.get(request.path_info):
            response, view = probe(request), request.path_info
            response["Content-Length"] = str(len(response.content))
        else:
            response = self.get_response(request)
            view = _view(request)
        response[request_ids.HEADER] = request_ids.current.get()
        method = request.method if request.method in METHODS else "other"
        REQUESTS.labels(method, view, response.status_code).inc()
        REQUEST_SECONDS.labels(view).observe(time.perf_counter() - began)
        return response


def _view(request: HttpRequest) -> str:
    try:
        return (request.resolver_match or resolve(request.path_info)).view_name or "other"
    except Resolver404:
        return "other"
