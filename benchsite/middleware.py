"""What no request to this site may hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from django.http import HttpRequest, HttpResponse

from leaderboard.web import errors

NUL = "\x00"
#: It refuses a NUL itself, and names the parameter.
API = "/api/"


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
        if request.path.startswith(API):
            return None
        has_nul = NUL in request.path or NUL in unquote(request.META.get("QUERY_STRING", ""))
        return errors.bad_request(request) if has_nul else None
