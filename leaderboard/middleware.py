"""What every request passes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.middleware.gzip import GZipMiddleware
from django.utils.cache import get_conditional_response, patch_vary_headers

from leaderboard.api.problems import MEDIA_TYPE, ProblemError, answer

API = "/api/"
#: Headers that mean something beside an error.
KEPT = ("Allow", "Content-Range", "ETag", "Accept-Ranges", "Retry-After")


class PackMiddleware(GZipMiddleware):
    """Compresses answers, except packed downloads: those keep their length and their ranges."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if response.get("Content-Type") == "application/gzip":
            return response
        return super().process_response(request, response)


class ApiMiddleware:
    """The HTTP manners of the API: HEAD, conditional GET, and no error that is not problem+json."""

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> Any:
        if not request.path.startswith(API):
            return self.get_response(request)
        if request.method == "HEAD":
            return self._head(request)
        return self._respond(request)

    def _respond(self, request: HttpRequest) -> Any:
        response = self.get_response(request)
        if response.status_code >= 400 and response.get("Content-Type") != MEDIA_TYPE:
            response = _as_problem(response)
        if request.method == "GET" and response.status_code == 200 and not response.streaming:
            response = _conditional(request, response)
        patch_vary_headers(response, ("Authorization", "Cookie"))
        return response

    def _head(self, request: HttpRequest) -> Any:
        """As GET, without the body. The routes need not know."""
        request.method = "GET"
        request.META.pop("HTTP_RANGE", None)
        response = self._respond(request)
        request.method = "HEAD"
        if response.streaming:
            response.streaming_content = []
        else:
            response.headers.setdefault("Content-Length", str(len(response.content)))
            response.content = b""
        return response


def _conditional(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Names the answer by its content; 304 where the caller has it. Whose it is decides who may cache it."""
    response.headers.setdefault("ETag", f'"{hashlib.sha256(response.content).hexdigest()[:32]}"')
    audience = "private" if request.user.is_authenticated else "public"
    response.headers.setdefault("Cache-Control", f"{audience}, no-cache")
    found = get_conditional_response(request, etag=response["ETag"], response=response)
    return _as_problem(found) if found.status_code == 412 else found


def _as_problem(response: HttpResponse) -> HttpResponse:
    """An error from outside the routes (no such address, wrong method, a fault), in the API's shape."""
    status = response.status_code
    details = {
        404: "There is nothing at this address.",
        405: f"This address takes {response.get('Allow')} only.",
        412: "The resource is not the one that you named.",
        416: "The file has no such range; Content-Range says how long it is.",
        500: "An unexpected error of this site, which was logged.",
    }
    headers = {name: response[name] for name in KEPT if name in response}
    return answer(ProblemError(status, "", details.get(status, "The request was refused."), headers=headers))
