"""Callers of the API: anonymous ones, and accounts with tokens of every kind."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.accounts.models import ApiToken

ROOT = "/api/v1"


class Caller:
    """A script with a token, or without."""

    def __init__(self, secret: str = "", token: ApiToken | None = None) -> None:
        self.token = token
        self._client = Client(headers={"Authorization": f"Bearer {secret}"} if secret else {})

    def __call__(self, method: str, path: str, data: Any = None, *, kind: str = "", **headers: str) -> Any:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        address = path if path.startswith("http") else ROOT + path
        options = {"content_type": kind} if kind else {}
        if data is not None:
            options["data"] = data
        return getattr(self._client, method.lower())(address, headers=named, **options)


@pytest.fixture
def caller() -> Callable[..., Caller]:
    """Makes a caller with a token of the user and scopes; `days=-1`: expired. Without a user: anonymous."""

    def make(user: Any = None, *scopes: str, days: int = 1, revoked: bool = False) -> Caller:
        if user is None:
            return Caller()
        token, secret = ApiToken.objects.issue(
            user=user, name="script", scopes=list(scopes or ("read", "submit"))
        )
        token.expires_at = timezone.now() + timedelta(days=days)
        token.revoked_at = timezone.now() if revoked else None
        token.save()
        return Caller(secret, token)

    return make


@pytest.fixture
def ada(caller: Any, user: Any) -> Caller:
    result: Caller = caller(user)
    return result


@pytest.fixture
def anybody(caller: Any) -> Caller:
    result: Caller = caller()
    return result
