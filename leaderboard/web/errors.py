"""Error pages without tracebacks, and detection of temporary faults (database unreachable, disk full)."""

from __future__ import annotations

import errno
import sys
from typing import Any

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

RETRY_AFTER = 10  # seconds
DATABASE = "The site's database is not responding at the moment."
STORAGE = "The site's file storage is not responding at the moment."
DISK = "The site's disk is full at the moment."
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
#: SQLite also reports these mistakes of ours as OperationalError: they do not pass.
_OURS = ("no such ", "syntax error", "near ", "has no column", "ambiguous column")


def reason(error: BaseException | None) -> str:
    """The temporary fault that caused an error, found in the error and its causes; empty for other errors."""
    seen = 0
    while error is not None and seen < 10:  # an error may be its own context
        if found := _reason(error):
            return found
        error, seen = error.__cause__ or error.__context__, seen + 1
    return ""


def _reason(error: BaseException) -> str:
    if isinstance(error, OSError) and error.errno in _FULL:
        return DISK
    if isinstance(error, InterfaceError):
        return DATABASE
    if isinstance(error, OperationalError) and not any(each in str(error) for each in _OURS):
        return DISK if "is full" in str(error) or "No space left" in str(error) else DATABASE
    return STORAGE if _is_of_a_bucket(error) else ""


def _is_of_a_bucket(error: BaseException) -> bool:
    """True if a storage bucket failed or did not respond. Matches by name, because its client may not be installed."""
    kinds = {kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "botocore.exceptions"}
    answer: dict[str, Any] = getattr(error, "response", None) or {}
    status = answer.get("ResponseMetadata", {}).get("HTTPStatusCode", 0) if "ClientError" in kinds else 0
    return bool(kinds & {"ConnectionError", "HTTPClientError"}) or status >= 500


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return render(request, "400.html", status=400)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return render(request, "404.html", status=404)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return render(request, "403.html", {"reason": str(exception or "")}, status=403)


def server_error(request: HttpRequest) -> HttpResponse:
    """503 with Retry-After for temporary faults, else 500."""
    if passing := reason(sys.exc_info()[1]):
        page = render(request, "500.html", {"reason": passing}, status=503)
        page["Retry-After"], page["Cache-Control"] = str(RETRY_AFTER), "no-store"
        return page
    return render(request, "500.html", status=500)
