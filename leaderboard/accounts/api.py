"""Tokens: list, make, revoke. A token cannot make tokens and can revoke only itself."""

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

    id: int = Field(description="Names it in the addresses of this API.")
    name: str = Field(description="Name that its owner gave it.")
    user: str = Field(description="Name of the account that it signs in.")
    scopes: list[str] = Field(description="Its scopes: `read`, `submit`, `staff`.")
    hint: str = Field(description="The last four characters.")
    created_at: datetime = Field(description="When it was made.")
    expires_at: datetime | None = Field(description="When it expires; null: never.")
    last_used_at: datetime | None = Field(description="When it was used last, to the minute; null: never.")
    revoked_at: datetime | None = Field(description="When it was revoked; null: it was not.")
    usable: bool = Field(description="Whether it is neither revoked nor expired.")


class TokenCreated(TokenOut):
    """A new token. `secret` is shown this once."""

    secret: str = Field(description="The token itself: `Authorization: Bearer geb_…`.")


router = Router(tags=["Tokens"], auth=SIGNED_IN)


class NewToken(Schema):
    """Name, scopes and lifetime of a new token."""

    name: Annotated[Words, Field(description="Where it will be used.", min_length=1, max_length=60)]
    scopes: Annotated[
        list[Literal["read", "submit", "staff"]], Field(max_length=3, description="Every token may read.")
    ] = ["read", "submit"]
    days: Annotated[int | None, Field(ge=1, le=3650, description="Null: it does not expire.")] = 90


@router.get("", response=list[TokenOut], summary="My tokens")
def list_tokens(request: SignedInRequest) -> Any:
    """Revoked and expired ones, too; never a secret."""
    return [shown(token) for token in ApiToken.objects.filter(user_id=request.user.pk).select_related("user")]


@router.post(
    "",
    response={201: TokenCreated},
    summary="Make a token",
)
def create_token(request: SignedInRequest, requested: NewToken) -> Any:
    """Only from the browser's session. The secret appears in this answer and nowhere else."""
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
    response=TokenOut,
    summary="The token of this request",
    openapi_extra=problems(404),
)
def get_current(request: HttpRequest) -> Any:
    """The caller and the scopes of its token."""
    token = token_of(request)
    if token is None:
        raise Http404
    return shown(token)


@router.delete(
    "/current",
    response={204: None},
    summary="Revoke this token",
    openapi_extra=problems(404),
)
def revoke_current(request: HttpRequest) -> Any:
    """Called by `goldevidencebench logout`."""
    token = token_of(request)
    if token is None:
        raise Http404
    return _revoke(token)


@router.delete(
    "/{int:id}",
    response={204: None},
    summary="Revoke a token",
)
def revoke_token(request: SignedInRequest, id: int) -> Any:
    """It is refused from then on. A token can revoke itself alone."""
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
