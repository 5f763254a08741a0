"""Redirects from addresses with a former account name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponsePermanentRedirect
from django.urls import reverse

from leaderboard.accounts import services as accounts


class PermanentRedirect(HttpResponsePermanentRedirect):
    """Redirect with status 308: the client repeats the request with its method and body."""

    status_code = 308


class FormerNameMiddleware:
    """Redirects an address with a former account name to the address with the account's current name.

    Runs only after a 404, so that other requests cost nothing and a redirect reveals no more than a 404 does.
    """

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> Any:
        response = self.get_response(request)
        match = request.resolver_match
        if response.status_code != 404 or match is None or "owner" not in match.kwargs:
            return response
        if not (name := accounts.renamed_to(match.kwargs["owner"])):
            return response
        address = reverse(match.view_name, kwargs=match.kwargs | {"owner": name})
        query = request.META.get("QUERY_STRING", "")
        kind = HttpResponsePermanentRedirect if request.method in ("GET", "HEAD") else PermanentRedirect
        # Limited, as browsers cache permanent redirects: they would loop if the account took its former name back.
        return kind(f"{address}?{query}" if query else address, headers={"Cache-Control": "max-age=3600"})
