"""Pages that need a permission: visitors are asked to sign in, users are shown what they lack."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase

from leaderboard.accounts import permissions

View = Callable[..., HttpResponseBase]


def needs(permission: str) -> Callable[[View], View]:
    """Let only those see a page who have this permission."""

    def guard(view: View) -> View:
        @login_required
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if not permissions.may(request.user, permission):
                raise PermissionDenied(permissions.refusal(permission))
            return view(request, *args, **kwargs)

        return guarded

    return guard
