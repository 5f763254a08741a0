"""What no request to this site may hold, and what no answer to a HEAD does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from leaderboard.web import errors
from leaderboard.web.api.problems import ProblemError, answer

NUL = "\x00"
#: It refuses a NUL itself, and names the parameter.
API = "/api/"


class HostMiddleware:
    """Refuses a request for a host that is none of this site's, before anything makes an address of it."""

    REASON = "This site is not served under the host that was asked for."

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
    """An answer to HEAD has the headers of one to GET and no body, whatever the server does with it."""

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
    """PostgreSQL faults where a NUL is looked for: an address that holds one cannot be read, and a cookie is none.

    Stands before the sessions, which look for a cookie's value.
    """

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> Any:
        for name in [name for name, value in request.COOKIES.items() if NUL in value]:
            del request.COOKIES[name]
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *view: Any) -> HttpResponse | None:
        """Refuse once the visitor is known, so that the page with the reason looks like any other."""
        if request.path_info.startswith(API):
            return None
        has_nul = NUL in request.path or NUL in unquote(request.META.get("QUERY_STRING", ""))
        return errors.bad_request(request) if has_nul else None
