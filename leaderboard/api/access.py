"""Who may call a route: anybody, a token with a scope, or the browser's session (with CSRF for writes).

A credential that is wrong, expired or revoked is refused everywhere, also where none is needed: a script
should never believe itself signed in when it is not.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from ninja.security import APIKeyCookie, HttpBearer
from ninja.utils import check_csrf

from leaderboard.api.problems import ProblemError
from leaderboard.models import ApiToken

READ, SUBMIT, STAFF = ApiToken.Scope.READ, ApiToken.Scope.SUBMIT, ApiToken.Scope.STAFF


class Token(HttpBearer):
    """`Authorization: Bearer geb_…`, of a token that has the scope."""

    def __init__(self, scope: str) -> None:
        self.scope = scope
        super().__init__()

    def __call__(self, request: HttpRequest) -> Any:
        header = request.headers.get("Authorization")
        if header is None:
            return None
        scheme, _, secret = header.partition(" ")
        return self.authenticate(request, secret.strip() if scheme.lower() == "bearer" else "")

    def authenticate(self, request: HttpRequest, token: str) -> Any:
        found = ApiToken.objects.find(token)
        if found is None:
            challenge = {"WWW-Authenticate": 'Bearer error="invalid_token"'}
            raise ProblemError(
                401, "bad-token", "The token is unknown, expired or revoked.", headers=challenge
            )
        if not found.allows(self.scope):
            raise ProblemError(
                403, "missing-scope", f"This needs a token with the scope {str(self.scope)!r}."
            )
        # A staff member's token without the scope `staff` is a token like anybody's. (Never saved.)
        found.user.is_staff = found.allows(STAFF)
        request.user = found.user
        request.api_token = found  # type: ignore[attr-defined]
        return found.user


class Session(APIKeyCookie):
    """The browser's session. Writes need the CSRF token, in the header X-CSRFToken."""

    param_name = "sessionid"

    def __init__(self, scope: str) -> None:
        self.scope = scope
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
        if self.scope == STAFF and not request.user.is_staff:
            raise ProblemError(403, "staff-only", "Only staff may do this.")
        return request.user


def anyone(request: HttpRequest) -> AnonymousUser:
    """Lets a caller without credentials in."""
    return AnonymousUser()


PUBLIC = [Token(READ), Session(READ), anyone]
SIGNED_IN = [Token(READ), Session(READ)]
MAY_SUBMIT = [Token(SUBMIT), Session(SUBMIT)]
STAFF_ONLY = [Token(STAFF), Session(STAFF)]


def token_of(request: HttpRequest) -> ApiToken | None:
    """The token that the request came with; None for a browser."""
    found: ApiToken | None = getattr(request, "api_token", None)
    return found
