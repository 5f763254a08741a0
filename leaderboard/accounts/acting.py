"""Finds out who acts, for the log of staff acts: the account of the current request, or a command at a terminal.

Workers have no actor: an act is logged when its job is queued.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from leaderboard.web import request_ids

#: Commands whose acts are not recorded: they create a database or a demo, or serve requests.
_UNRECORDED = frozenset({"demo", "migrate", "runserver"})
_current: ContextVar[Acting | None] = ContextVar("acting", default=None)


@dataclass(frozen=True, slots=True)
class Acting:
    request: HttpRequest | None = None
    command: str = ""

    @property
    def account(self) -> int | None:
        user: Any = getattr(self.request, "user", None)  # unset until the API has read the token
        return user.pk if user is not None and user.is_authenticated else None

    @property
    def is_known(self) -> bool:
        return bool(self.command) or self.account is not None

    @property
    def who(self) -> str:
        """Name of the account. If a command acts, the name of the user of the operating system."""
        user: Any = getattr(self.request, "user", None)
        return user.get_username() if user is not None else os.environ.get("USER") or f"uid {os.getuid()}"

    @property
    def via(self) -> str:
        """Entry point through which the act came: `admin`, `api`, `page`, or `command <name>`."""
        if self.request is None:
            return f"command {self.command}"
        first = self.request.path_info.strip("/").partition("/")[0]
        return first if first in ("admin", "api") else "page"

    @property
    def request_id(self) -> str:
        return request_ids.current.get()[:100]


def current() -> Acting | None:
    """The current actor; None for anonymous requests, workers and commands whose acts are not logged."""
    acting = _current.get()
    return acting if acting is not None and acting.is_known else None


@contextmanager
def by_command(words: Sequence[str]) -> Iterator[None]:
    """Record acts in the block as acts of a command. `words` is its command line, beginning with the program name."""
    command = words[1] if len(words) > 1 else ""
    token = _current.set(None if command in _UNRECORDED else Acting(command=command))
    try:
        yield
    finally:
        _current.reset(token)


class ActingMiddleware:
    """Records acts during a request as acts of its account. Must follow the authentication middleware."""

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> Any:
        token = _current.set(Acting(request=request))
        try:
            return self.get_response(request)
        finally:
            _current.reset(token)
