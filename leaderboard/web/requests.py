"""Requests with attributes added by middleware and decorators."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails


class HtmxRequest(HttpRequest):
    """A request for a page; `htmx` is true if htmx sent the request."""

    htmx: HtmxDetails


class SignedInRequest(HtmxRequest):
    """A request of a signed-in user, as in views behind `login_required` and API routes that need an account."""

    user: User


class UploadRequest(HttpRequest):
    """A request whose files pass `upload_handlers.BoundedUploadHandler`."""

    upload_too_large: bool
