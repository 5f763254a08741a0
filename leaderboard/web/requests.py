"""Requests as views get them: with what the middleware and the decorators in front of them add."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails


class HtmxRequest(HttpRequest):
    """Any request of this site's pages: it says whether htmx sent it."""

    htmx: HtmxDetails


class SignedInRequest(HtmxRequest):
    """A request of a signed-in user: behind `login_required`, or a route of the API that needs an account."""

    user: User


class UploadRequest(HttpRequest):
    """One whose files pass `upload_handlers.BoundedUploadHandler`."""

    upload_too_large: bool
