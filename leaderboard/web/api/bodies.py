"""Request bodies: a predictions file as the multipart field `file` or as the body, or bounded JSON."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from ninja.parser import Parser

from evaluation.core.files import shape
from leaderboard.web.api.problems import ProblemError

CHUNK = 1 << 18  # bytes per read
_FILE = {"type": "string", "format": "binary"}
_EXAMPLE = '{"id": "r3f9a0c1d27be", "value": "amber", "support_ids": ["U4F0A21"]}\n'


@dataclass(frozen=True, slots=True)
class Upload:
    """A received file, deleted after the request."""

    path: Path
    name: str


class BoundedParser(Parser):
    """Parses JSON bodies within bounds on depth and size."""

    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        if fault := shape.fault(request.body, shape.OF_ANSWER):
            raise ProblemError(400, "bad-request", f"The body cannot be read: {fault.reason}.")
        return super().parse_body(request)


@contextmanager
def upload(request: HttpRequest, *, limit: int | None = None) -> Iterator[Upload]:
    """The file of a request. Raises ProblemError: 411 if chunked, 413 if too large, 422 without a file."""
    limit = settings.UPLOAD_MAX_BYTES if limit is None else limit
    if (request.content_type or "") == "multipart/form-data":
        yield _field(request, limit)
        return
    if "chunked" in request.headers.get("Transfer-Encoding", "").lower():
        raise ProblemError(411, "length-required", "Send the file with its Content-Length, not in chunks.")
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as kept:
        _copy(request, kept, limit)
        kept.flush()
        yield Upload(Path(kept.name), "predictions.jsonl")


def _field(request: HttpRequest, limit: int) -> Upload:
    sent: Any = request.FILES.get("file")
    if getattr(request, "upload_too_large", False) or (sent is not None and sent.size > limit):
        raise _too_large(limit)
    if sent is None:
        raise ProblemError(
            422, "no-file", "Send the predictions in the multipart field 'file', or as the body."
        )
    return Upload(Path(sent.temporary_file_path()), sent.name)


def _copy(request: HttpRequest, kept: Any, limit: int) -> None:
    received = int(request.META.get("CONTENT_LENGTH") or 0)
    if received > limit:
        raise _too_large(limit)
    while chunk := request.read(CHUNK):
        kept.write(chunk)


def _too_large(limit: int) -> ProblemError:
    advice = " Send it gzipped." if limit == settings.UPLOAD_MAX_BYTES else ""
    return ProblemError(413, "too-large", f"The file is larger than {limit >> 20} MB.{advice}")


def documented(fields: dict[str, object] | None = None) -> dict[str, object]:
    """OpenAPI request body of a route that takes a file. `fields` are further fields of multipart bodies."""
    multipart = {"type": "object", "required": ["file"], "properties": {"file": _FILE, **(fields or {})}}
    return {
        "requestBody": {
            "required": True,
            "content": {
                "multipart/form-data": {"schema": multipart},
                "application/x-ndjson": {"schema": {"type": "string"}, "example": _EXAMPLE},
                "application/gzip": {"schema": _FILE},
            },
        }
    }


def documented_json(example: dict[str, object]) -> dict[str, object]:
    """OpenAPI request body of a route that takes one JSON document, as the body or as a file."""
    multipart = {"type": "object", "required": ["file"], "properties": {"file": _FILE}}
    return {
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {"schema": {"type": "object"}, "example": example},
                "multipart/form-data": {"schema": multipart},
            },
        }
    }
