"""Tokens: list, make, revoke. A token cannot make tokens, and of all tokens it can revoke only itself."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from django.http import Http404, HttpRequest
from django.utils import timezone
from ninja import Field, Router, Schema, Status

from leaderboard.accounts import permissions
from leaderboard.accounts.access import SIGNED_IN, token_of
from leaderboard.accounts.models import ApiToken
from leaderboard.web.api.fields import Words
from leaderboard.web.api.openapi import problems
from leaderboard.web.api.problems import ProblemError
from leaderboard.web.requests import SignedInRequest


class TokenOut(Schema):
    """A token, without its secret."""

    id: int
    name: str
    user: str
    scopes: list[str]
    hint: str = Field(description="The last four characters.")
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None
    usable: bool


class TokenCreated(TokenOut):
    """A new token. `secret` is shown this once."""

    secret: str


router = Router(tags=["Tokens"], auth=SIGNED_IN)


class NewToken(Schema):
    """What a new token may do, and for how long."""

    name: Annotated[Words, Field(min_length=1, max_length=60)]
    scopes: Annotated[
        list[Literal["read", "submit", "staff"]], Field(max_length=3, description="Every token may read.")
    ] = ["read", "submit"]
    days: Annotated[int | None, Field(ge=1, le=3650, description="Null: it does not expire.")] = 90


@router.get(
    "", operation_id="leaderboard_api_tokens_list_tokens", response=list[TokenOut], summary="My tokens"
)
def list_tokens(request: SignedInRequest) -> Any:
    return [shown(token) for token in ApiToken.objects.filter(user_id=request.user.pk).select_related("user")]


@router.post(
    "",
    operation_id="leaderboard_api_tokens_create_token",
    response={201: TokenCreated},
    summary="Make a token",
)
def create_token(request: SignedInRequest, requested: NewToken) -> Any:
    """Only from the browser's session. The secret is in this answer and nowhere else."""
    if token_of(request):
        raise ProblemError(403, "session-only", "A token cannot make tokens. Sign in with a browser.")
    if "staff" in requested.scopes and not permissions.has_any(request.user):
        detail = "A token with the scope 'staff' is for accounts that have a permission; yours has none."
        raise ProblemError(403, "staff-only", detail)
    scopes: list[str] = sorted({"read", *requested.scopes})
    token, secret = ApiToken.objects.issue(
        user=request.user, name=requested.name, scopes=scopes, days=requested.days
    )
    return Status(201, shown(token) | {"secret": secret})


@router.get(
    "/current",
    operation_id="leaderboard_api_tokens_get_current",
    response=TokenOut,
    summary="The token of this request",
    openapi_extra=problems(404),
)
def get_current(request: HttpRequest) -> Any:
    """Who the caller is, and what the token may do."""
    token = token_of(request)
    if token is None:
        raise Http404
    return shown(token)


@router.delete(
    "/current",
    operation_id="leaderboard_api_tokens_revoke_current",
    response={204: None},
    summary="Revoke this token",
    openapi_extra=problems(404),
)
def revoke_current(request: HttpRequest) -> Any:
    """What `goldevidencebench logout` calls."""
    token = token_of(request)
    if token is None:
        raise Http404
    return _revoke(token)


@router.delete(
    "/{int:id}",
    operation_id="leaderboard_api_tokens_revoke_token",
    response={204: None},
    summary="Revoke a token",
)
def revoke_token(request: SignedInRequest, id: int) -> Any:
    token = ApiToken.objects.filter(user_id=request.user.pk, pk=id).first() if id < 1 << 63 else None
    if token is None:
        raise Http404
    own = token_of(request)
    if own and own.pk != token.pk:
        raise ProblemError(403, "session-only", "A token can revoke itself only. Sign in with a browser.")
    return _revoke(token)


def _revoke(token: ApiToken) -> Any:
    if token.revoked_at is None:
        token.revoked_at = timezone.now()
        token.save(update_fields=["revoked_at"])
    return Status(204, None)


def shown(token: ApiToken) -> dict[str, object]:
    """A token as the API shows it: never its secret."""
    return {
        "id": token.pk,
        "name": token.name,
        "user": token.user.get_username(),
        "scopes": token.scopes,
        "hint": token.hint,
        "created_at": token.created_at,
        "expires_at": token.expires_at,
        "last_used_at": token.last_used_at,
        "revoked_at": token.revoked_at,
        "usable": token.is_usable,
    }
