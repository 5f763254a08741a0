"""Middleware that refuses unknown hosts and NUL characters, and answers HEAD."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from leaderboard.web import errors
from leaderboard.web.api.problems import ProblemError, answer

NUL = "\x00"
#: The API refuses NULs itself, naming the parameter.
API = "/api/"


class HostMiddleware:
    """Refuses requests for unknown hosts, before any code builds an address from the host."""

    REASON = "This site is not served under the requested host."

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> Any:
        try:
            request.get_host()
        except DisallowedHost:
            if request.path_info.startswith(API):
                return answer(ProblemError(400, "unknown-host", self.REASON))
            return HttpResponse(f"{self.REASON}\n", status=400, content_type="text/plain; charset=utf-8")
        return self.get_response(request)


class HeadMiddleware:
    """Answers HEAD with the headers of GET and an empty body, independently of the web server."""

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> Any:
        response: HttpResponseBase = self.get_response(request)
        if request.method != "HEAD":
            return response
        if isinstance(response, HttpResponse):
            response.headers.setdefault("Content-Length", str(len(response.content)))
            response.content = b""
        elif response.streaming:
            response.close()
            response.streaming_content = ()  # type: ignore[attr-defined]
        return response


class NoNulMiddleware:
    """Refuses URLs and drops cookies with NUL, which PostgreSQL cannot store. Must precede the session middleware."""

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> Any:
        for name in [name for name, value in request.COOKIES.items() if NUL in value]:
            del request.COOKIES[name]
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *view: Any) -> HttpResponse | None:
        """Refuse a URL that contains NUL. Runs after authentication, so that the error page shows the account."""
        if request.path_info.startswith(API):
            return None
        has_nul = NUL in request.path or NUL in unquote(request.META.get("QUERY_STRING", ""))
        return errors.bad_request(request) if has_nul else None
