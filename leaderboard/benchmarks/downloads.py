"""Sends stored files as downloads: streamed, resumable by Range, with the content's SHA-256 as ETag."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from pathlib import Path
from typing import IO

from django.http import (
    FileResponse,
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    StreamingHttpResponse,
)
from django.utils.cache import get_conditional_response

from evaluation.core import jsonl
from leaderboard.benchmarks import storage
from leaderboard.benchmarks.models import Version

GZIP, PARQUET = "application/gzip", "application/vnd.apache.parquet"
RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})", re.ASCII)


def send(request: HttpRequest, sha256: str, *, name: str, private: bool = False) -> HttpResponseBase:
    """Send a gzipped file with the status 200, 206 (range), 304, 412 or 416. Raises storage.MissingFileError."""
    response = _answer(request, sha256, name, GZIP, lambda: storage.open_packed(sha256))
    if response.status_code not in (412, 416):
        response["X-Content-SHA256"] = sha256
        response["X-File-SHA256"] = packed = storage.packed_sha256(sha256)
        # RFC 9530: digest of the gzipped file, also if only a range is sent.
        response["Repr-Digest"] = f"sha-256=:{base64.b64encode(bytes.fromhex(packed)).decode()}:"
        response["Cache-Control"] = "private, no-cache" if private else "public, max-age=31536000, immutable"
    response["ETag"] = f'"{sha256}"'
    response["Accept-Ranges"] = "bytes"
    return response


def send_parquet(request: HttpRequest, path: Path, sha256: str, *, name: str) -> HttpResponseBase:
    """Send a local Parquet file, with the statuses of `send`; `sha256` is the hash of the file."""
    response = _answer(request, sha256, name, PARQUET, lambda: path.open("rb"))
    response["ETag"] = f'"{sha256}"'
    response["Accept-Ranges"] = "bytes"
    response["Cache-Control"] = "public, max-age=86400"
    return response


def rows_name(version: Version) -> str:
    return f"{version.benchmark.slug}-{version.slug}.rows.jsonl.gz"


def documents_name(version: Version) -> str:
    """File name of a version's documents, as `evaluation.core.files.documents.beside` derives it from `rows_name`."""
    return f"{version.benchmark.slug}-{version.slug}.documents.jsonl.gz"


def send_documents(request: HttpRequest, version: Version) -> HttpResponseBase:
    """Send the texts that rows of a version refer to. Raises Http404 if the rows include their texts."""
    if not version.documents_sha256:
        raise Http404("The rows of this version include their texts, so it has no file of documents.")
    return send(request, version.documents_sha256, name=documents_name(version))


def send_gold(request: HttpRequest, version: Version) -> HttpResponseBase:
    """Send the gold of a version. Raises Http404 if it is not published."""
    if not version.disclosure.publishes_gold:
        raise Http404("The gold of this version is not published.")
    return send(request, version.gold_sha256, name=gold_name(version))


def send_in_format(version: Version, name: str) -> HttpResponseBase:
    """Send rows as JSON lines in a named format of the suite. Raises Http404 if the format is unknown."""
    formats = version.suite.display.formats
    if name not in formats:
        raise Http404(f"The rows of this version are not available as {name!r}.")
    lines = (jsonl.dumps(formats[name](row)) + b"\n" for row in storage.rows(version.rows_sha256))
    response = StreamingHttpResponse(lines, content_type="application/x-ndjson")
    file = f"{version.benchmark.slug}-{version.slug}.{name}.jsonl"
    response["Content-Disposition"] = f'attachment; filename="{file}"'
    return response


def gold_name(version: Version) -> str:
    return f"{version.benchmark.slug}-{version.slug}.gold.jsonl.gz"


def _answer(
    request: HttpRequest, sha256: str, name: str, kind: str, opened: Callable[[], IO[bytes]]
) -> HttpResponseBase:
    etag = f'"{sha256}"'
    if not_modified := get_conditional_response(request, etag=etag):
        return not_modified
    packed = opened()
    size = packed.seek(0, 2)
    packed.seek(0)
    byte_range = _range(request, etag, size)
    if byte_range is None:
        return FileResponse(packed, as_attachment=True, filename=name, content_type=kind)
    first, last = byte_range
    if first > last:
        packed.close()
        return HttpResponse(status=416, headers={"Content-Range": f"bytes */{size}"})
    packed.seek(first)
    part = _Part(packed, last - first + 1)
    response = FileResponse(part, status=206, as_attachment=True, filename=name, content_type=kind)
    response["Content-Range"] = f"bytes {first}-{last}/{size}"
    response["Content-Length"] = str(last - first + 1)
    return response


def _range(request: HttpRequest, etag: str, size: int) -> tuple[int, int] | None:
    """Read the requested range as (first byte, last byte). Returns None if the whole file must be sent.

    If the range cannot be satisfied (status 416), the first byte is after the last byte.
    """
    match = RANGE.fullmatch(request.headers.get("Range", "").replace(" ", ""))
    if not match or request.headers.get("If-Range", etag) != etag or not (match[1] or match[2]):
        return None
    if not match[1]:
        length = int(match[2])
        return (max(0, size - length), size - 1) if length else (size, size - 1)
    first = int(match[1])
    last = min(int(match[2]), size - 1) if match[2] else size - 1
    if match[2] and int(match[2]) < first:
        return None
    return first, last


class _Part:
    """File object that reads at most the next `left` bytes of an open file."""

    def __init__(self, packed: IO[bytes], left: int) -> None:
        self._packed, self._left = packed, left
        self.close = packed.close

    def read(self, size: int) -> bytes:
        chunk = self._packed.read(min(size, self._left))
        self._left -= len(chunk)
        return chunk
