"""Ways to authenticate API routes: none (public), a token with a scope, or a browser's session.

All routes, public routes included, refuse wrong, expired or revoked tokens, so that a script notices that it is not
signed in.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest
from ninja.errors import Throttled
from ninja.security import APIKeyCookie, HttpBearer
from ninja.utils import check_csrf

from leaderboard.accounts import permissions, teams
from leaderboard.accounts.models import ApiToken
from leaderboard.web.api.problems import ProblemError, invalid
from leaderboard.web.api.throttling import Throttle

READ, SUBMIT, STAFF = ApiToken.Scope.READ, ApiToken.Scope.SUBMIT, ApiToken.Scope.STAFF


class Token(HttpBearer):
    """Requires a token (`Authorization: Bearer geb_…`) with the scope `scope`.

    If `permission` is not empty, the owner of the token must have this permission, too.
    """

    def __init__(self, scope: str, permission: str = "") -> None:
        self.scope, self.permission = scope, permission
        super().__init__()

    def __call__(self, request: HttpRequest) -> Any:
        header = request.headers.get("Authorization")
        if header is None:
            return None
        scheme, _, secret = header.partition(" ")
        return self.authenticate(request, secret.strip() if scheme.lower() == "bearer" else "")

    def authenticate(self, request: HttpRequest, token: str) -> Any:
        api_token = ApiToken.objects.find(token)
        if api_token is None:
            if not (throttle := Throttle("wrong_token")).allow_request(request):
                raise Throttled(wait=math.ceil(throttle.wait()))
            challenge = {"WWW-Authenticate": 'Bearer error="invalid_token"'}
            raise ProblemError(
                401, "bad-token", "The token is unknown, expired or revoked.", headers=challenge
            )
        if not api_token.allows(self.scope):
            raise ProblemError(
                403, "missing-scope", f"This request needs a token with the scope {str(self.scope)!r}."
            )
        # Without the scope `staff`, a token carries none of its owner's permissions.
        api_token.user.leaves_permissions_out = not api_token.allows(STAFF)  # type: ignore[attr-defined]
        _check(api_token.user, self.permission)
        request.user = api_token.user
        request.api_token = api_token  # type: ignore[attr-defined]
        return api_token.user


class Session(APIKeyCookie):
    """Requires a browser's session. Writes need the CSRF token in the header X-CSRFToken."""

    param_name = "sessionid"

    def __init__(self, scope: str, permission: str = "") -> None:
        self.scope, self.permission = scope, permission
        super().__init__()

    def __call__(self, request: HttpRequest) -> Any:
        return self.authenticate(request, None)

    def authenticate(self, request: HttpRequest, key: str | None) -> Any:
        if not request.user.is_authenticated:
            return None
        if check_csrf(request):
            raise ProblemError(
                403, "csrf", "The CSRF token is missing or wrong. Send it in the header X-CSRFToken."
            )
        _check(request.user, self.permission)
        return request.user


def _check(user: Any, permission: str) -> None:
    if permission and not permissions.may(user, permission):
        raise ProblemError(403, "missing-permission", permissions.refusal(permission))


def anyone(request: HttpRequest) -> AnonymousUser:
    return AnonymousUser()


PUBLIC: list[Callable[..., Any]] = [Token(READ), Session(READ), anyone]
SIGNED_IN = [Token(READ), Session(READ)]
MAY_SUBMIT = [Token(SUBMIT), Session(SUBMIT)]


def needs(permission: str) -> list[Any]:
    """The `auth` argument of a route that requires a permission. Tokens also need the scope `staff`."""
    return [Token(STAFF, permission), Session(STAFF, permission)]


def account_of(request: HttpRequest, team: str) -> Any:
    """The caller's account, or that of the named team. Raises ProblemError 422 if the caller may not submit for it."""
    if not team:
        return request.user
    try:
        return teams.named(team, request.user, teams.SUBMITS).account
    except Http404 as error:
        raise invalid(
            [("query", "team", "There is no team of this name for which you may submit.")]
        ) from error


def token_of(request: HttpRequest) -> ApiToken | None:
    api_token: ApiToken | None = getattr(request, "api_token", None)
    return api_token
