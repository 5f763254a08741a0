"""Refuse oversized uploads while they stream in, before they fill the disk."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar

from django.conf import settings
from django.core.files.uploadhandler import FileUploadHandler, StopUpload

from leaderboard.web.requests import UploadRequest

View = TypeVar("View", bound=Callable[..., Any])


def takes_imports(may: Callable[[Any], bool]) -> Callable[[View], View]:
    """Decorator that lets a view accept files up to IMPORT_MAX_BYTES if `may` is true for the user.

    The view is marked, because the body is received before the view runs.
    """

    def mark(view: View) -> View:
        view.takes_imports = may  # type: ignore[attr-defined]
        return view

    return mark


def limit(request: Any) -> int:
    """Maximum size in bytes of a file in this request."""
    view = getattr(getattr(request, "resolver_match", None), "func", None)
    may: Callable[[Any], bool] | None = getattr(view, "takes_imports", None)
    if may is not None and may(request.user):
        return settings.IMPORT_MAX_BYTES
    return settings.UPLOAD_MAX_BYTES


class BoundedUploadHandler(FileUploadHandler):
    """Aborts an upload over its limit and sets `upload_too_large`; passes chunks to the next handler."""

    request: UploadRequest | None

    def __init__(self, request: Any = None) -> None:
        super().__init__(request)
        self.received = 0

    @cached_property
    def limit(self) -> int:
        """Maximum size in bytes; known once the request has a route and an account."""
        return limit(self.request)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        self.received += len(raw_data)
        if self.received > self.limit:
            if self.request is not None:
                self.request.upload_too_large = True
            raise StopUpload(connection_reset=False)
        return raw_data

    def file_complete(self, file_size: int) -> None:
        return None
