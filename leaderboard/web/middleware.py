"""Middleware of all requests: compression, expired sessions, the API."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

from django.conf import settings
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.middleware.http import ConditionalGetMiddleware
from django.urls import reverse
from django.utils.cache import patch_vary_headers

from leaderboard.web import stale
from leaderboard.web.api.openapi import NEXT_PAGE
from leaderboard.web.api.problems import MEDIA_TYPE, ProblemError, answer
from leaderboard.web.api.throttling import HEADERS
from leaderboard.web.requests import HtmxRequest

API = "/api/"
#: Headers that pages of other sites may read.
EXPOSED = ("Link", "ETag", "RateLimit", "RateLimit-Policy", "Retry-After", "X-Request-ID")
#: Headers kept on error responses.
KEPT = ("Allow", "Content-Range", "ETag", "Accept-Ranges", "Retry-After")


class PackMiddleware(GZipMiddleware):
    """Compresses responses, except downloads that are already compressed, which keep their length and ranges."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if response.get("Content-Type") == "application/gzip":
            return response
        return super().process_response(request, response)


class SignedOutMiddleware:
    """Keeps the input of a form whose session has expired, instead of redirecting to the sign-in page."""

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self.get_response = get_response

    def __call__(self, request: HtmxRequest) -> Any:
        response = self.get_response(request)
        sent = (
            request.method == "POST"
            and not request.user.is_authenticated
            and request.path not in _sign_in_pages()
        )
        return stale.signed_out(request) if sent and _asks_to_sign_in(response) else response


def _sign_in_pages() -> tuple[str, str]:
    return reverse(settings.LOGIN_URL), reverse("admin:login")


def _asks_to_sign_in(response: HttpResponse) -> bool:
    address = urlsplit(response.get("Location", ""))
    return address.path in _sign_in_pages() and REDIRECT_FIELD_NAME in parse_qs(address.query)


class ApiMiddleware:
    """HTTP behaviour of the API: HEAD, conditional GET, and all errors as problem+json."""

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self.get_response = get_response
        self._condition = ConditionalGetMiddleware(get_response)

    def __call__(self, request: HttpRequest) -> Any:
        if not request.path_info.startswith(API):
            return self.get_response(request)
        if request.method == "HEAD":
            return self._head(request)
        return self._respond(request)

    def _respond(self, request: HttpRequest) -> Any:
        response = self.get_response(request)
        if response.status_code >= 400 and response.get("Content-Type") != MEDIA_TYPE:
            response = _as_problem(response)
        if request.method == "GET" and response.status_code == 200 and not response.streaming:
            response = self._conditional(request, response)
        patch_vary_headers(response, ("Authorization", "Cookie"))
        _describe(request, response)
        return response

    def _conditional(self, request: HttpRequest, response: HttpResponse) -> HttpResponseBase:
        """Add an ETag, or answer 304. Only responses to anonymous readers may be cached publicly."""
        audience = "private" if request.user.is_authenticated else "public"
        response.headers.setdefault("Cache-Control", f"{audience}, no-cache")
        outcome = self._condition.process_response(request, response)
        return _as_problem(outcome) if outcome.status_code == 412 else outcome

    def _head(self, request: HttpRequest) -> Any:
        """Answer as for GET. `benchsite.middleware.HeadMiddleware` removes the body."""
        request.method = "GET"
        request.META.pop("HTTP_RANGE", None)
        response = self._respond(request)
        request.method = "HEAD"
        return response


def _describe(request: HttpRequest, response: HttpResponseBase) -> None:
    if following := request.META.get(NEXT_PAGE):
        response["Link"] = f'<{following}>; rel="next"'
    for name, value in request.META.get(HEADERS, {}).items():
        response[name] = value
    if request.method == "GET" and not request.user.is_authenticated:
        response["Access-Control-Allow-Origin"] = "*"
        response["Access-Control-Expose-Headers"] = ", ".join(EXPOSED)


def _as_problem(response: HttpResponseBase) -> HttpResponse:
    status = response.status_code
    details = {
        404: "There is nothing at this address.",
        405: f"This address only allows the methods {response.get('Allow')}.",
        412: "The resource does not meet the condition in your request, such as If-Match.",
        416: "The range is outside the file; see Content-Range for its length.",
        500: "An unexpected error occurred and was logged.",
        503: "A part of this site is not responding. Nothing was stored; try again after the seconds in Retry-After.",
    }
    headers = {name: response[name] for name in KEPT if name in response}
    return answer(ProblemError(status, "", details.get(status, "The request was refused."), headers=headers))
