"""What the API says of tokens."""

from __future__ import annotations

from datetime import datetime

from ninja import Schema
from pydantic import Field


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
