"""Refuse an oversized upload while it streams in, before it fills the disk."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar

from django.conf import settings
from django.core.files.uploadhandler import FileUploadHandler, StopUpload

from leaderboard.web.requests import UploadRequest

View = TypeVar("View", bound=Callable[..., Any])


def takes_imports(may: Callable[[Any], bool]) -> Callable[[View], View]:
    """Mark a view to which an account that `may` is true of can send files of IMPORT_MAX_BYTES.

    A body is read before its view is called, so that the view itself could only refuse what has arrived.
    """

    def mark(view: View) -> View:
        view.takes_imports = may  # type: ignore[attr-defined]
        return view

    return mark


def limit(request: Any) -> int:
    """How many bytes a file of this request may have."""
    view = getattr(getattr(request, "resolver_match", None), "func", None)
    may: Callable[[Any], bool] | None = getattr(view, "takes_imports", None)
    if may is not None and may(request.user):
        return settings.IMPORT_MAX_BYTES
    return settings.UPLOAD_MAX_BYTES


class BoundedUploadHandler(FileUploadHandler):
    """Stops the connection once a file passes its limit, and tells the view by `request.upload_too_large`.

    It keeps nothing itself: chunks go on to the next handler, which writes them to a temporary file.
    """

    request: UploadRequest | None

    def __init__(self, request: Any = None) -> None:
        super().__init__(request)
        self.received = 0

    @cached_property
    def limit(self) -> int:
        """Of this request; known once it has an address and an account."""
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
