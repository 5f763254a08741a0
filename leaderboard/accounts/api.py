"""API of tokens: list, create, revoke. A token can revoke itself, but cannot create or revoke other tokens."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from django.http import Http404, HttpRequest
from ninja import Field, Router, Schema, Status

from leaderboard.accounts import permissions
from leaderboard.accounts.access import SIGNED_IN, token_of
from leaderboard.accounts.models import ApiToken
from leaderboard.web.api.fields import Words, row_fields
from leaderboard.web.api.openapi import problems
from leaderboard.web.api.problems import ProblemError
from leaderboard.web.requests import SignedInRequest


class TokenOut(Schema):
    """A token, without its secret."""

    id: int = Field(description="Id of the token in API URLs.")
    name: str = Field(description="Name that the owner gave the token.")
    user: str = Field(description="Name of the token's owner.")
    scopes: list[str] = Field(description="Scopes of the token: `read`, `submit`, `staff`.")
    hint: str = Field(description="The last four characters of the token's secret.")
    created_at: datetime = Field(description="When the token was created.")
    expires_at: datetime | None = Field(description="When the token expires; null: never.")
    last_used_at: datetime | None = Field(
        description="When the token was last used, to the minute; null: never."
    )
    revoked_at: datetime | None = Field(description="When the token was revoked; null: not revoked.")
    usable: bool = Field(description="False if the token is revoked or expired.")


class TokenCreated(TokenOut):
    """A new token. `secret` is shown only in this answer."""

    secret: str = Field(description="The secret, to send as `Authorization: Bearer geb_…`.")


router = Router(tags=["Tokens"], auth=SIGNED_IN)


class NewToken(Schema):
    """Name, scopes and lifetime of a new token."""

    name: Annotated[
        Words, Field(description="Name of the token, such as where it is used.", min_length=1, max_length=60)
    ]
    scopes: Annotated[
        list[Literal["read", "submit", "staff"]],
        Field(max_length=3, description="Scopes of the token. `read` is always included."),
    ] = ["read", "submit"]
    days: Annotated[
        int | None, Field(ge=1, le=3650, description="Days until the token expires; null: never.")
    ] = 90


@router.get("", response=list[TokenOut], summary="My tokens")
def list_tokens(request: SignedInRequest) -> Any:
    """List the caller's tokens without secrets, including revoked and expired tokens."""
    return [shown(token) for token in ApiToken.objects.filter(user_id=request.user.pk).select_related("user")]


@router.post("", response={201: TokenCreated}, summary="Create a token")
def create_token(request: SignedInRequest, requested: NewToken) -> Any:
    """Create a token; requires a browser's session. The secret is shown only in this answer."""
    if token_of(request):
        raise ProblemError(403, "session-only", "A token cannot create tokens. Sign in with a browser.")
    if "staff" in requested.scopes and not permissions.has_any(request.user):
        detail = "Your account has no permissions, so it cannot create a token with the scope 'staff'."
        raise ProblemError(403, "staff-only", detail)
    scopes: list[str] = sorted({"read", *requested.scopes})
    token, secret = ApiToken.objects.issue(
        user=request.user, name=requested.name, scopes=scopes, days=requested.days
    )
    return Status(201, shown(token) | {"secret": secret})


@router.get("/current", response=TokenOut, summary="The token of this request", openapi_extra=problems(404))
def get_current(request: HttpRequest) -> Any:
    """Return the token of this request, with its account and scopes."""
    token = token_of(request)
    if token is None:
        raise Http404
    return shown(token)


@router.delete("/current", response={204: None}, summary="Revoke this token", openapi_extra=problems(404))
def revoke_current(request: HttpRequest) -> Any:
    """Revoke the token of this request, as `goldevidencebench logout` does."""
    token = token_of(request)
    if token is None:
        raise Http404
    token.revoke()
    return Status(204, None)


@router.delete("/{int:id}", response={204: None}, summary="Revoke a token")
def revoke_token(request: SignedInRequest, id: int) -> Any:
    """Revoke a token of the caller. A request signed with a token can revoke only that token."""
    token = ApiToken.objects.filter(user_id=request.user.pk, pk=id).first() if id < 1 << 63 else None
    if token is None:
        raise Http404
    own = token_of(request)
    if own and own.pk != token.pk:
        raise ProblemError(
            403,
            "session-only",
            "A token can revoke only itself. Sign in with a browser to revoke another token.",
        )
    token.revoke()
    return Status(204, None)


def shown(token: ApiToken) -> dict[str, object]:
    return row_fields(TokenOut, token, user=token.user.get_username(), usable=token.is_usable)
