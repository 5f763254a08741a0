"""Addresses with a former name of an account."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponsePermanentRedirect
from django.urls import reverse

from leaderboard.accounts import services as accounts


class PermanentRedirect(HttpResponsePermanentRedirect):
    """308: the request is repeated as it is, with its method and its body."""

    status_code = 308


class FormerNameMiddleware:
    """An address with a former name of an account leads to the same one with its present name.

    Only what is not there is looked for: no other request pays for it, and nobody learns more than from a 404.
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
        # A browser would follow it for ever, and in a circle if the account gets its former name back.
        return kind(f"{address}?{query}" if query else address, headers={"Cache-Control": "max-age=3600"})
