"""Pages for what went wrong. None of them shows a traceback."""

from __future__ import annotations

import sys

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from leaderboard.web import unavailable


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return render(request, "400.html", status=400)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return render(request, "404.html", status=404)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return render(request, "403.html", {"reason": str(exception or "")}, status=403)


def server_error(request: HttpRequest) -> HttpResponse:
    """503 with when to ask again where the fault passes (a database that is away, a full disk), else 500."""
    if reason := unavailable.reason(sys.exc_info()[1]):
        page = render(request, "500.html", {"reason": reason}, status=503)
        page["Retry-After"], page["Cache-Control"] = str(unavailable.RETRY_AFTER), "no-store"
        return page
    return render(request, "500.html", status=500)
